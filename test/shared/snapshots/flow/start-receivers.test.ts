import { describe, expect, test } from 'vitest';
import { readStartRequest, type StartRequestInput } from '#shared/config/requests/replay-request.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { type StartPorts, type StartReport, startReceivers } from '#shared/snapshots/flow/start-receivers.ts';
import type { ReceiverStart } from '#shared/snapshots/receiver-start.ts';
import {
  DATE,
  EARLIER,
  leafRow,
  NOW,
  PAY_PERIODS,
  payPeriod,
  slice,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { createMemoryStartStore } from '#test/support/memory-start-store.ts';
import { commitSlice } from '#test/support/stored-records.ts';

const MINUTE_MS = 60_000;
/** At the default rate, three of the parts after which progress is stored. */
const TIMESHEET_COUNT = 2_500;
const PAYROLL = {
  name: 'webhook-payroll',
  generation: 1,
  queueUrl: 'https://sqs.example/payroll',
  interest: { topics: ['timesheets', 'pay-periods'], filter: {} },
} satisfies StartRequestInput['receivers'][number];
const REQUEST: StartRequestInput = { kind: 'start', connections: ['main'], receivers: [PAYROLL] };

describe('a receiver that starts with a snapshot', () => {
  test('gets every stored record, and never again', async () => {
    const stage = await createStage();
    expect(await stage.run()).toMatchObject({ completed: 1 });
    expect(stage.distinct()).toBe(TIMESHEET_COUNT + 1);
    expect(stage.sent).toHaveLength(TIMESHEET_COUNT + 1);
    stage.clock.now += 60 * MINUTE_MS;
    expect(await stage.run()).toEqual({ settled: 1, waiting: 0, completed: 0, unfinished: 0 });
    expect(stage.sent).toHaveLength(TIMESHEET_COUNT + 1);
  });

  test('gets it once more for a higher generation, and another receiver its own', async () => {
    const stage = await createStage();
    await stage.run();
    const receivers = [
      { ...PAYROLL, generation: 2 },
      { ...PAYROLL, name: 'subscription-payroll' },
    ];
    expect(await stage.run({ receivers })).toMatchObject({ completed: 2 });
    expect(stage.sent).toHaveLength(3 * (TIMESHEET_COUNT + 1));
  });

  test('waits for a baseline, which would hold more records', async () => {
    const stage = await createStage({ baselines: [] });
    expect(await stage.run()).toMatchObject({ waiting: 1, completed: 0 });
    expect(stage.sent).toEqual([]);
    await stage.completeBaseline('timesheets');
    await stage.completeBaseline('pay-periods');
    expect(await stage.run()).toMatchObject({ completed: 1 });
  });

  test.each([
    ['timesheets', 'pay-periods', TIMESHEET_COUNT],
    ['pay-periods', 'timesheets', 1],
  ] as const)('of %s alone does not wait for %s, which the source may refuse for good', async (...row) => {
    const [feed, , records] = row;
    const stage = await createStage({ baselines: [feed] });
    const receivers = [{ ...PAYROLL, interest: { topics: [feed], filter: {} } }];
    expect(await stage.run({ receivers })).toMatchObject({ completed: 1 });
    expect(stage.sent).toHaveLength(records);
    expect(stage.lines).toEqual([]);
  });

  test.each([
    ['timesheets', 'pay-periods', TIMESHEET_COUNT],
    ['pay-periods', 'timesheets', 1],
  ] as const)('of both gets %s once while %s wait, which a line says', async (ready, waiting, records) => {
    const stage = await createStage({ baselines: [ready] });
    for (let runs = 0; runs < 2; runs += 1) {
      expect(await stage.run()).toMatchObject({ waiting: 1, completed: 0 });
      stage.clock.now += 12 * MINUTE_MS;
    }
    expect(stage.sent).toHaveLength(records);
    const line = { outcome: 'start.waiting', receiver: 'webhook-payroll', connection: 'main', feed: waiting };
    expect(stage.lines).toEqual([line, line]);
    await stage.completeBaseline(waiting);
    expect(await stage.run()).toMatchObject({ completed: 1 });
    expect([stage.sent.length, stage.distinct()]).toEqual([TIMESHEET_COUNT + 1, TIMESHEET_COUNT + 1]);
    expect(await stage.run()).toMatchObject({ settled: 1 });
  });

  test('gets the rest in later runs when there is no time, without a gap', async () => {
    const stage = await createStage();
    const reports: StartReport[] = [];
    do reports.push(await stage.run({ timeMs: 25_000 }));
    while (reports.at(-1)?.completed === 0 && reports.length < 9);
    expect(reports.map(({ unfinished }) => unfinished)).toEqual([1, 1, 0]);
    expect([stage.sent.length, stage.distinct()]).toEqual([TIMESHEET_COUNT + 1, TIMESHEET_COUNT + 1]);
  });

  test('goes on after a crash: what was sent since the last part goes out twice, with the same bytes', async () => {
    for (const dieAt of [1, 60, 130, 245]) {
      const stage = await createStage();
      stage.fault.dieAt = dieAt;
      await expect(stage.run()).rejects.toThrow('died');
      // Another run leaves it alone while the dead one may live.
      expect(await stage.run()).toMatchObject({ settled: 1 });
      stage.clock.now += 12 * MINUTE_MS;
      expect(await stage.run()).toMatchObject({ completed: 1 });
      expect(stage.distinct()).toBe(TIMESHEET_COUNT + 1);
      expect(stage.sent.length - stage.distinct()).toBeLessThanOrEqual(20 * 50);
    }
  });

  test('gets it from one of two runs at the same time', async () => {
    const stage = await createStage();
    const reports = await Promise.all([stage.run(), stage.run()]);
    expect(reports.map(({ completed }) => completed).sort()).toEqual([0, 1]);
    expect(stage.sent).toHaveLength(TIMESHEET_COUNT + 1);
  });

  test('keeps its place, and an error says so, when its queue takes no more', async () => {
    const stage = await createStage();
    stage.fault.refuseAt = 700;
    await expect(stage.run()).rejects.toMatchObject({ code: 'start_failed', retryable: true });
    stage.fault.refuseAt = Number.POSITIVE_INFINITY;
    expect(await stage.run()).toMatchObject({ completed: 1 });
    expect(stage.distinct()).toBe(TIMESHEET_COUNT + 1);
    expect(stage.sent.length - stage.distinct()).toBeLessThan(10);
  });

  test('is not held up by another one whose queue takes nothing', async () => {
    const stage = await createStage();
    stage.fault.brokenQueue = PAYROLL.queueUrl;
    const receivers = [
      PAYROLL,
      { ...PAYROLL, name: 'webhook-archive', queueUrl: 'https://sqs.example/archive' },
    ];
    await expect(stage.run({ receivers })).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('webhook-payroll'),
    });
    expect(stage.sent).toHaveLength(TIMESHEET_COUNT + 1);
    stage.fault.brokenQueue = null;
    expect(await stage.run({ receivers })).toMatchObject({ settled: 1, completed: 1 });
  });

  test('of no topic with records gets none, once', async () => {
    const stage = await createStage();
    const receivers = [{ ...PAYROLL, interest: { topics: ['operations' as const], filter: {} } }];
    expect(await stage.run({ receivers })).toMatchObject({ completed: 1 });
    expect(stage.sent).toEqual([]);
  });
});

