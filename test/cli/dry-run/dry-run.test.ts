import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dryRunFeeds, formatDryRun, formatDryRunJson } from '#cli/commands/poll.ts';
import { buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { DryRun } from '#shared/flow/dry-run.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const MORNING = Date.parse('2026-03-04T22:00:00Z');
const ZONE = 'Pacific/Auckland';

let dynamo: EmbeddedDynamo;
let source: RunningSource;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  source = await startSource({ startsAt: MORNING, timeZone: ZONE, speed: 0 });
});

afterAll(async () => {
  await dynamo?.stop();
  await source?.close();
});

describe('a dry run', () => {
  test('of feeds without a baseline reports the baseline of both, and stores nothing', async () => {
    const runs = await look(async () => source.token);

    expect(runs.map(({ report }) => [report.feed, report.outcome])).toEqual([
      ['pay-periods', 'complete'],
      ['timesheets', 'complete'],
    ]);
    expect(runs.flatMap(({ events }) => events.map(({ text }) => JSON.parse(text).type))).toEqual([
      'workforce.baseline.completed',
      'workforce.baseline.completed',
    ]);
    const store = createDynamoSnapshotStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
    for (const feed of ['timesheets', 'pay-periods'] as const)
      expect(await store.loadFeedState({ connection: 'main', feed })).toBeNull();
  });

  test.each([
    [1, 'incomplete'],
    [600, 'complete'],
  ])('has the same real time limit at %i times real speed', async (speed, outcome) => {
    // The simulated clock advances at every reading.
    const runs = await look(async () => source.token, { speed, lookMs: 20_000 });

    expect(runs.at(-1)?.report.outcome).toBe(outcome);
  });

  test('with a secret that cannot be read says so', async () => {
    const runs = await look(async () => {
      throw new NotifierError('secret_unreadable', 'the secret "notifier/main" cannot be read (no)');
    });

    expect(runs.map(({ report }) => report.outcome)).toEqual(['refused', 'refused']);
    expect(runs.flatMap((run) => formatDryRun(run, ZONE))).toEqual([
      'main pay-periods: nothing would be emitted; the scan is refused',
      '  ! the secret "notifier/main" cannot be read (no)',
      'main timesheets: nothing would be emitted; the scan is refused',
      '  ! the secret "notifier/main" cannot be read (no)',
    ]);
  });
});

describe('what would be emitted', () => {
  const run: DryRun = {
    report: {
      connection: 'main',
      feed: 'timesheets',
      outcome: 'incomplete',
      remainingSlices: 2,
      reasons: ['the source failed (503)'],
      baselined: true,
      counts: {
        slices: 3,
        records: 9,
        requests: 2,
        throttled: 0,
        changes: 1,
        quarantined: 0,
        conflicts: 0,
        eventsCommitted: 1,
        eventsPublished: 2,
        eventsWaiting: 0,
      },
    },
    events: [
      { text: buildSampleEvents().get('timesheet.removed') ?? '', committed: true },
      { text: buildSampleEvents().get('timesheet.approved') ?? '', committed: false },
    ],
  };

  test('is printed as a heading with the count, one line per event, and what was in the way', () => {
    expect(formatDryRun(run, ZONE)).toEqual([
      'main timesheets: 2 events would be emitted; 1 of them committed earlier and not yet published; the scan is incomplete',
      '  2026-11-17 10:14:01  timesheet.removed                    910001_4711   startTime 2026-11-12 09:00:00, finishTime 2026-11-12 17:30:00, hoursToPay 8  employee 2001_4711, 2026-11-12',
      '  2026-11-13 10:16:00  timesheet.approved                   910001_4711   approvedHours – → 10:15:08  employee 2001_4711, 2026-11-12',
      '  ! the source failed (503)',
      '  ! no time for 2 more slices',
    ]);
  });

  test('is printed with --json as the report with the events', () => {
    expect(JSON.parse(formatDryRunJson([run]))).toEqual({
      feeds: [
        {
          ...run.report,
          events: run.events.map(({ text, committed }) => ({ committed, event: JSON.parse(text) })),
        },
      ],
    });
  });
});

async function look(
  readSecret: () => Promise<string>,
  { speed = 1, lookMs = 0 }: { readonly speed?: number; readonly lookMs?: number } = {},
): Promise<DryRun[]> {
  let now = MORNING;
  const connection = connectionSchema.parse({
    name: 'main',
    baseUrl: source.baseUrl,
    timeZone: ZONE,
    secretName: 'notifier/main',
    window: { backDays: 1, forwardDays: 1 },
  });
  const place = {
    dynamoDb: dynamo.client,
    tableName: dynamo.tableName,
    readSecret: () => readSecret,
    speed,
    system: {
      now: () => {
        now += lookMs;
        return now;
      },
      sleep: async (milliseconds: number) => {
        now += milliseconds;
      },
      random: () => 0.5,
      uniqueId: () => 'dry-run-1',
    },
  };
  const runs: DryRun[] = [];
  const task = { connection, feeds: ['pay-periods', 'timesheets'], scope: 'due' } as const;
  for await (const run of dryRunFeeds(task, place)) runs.push(run);
  return runs;
}
