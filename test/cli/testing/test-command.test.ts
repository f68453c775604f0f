import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseForwardAddress } from '#cli/testing/forward.ts';
import { verifyWebhook } from '#kit/verify-webhook.ts';
import { executeHere } from '#test/cli/execute.ts';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';
import { type Receiver, startReceiver } from './receiver/receivers.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

afterEach(() => vi.unstubAllEnvs());

describe('test --to URL', () => {
  let receiver: Receiver;

  afterEach(async () => await receiver.close());

  test('says of a correct receiver how many checks hold, and what was not checked', async () => {
    receiver = await startReceiver([SECRET]);
    vi.stubEnv('WEBHOOK_SECRET', SECRET);
    const { code, stdout } = await executeHere(['test', '--to', receiver.url]);
    const [, holding, all] =
      /^(\d+) of (\d+) checks hold\nnot checked: .*; pass --probe\n$/.exec(stdout) ?? [];
    expect([code, holding]).toEqual([0, all]);
  });

  test('has a line for each fault of another, with how to fix it, and exit code 1', async () => {
    receiver = await startReceiver([SECRET], 'refuses unknown fields');
    vi.stubEnv('WEBHOOK_SECRET', SECRET);
    const { code, stdout } = await executeHere(['test', '--to', receiver.url, '--probe', receiver.probeUrl]);
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'wrong  unknown fields: 422, expected 2xx',
      '       -> ignore unknown fields: new ones are added, none is ever renamed or removed',
    ]);
  });

  test('needs a secret, and says how to make one', async () => {
    receiver = await startReceiver([SECRET]);
    vi.stubEnv('WEBHOOK_SECRET', undefined);
    const { code, stderr } = await executeHere(['test', '--to', receiver.url]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("crypto.randomBytes(24).toString('base64')")]);
  });
});

describe('test --forward', () => {
  let machine: WatchedMachine;
  let server: Server;
  let url: string;
  const answers = [204, 503, 204, 410];
  const arrivals: {
    readonly headers: Record<string, string | string[] | undefined>;
    readonly body: string;
  }[] = [];

  beforeAll(async () => {
    machine = await startWatchedMachine();
    server = createServer((request, response) => {
      void text(request).then((body) => {
        arrivals.push({ headers: request.headers, body });
        response.writeHead(answers.shift() ?? 410).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });

  afterAll(async () => {
    server?.close();
    await machine?.stop();
  });

  test('hands on what is in the log, signed and in order, again what is not accepted, until the receiver wants no more', async () => {
    const open = machine.source.company.timesheets(WATCHED).filter((each) => each.approvedHours === null);
    for (const { id } of open.slice(0, 3)) make(machine.source, { change: 'approve', id });
    const told = (await machine.stage.tell()).map((event) => event.text);
    vi.stubEnv('WEBHOOK_SECRET', SECRET);
    const options = ['--since', '1h', '--type', 'timesheet.approved'];
    const { code, lines, stderr } = await machine.run('test', '--forward', url, ...options);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/answered 410, which means that it wants no more/),
    ]);
    expect(lines.map((line) => line.slice(0, 3))).toEqual(['204', '503', '204', '410']);
    expect(lines[1]).toMatch(/timesheet\.approved .* \(again in 1 s\)$/);
    const bodies = arrivals.map(({ body }) => body);
    expect(bodies[1]).toBe(bodies[2]);
    expect([...new Set(bodies)].sort()).toEqual(told.toSorted());
    for (const arrival of arrivals)
      expect(verifyWebhook(arrival, SECRET)).toMatchObject({ outcome: 'event' });
  });
});

test.each([
  ['http://payroll.acme.example/hook', /^--forward is .* would send events in clear; use an https address/],
  ['http://192.168.1.7/hook', /in clear; use an https address/],
  ['ftp://localhost/hook', /^--forward is "ftp:\/\/localhost\/hook"; use an https address/],
  ['localhost:3000', /^--forward is "localhost:3000"; use an https address/],
  ['https://ann:secret@acme.example/', /^--forward contains a password; leave it out/],
])('nothing is forwarded to %s', (address, message) => {
  expect(() => parseForwardAddress(address)).toThrow(message);
});

test.each(['http://localhost:3000/hook', 'http://[::1]:3000/', 'https://hooks.acme.example/dev'])(
  'events may be forwarded to %s',
  (address) => {
    expect(parseForwardAddress(address)).toBe(address);
  },
);