interface RunChoice {
  readonly receivers?: StartRequestInput['receivers'];
  readonly timeMs?: number;
}

async function createStage({ baselines = ['pay-periods', 'timesheets'] }: { baselines?: FeedName[] } = {}) {
  const memory = createMemorySnapshotStore();
  const list = slice({ slice: WHOLE_LIST, rows: [leafRow(payPeriod())], feed: 'pay-periods' });
  await commitSlice(memory, PAY_PERIODS, list);
  const rows = Array.from({ length: TIMESHEET_COUNT }, (_, index) =>
    leafRow(timesheet({ id: `${index}_7` }), { epoch: EARLIER }),
  );
  await commitSlice(memory, TIMESHEETS, slice({ rows }));
  for (const feed of baselines) await completeBaseline(memory, feed);
  const clock = { now: NOW };
  const fault: Fault = {
    dieAt: Number.POSITIVE_INFINITY,
    refuseAt: Number.POSITIVE_INFINITY,
    brokenQueue: null,
  };
  const sent: string[] = [];
  const lines: OutcomeLine[] = [];
  const ports = createPorts(memory, { clock, fault, sent, lines });
  const run = ({ receivers = [PAYROLL], timeMs = 10 * MINUTE_MS }: RunChoice = {}) => {
    const request = readStartRequest({ ...REQUEST, receivers });
    // A run that follows a dead one is another process.
    const own = fault.dieAt;
    return startReceivers({ request, deadline: clock.now + timeMs }, ports).finally(() => {
      if (fault.dieAt === own) fault.dieAt = Number.POSITIVE_INFINITY;
    });
  };
  const distinct = () => new Set(sent).size;
  return {
    clock,
    fault,
    sent,
    run,
    distinct,
    /** Lines of the log about starts. */
    get lines() {
      return lines.filter(({ outcome }) => outcome === 'start.waiting');
    },
    begin: (start: ReceiverStart) =>
      ports.starts.save({ receiver: PAYROLL.name, generation: 1, connection: 'main' }, start),
    completeBaseline: (feed: FeedName) => completeBaseline(memory, feed),
  };
}

interface Fault {
  dieAt: number;
  refuseAt: number;
  /** Takes nothing. */
  brokenQueue: string | null;
}

type FeedName = 'pay-periods' | 'timesheets';

async function completeBaseline(memory: SnapshotStore, feed: FeedName): Promise<void> {
  const baseline = { from: DATE, to: DATE, startedAt: EARLIER, completedAt: EARLIER };
  await memory.saveFeedState({
    feed: { connection: 'main', feed },
    token: feed,
    state: { ...EMPTY_FEED_STATE, revision: 1, baseline },
    ...{ expectedRevision: null, events: null, eventsExpireAt: 0 },
  });
}

function createPorts(
  memory: SnapshotStore,
  {
    clock,
    fault,
    sent,
    lines,
  }: {
    readonly clock: { now: number };
    readonly fault: Readonly<Fault>;
    readonly sent: string[];
    readonly lines: OutcomeLine[];
  },
): StartPorts {
  let calls = 0;
  return {
    store: memory,
    starts: createMemoryStartStore(),
    publisherFor: (queueUrl) => ({
      publish: async (texts) => {
        calls += 1;
        if (calls === fault.dieAt) throw new Error('died');
        const limit = queueUrl === fault.brokenQueue ? 0 : fault.refuseAt;
        const taken = texts.slice(0, Math.max(0, limit - sent.length));
        sent.push(...taken);
        const unpublished = texts.map((_, position) => position).slice(taken.length);
        return { published: taken.length, unpublished, requests: 1 };
      },
    }),
    clock: { now: () => clock.now },
    sleep: async (milliseconds) => {
      clock.now += milliseconds;
    },
    telemetry: { report: (line) => void lines.push(line) },
  };
}
