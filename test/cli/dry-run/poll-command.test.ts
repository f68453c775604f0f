import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { pollCommand, type WithPollTarget } from '#cli/commands/poll.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { poll } from '#shared/flow/poll.ts';
import { createConnectionClients } from '#shared/operator/connection-clients.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { steer } from '#test/support/steer.ts';

const MORNING = Date.parse('2026-03-04T22:00:00Z');
const TIME_ZONE = 'Pacific/Auckland';
const HOUR_MS = 3_600_000;
/** An hour after `MORNING`, in the zone. */
const SUMMARY_AT = '12:00';

let dynamo: EmbeddedDynamo;
let source: RunningSource;
let printed: string[];
let opened: Parameters<WithPollTarget>[0][];
let now: number;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  source = await startSource({ startsAt: MORNING, timeZone: TIME_ZONE, speed: 0 });
});

afterAll(async () => {
  await dynamo?.stop();
  await source?.close();
});

beforeEach(() => {
  printed = [];
  opened = [];
  now = MORNING;
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
});

afterEach(async () => {
  await steer(source, 'faults', { method: 'DELETE' });
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

test('polls both feeds of all connections, pay periods first', async () => {
  await run('--dry-run');

  expect(printed.filter((line) => !line.startsWith(' '))).toEqual([
    'main pay-periods: 1 event would be emitted',
    'main timesheets: 1 event would be emitted',
    'other pay-periods: 1 event would be emitted',
    'other timesheets: 1 event would be emitted',
  ]);
  expect(process.exitCode).toBeUndefined();
});

test('one feed of one connection is one JSON object', async () => {
  await run('--dry-run', '--connection', 'other', '--feed', 'pay-periods', '--window', '--json');

  expect(printed).toHaveLength(1);
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({
    feeds: [
      {
        connection: 'other',
        feed: 'pay-periods',
        outcome: 'complete',
        events: [{ committed: false, event: { type: 'workforce.baseline.completed', connection: 'other' } }],
      },
    ],
  });
});

test('the target is opened with the flags that name it', async () => {
  await run('--data', 'here', '--json', '--dry-run', '--feed', 'pay-periods');

  expect(opened).toMatchObject([{ data: 'here', json: true }]);
  expect(JSON.parse(printed.join('\n')).feeds).toHaveLength(2);
});

test('an incomplete scan ends with exit code 1 and says why', async () => {
  await steer(source, 'faults', {
    method: 'POST',
    body: JSON.stringify({ path: '/api/v1/payperiods', action: { kind: 'status', status: 403 } }),
  });

  await run('--dry-run', '--connection', 'main', '--feed', 'pay-periods');

  expect(printed[0]).toContain('the scan is refused');
  expect(printed[1]).toContain('! the source forbids this (403)');
  expect(process.exitCode).toBe(1);
});

test('without --dry-run nothing is opened', async () => {
  await expect(run()).rejects.toMatchObject({
    code: 'options_wrong',
    message: expect.stringContaining('poll needs --dry-run'),
  });
  expect(opened).toEqual([]);
});

test('an unknown connection is an error that names the known ones', async () => {
  await expect(run('--dry-run', '--connection', 'moon')).rejects.toMatchObject({
    code: 'connection_unknown',
    message: 'there is no connection "moon"; use one of main, other',
  });
});

test('tells the daily summary that is due', async () => {
  await pollForReal('main');
  now = MORNING + 2 * HOUR_MS;

  await run('--dry-run', '--connection', 'main', '--feed', 'pay-periods', '--json');

  const [{ events }] = JSON.parse(printed[0] ?? '').feeds;
  expect(events.length).toBeGreaterThan(0);
  expect(events).toEqual(
    events.map(() => ({
      committed: false,
      event: expect.objectContaining({
        type: 'workforce.pay_period.readiness',
        data: expect.objectContaining({ summaries: [SUMMARY_AT] }),
      }),
    })),
  );
});

async function run(...parameters: string[]): Promise<void> {
  await pollCommand(withTarget).parseAsync(parameters, { from: 'user' });
}

const withTarget: WithPollTarget = async (flags, run) => {
  opened.push(flags);
  const config = buildConfig();
  await run({ ...place(), config, connections: config.connections });
};

async function pollForReal(name: string): Promise<void> {
  const [connection] = buildConfig().connections.filter((each) => each.name === name);
  if (connection === undefined) throw new Error(`no connection ${name}`);
  const deadline = now + HOUR_MS;
  const client = createConnectionClients(connection, place())(deadline);
  const { system } = place();
  const ports = {
    source: createSourceApi(client, { pageSize: 200, now: system.now }),
    store: createDynamoSnapshotStore({ ...dynamo, ...system }),
    publisher: {
      publish: async (texts: readonly string[]) => ({
        published: texts.length,
        unpublished: [],
        requests: 1,
      }),
    },
    clock: system,
    telemetry: { report: () => {} },
  };
  for (const feed of ['pay-periods', 'timesheets'] as const) {
    const request = { connection, scope: 'window' as const, summaries: [SUMMARY_AT] };
    await poll({ feed, request, runId: `${feed}-1`, deadline }, ports);
  }
}

function place() {
  return {
    dynamoDb: dynamo.client,
    tableName: dynamo.tableName,
    readSecret: () => async () => source.token,
    system: {
      now: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds;
      },
      random: () => 0.5,
      uniqueId: () => 'dry-run-1',
    },
  };
}

const buildConfig = () =>
  parseNotifierConfig({
    connections: ['main', 'other'].map((name) => ({
      ...{ name, baseUrl: source.baseUrl, timeZone: TIME_ZONE, secretName: 'notifier/main' },
      window: { backDays: 1, forwardDays: 1 },
    })),
    alerts: {
      channels: [
        {
          name: 'office',
          kind: 'email',
          addresses: ['office@acme.example'],
          dailySummary: { at: SUMMARY_AT },
        },
      ],
    },
  });
