import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkReceiver } from '#cli/testing/receiver/check-receiver.ts';
import { openSecret } from '#kit/signing-secret.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { type Inbox, openInbox } from '../../examples/webhook-receiver/inbox.ts';
import { createReceiver } from '../../examples/webhook-receiver/receiver.ts';

const SECRET = secretOf('now');
const PREVIOUS = secretOf('before');
const EVENT = JSON.stringify(exampleEvent('workforce.timesheet.approved'));

let inbox: Inbox;
let server: Server;
let worked: string[];

beforeEach(() => {
  inbox = openInbox(':memory:');
  worked = [];
});

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
  inbox.close();
});

describe('the example of a receiver of webhooks', () => {
  it('passes every check', async () => {
    const url = await listen();
    const probe = url.replace('/hook', '/states');
    const { checks, wrong } = await checkReceiver({ url, probe, secret: SECRET });
    expect(wrong).toEqual([]);
    expect(checks.length).toBeGreaterThan(SHORT_EVENT_TYPES.length + 45);
  });

  it('refuses a body that is too large, and goes on', async () => {
    const url = await listen();
    expect(await post(url, JSON.stringify('x'.repeat(20 * 1_024 * 1_024)), 'large')).toBe(413);
    expect(await post(url, EVENT)).toBe(204);
  });

  it('answers 500 when it could not store an event, and takes it the next time', async () => {
    const { take } = inbox;
    inbox.take = () => {
      throw new Error('disk full');
    };
    const url = await listen();
    expect(await post(url, EVENT)).toBe(500);
    inbox.take = take;
    expect(await post(url, EVENT)).toBe(204);
    expect(worked).toHaveLength(1);
  });

  it('answers 404 and 405 to anything else', async () => {
    const url = await listen({ tellStates: false });
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect((await fetch(new URL('/states', url))).status).toBe(404);
  });
});

describe('its inbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'notifier-inbox-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps what it took when it is reopened', () => {
    const file = join(folder, 'inbox');
    const event = JSON.parse(EVENT);
    const first = openInbox(file);
    expect(first.take({ outcome: 'event', event })).toBe(true);
    first.close();
    const second = openInbox(file);
    expect(second.take({ outcome: 'event', event })).toBe(false);
    expect(second.reached()).toEqual({ '101550_1': 6 });
    second.close();
  });

  it('stores nothing that it cannot apply', () => {
    const broken = { ...JSON.parse(EVENT), data: null };
    expect(() => inbox.take({ outcome: 'event', event: broken })).toThrow();
    expect(inbox.take({ outcome: 'event', event: JSON.parse(EVENT) })).toBe(true);
  });
});

describe('its program', () => {
  let program: ChildProcess;
  afterEach(() => program.kill());

  it('receives at the address it prints', async () => {
    program = start({ WEBHOOK_SECRET: SECRET, PORT: '0' });
    const [line] = await once(program.stdout ?? program, 'data');
    const url = /listening on (?<url>\S+)/.exec(String(line))?.groups?.url ?? '';
    const printed = once(program.stdout ?? program, 'data');
    expect(await post(url, EVENT)).toBe(204);
    expect(String(await printed)).toBe('workforce.timesheet.approved 101550_1 6\n');
  });

  it('says what it needs', async () => {
    program = start({});
    const [[error], [code]] = await Promise.all([
      once(program.stderr ?? program, 'data'),
      once(program, 'exit'),
    ]);
    expect(String(error)).toBe('set WEBHOOK_SECRET to the signing secret of the webhook, whsec_...\n');
    expect(code).toBe(1);
  });
});

async function listen({ tellStates = true } = {}): Promise<string> {
  server = createReceiver({
    secrets: [SECRET, PREVIOUS],
    inbox: { ...inbox, take: (arrival) => inbox.take(arrival) },
    work: ({ event }) => worked.push(event.id),
    tellStates,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function post(url: string, body: string, id?: string): Promise<number> {
  const at = new Date();
  const eventId = id ?? (JSON.parse(body) as { readonly id: string }).id;
  const headers = {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': openSecret(SECRET).sign(eventId, at, body),
  };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

function start(environment: Readonly<Record<string, string>>): ChildProcess {
  const flags = ['examples/webhook-receiver/main.ts'];
  return spawn(process.execPath, flags, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
}

function secretOf(seed: string): string {
  return `whsec_${Buffer.from(seed.padEnd(32, '.')).toString('base64')}`;
}
