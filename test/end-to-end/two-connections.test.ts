import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { toVirtualTime } from '#local/aws/functions/virtual-clock.ts';
import { type LocalAws, startLocalAws } from '#local/aws/local-aws.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import type { RunningSource } from '#local/source/server.ts';
import { pollReportSchema } from '#shared/config/requests/poll-report.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import { MORNING, make, startCompany, TODAY } from './company.ts';
import { createInbox, type Inbox, takeMessages, type WireEvent } from './inbox.ts';
import { createClock, createDataFolder, ENVIRONMENT, NO_RECIPIENTS } from './stage.ts';

/** One deployment with two companies, each with its own schedule and token. */

const CONFIG = fileURLToPath(new URL('./two-connections.config.ts', import.meta.url));
const NAMES = ['north', 'south'] as const;
type Name = (typeof NAMES)[number];
const CLOCK = createClock(MORNING);

let sources: Readonly<Record<Name, RunningSource>>;
let aws: LocalAws;
let inbox: Inbox;
const closes: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  vi.stubEnv('NOTIFIER_CONFIG', CONFIG);
  const assembly = await synthesize(() => {});
  vi.unstubAllEnvs();
  sources = { north: await startCompany(), south: await startCompany({ token: 'another-token' }) };
  closes.push(sources.north.close, sources.south.close);
  const folder = await openDataFolder(createDataFolder());
  closes.push(async () => {
    folder.release();
    rmSync(folder.path, { recursive: true });
  });
  aws = await startLocalAws({
    folder,
    assembly,
    secrets: new Map(NAMES.map((name) => [`token-of-${name}`, sources[name].token])),
    clock: CLOCK,
    environment: ENVIRONMENT,
    adapt: NO_RECIPIENTS,
  });
  closes.push(aws.stop);
  inbox = await createInbox(aws);
});

afterAll(async () => {
  for (const close of closes.reverse()) await close();
});

test('every connection has its own schedule', () => {
  const schedules = polls().map(({ functionName, intervalMs, input }) => [
    functionName,
    pollRequestSchema.parse(input).connection.name,
    intervalMs / 60_000,
  ]);
  expect(schedules.toSorted()).toEqual([
    ['two-connections-poll', 'north', 1],
    ['two-connections-poll', 'south', 1],
  ]);
});

test('each has its own baseline', async () => {
  const events = await pollAsScheduled();
  expect(events.map(({ type, event }) => [type, event.connection, event.data.feed]).toSorted()).toEqual([
    ['baseline.completed', 'north', 'pay-periods'],
    ['baseline.completed', 'north', 'timesheets'],
    ['baseline.completed', 'south', 'pay-periods'],
    ['baseline.completed', 'south', 'timesheets'],
  ]);
});

test('a change in one emits an event of that one only', async () => {
  const { id } = make(sources.south, { change: 'create', date: TODAY });
  const events = await pollAsScheduled();
  expect(briefly(events)).toEqual([['timesheet.created', 'south', id]]);
});

test('the same id in both is two records, and their events have different ids', async () => {
  const [id = ''] = sources.north.company.timesheets({ from: TODAY, to: TODAY }).map((record) => record.id);
  for (const name of NAMES) make(sources[name], { change: 'change', id });

  const events = await pollAsScheduled();

  expect(briefly(events)).toEqual([
    ['timesheet.changed', 'north', id],
    ['timesheet.changed', 'south', id],
  ]);
  expect(new Set(events.map(({ event }) => event.id)).size).toBe(2);
});

test('a subscriber of one connection receives nothing of the other', async () => {
  const messages = await takeMessages(aws.sqs, 'two-connections-south-only');
  const connections = messages.map(
    ({ Body = '' }) => (JSON.parse(Body) as { connection: string }).connection,
  );
  expect(connections).toEqual(['south', 'south', 'south', 'south']);
});

/** The schedules of polls; what checks deliveries has one as well. */
function polls() {
  return aws.deployment.schedules.filter(({ functionName }) => functionName.endsWith('-poll'));
}

/** Runs every schedule of a poll once, as the scheduler would, with local addresses. */
async function pollAsScheduled(): Promise<WireEvent[]> {
  for (const { functionName, input } of polls()) {
    const request = pollRequestSchema.parse(input);
    const { connection } = request;
    const { baseUrl } = sources[connection.name as Name];
    const freshSince = toVirtualTime(CLOCK, Date.now());
    const there = { ...request, followUpUntil: 0, freshSince, connection: { ...connection, baseUrl } };
    const answer = await aws.invoke(functionName, there);
    expect(pollReportSchema.parse(answer)).toMatchObject({
      connection: connection.name,
      outcome: 'complete',
    });
  }
  return inbox.take();
}

function briefly(events: readonly WireEvent[]) {
  return events.map(({ type, event }) => [type, event.connection, event.subject]);
}
