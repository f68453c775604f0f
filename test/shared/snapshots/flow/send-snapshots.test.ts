import { describe, expect, test } from 'vitest';
import { fold, parseEvent } from 'workforce-change-notifier';
import {
  readSnapshotRequest,
  type SnapshotReport,
  type SnapshotRequestInput,
} from '#shared/config/requests/replay-request.ts';
import { toIso } from '#shared/core/dates.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { type SnapshotPorts, sendSnapshots } from '#shared/snapshots/flow/send-snapshots.ts';
import type { RecordSelection } from '#shared/snapshots/stored-records.ts';
import {
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
import { commitSlice } from '#test/support/stored-records.ts';

const [MONDAY, TUESDAY] = ['2026-03-02', '2026-03-03'];
const LATER_DATE = '2026-03-20';
const BAR = { id: '502_7', name: 'Bar' };
const ALL: SnapshotRequestInput = {
  kind: 'snapshot',
  connection: 'main',
  select: [{ feed: 'pay-periods' }, { feed: 'timesheets' }],
  queueUrl: 'https://sqs.example/payroll',
};
const IDS = Array.from({ length: 40 }, (_, index) => `${1_001 + index}_7`);

describe('snapshots', () => {
  test('are of every stored record, each once, with its position', async () => {
    const { run, sent } = await sending();
    const report = await run(ALL);
    expect(report).toMatchObject({ published: 43, done: true, unpublished: 0 });
    expect(report.matched).toEqual({
      'workforce.pay_period.snapshot': 1,
      'workforce.timesheet.snapshot': 42,
    });
    expect(sent.map(subjectOf).sort()).toEqual(['3_7', '88_7', '99_7', ...IDS].sort());
    expect(JSON.parse(sent.find((text) => subjectOf(text) === '1003_7') ?? '')).toMatchObject({
      epoch: toIso(EARLIER),
      sequence: 2,
      time: toIso(EARLIER),
      data: { timesheetId: '1003_7', current: { date: MONDAY, hoursToPay: 7.5 }, changed: [], late: [] },
    });
  });

  test('are a base for fold, as any receiver gets them', async () => {
    const { run, sent } = await sending();
    await run(ALL);
    for (const text of sent) {
      const parsed = parseEvent({ Body: text });
      if (parsed.outcome !== 'event') throw new Error(parsed.outcome);
      expect(fold(null, parsed.event as Parameters<typeof fold>[1]).outcome).toBe('applied');
    }
  });

  test('sent twice have the same bytes', async () => {
    const { run, sent } = await sending();
    await run(ALL);
    const first = sent.splice(0);
    await run(ALL);
    expect(sent).toEqual(first);
  });

  test('are counted without being sent', async () => {
    const { run, sent, clock } = await sending();
    expect(await run({ ...ALL, dryRun: true })).toMatchObject({ published: 0, done: true });
    expect([sent, clock.now]).toEqual([[], NOW]);
  });

  test('keep to the rate', async () => {
    const { run, clock } = await sending();
    await run({ ...ALL, perSecond: 2 });
    expect(clock.now - NOW).toBe((43 / 2) * 1_000);
  });

  test.each([
    ['dates', { feed: 'timesheets', from: TUESDAY, to: TUESDAY }, ['99_7']],
    ['a date on', { feed: 'timesheets', from: TUESDAY }, ['88_7', '99_7']],
    ['pay periods with a date', { feed: 'pay-periods', from: '2026-03-08' }, ['3_7']],
    ['pay periods with a later date', { feed: 'pay-periods', from: '2026-03-09' }, []],
    ['pay periods with an earlier date', { feed: 'pay-periods', to: '2026-03-01' }, []],
    ['ids, removed ones too', { feed: 'timesheets', ids: ['1002_7', '77_7', 'none'] }, ['1002_7', '77_7']],
  ] satisfies [string, RecordSelection, string[]][])(
    'are only of %s where that is asked',
    async (_, selection, subjects) => {
      const { run, sent } = await sending();
      await run({ ...ALL, select: [selection] });
      expect(sent.map(subjectOf).sort()).toEqual(subjects);
    },
  );

  test('leave out a record of which nothing was published yet, also by its id', async () => {
    const { memory, run, sent } = await sending();
    const untold = leafRow(timesheet({ id: '66_7', date: LATER_DATE }), { epoch: EARLIER, untold: true });
    await commitSlice(memory, TIMESHEETS, slice({ slice: LATER_DATE, rows: [untold] }));
    expect(await run({ ...ALL, select: [{ feed: 'timesheets', from: LATER_DATE }] })).toMatchObject({
      matched: { 'workforce.timesheet.snapshot': 1 },
    });
    await run({ ...ALL, select: [{ feed: 'timesheets', ids: ['66_7'] }] });
    expect(sent.map(subjectOf)).toEqual(['88_7']);
  });

  test('of a removed record say so', async () => {
    const { run, sent } = await sending();
    await run({ ...ALL, select: [{ feed: 'timesheets', ids: ['77_7'] }] });
    expect(JSON.parse(sent[0] ?? '')).toMatchObject({
      sequence: 9,
      data: { current: null, employeeId: null },
    });
  });

  test('are for those who subscribe to events of their records', async () => {
    const { run, sent } = await sending();
    const interest = {
      topics: ['clockings' as const],
      filter: { departmentId: [BAR.id], type: ['workforce.timesheet.clocked_in' as const], late: true },
    };
    expect(await run({ ...ALL, interest })).toMatchObject({ published: 1, done: true });
    expect(sent.map(subjectOf)).toEqual(['99_7']);
  });

  test('stop at the deadline, and go on without a gap', async () => {
    for (const perSecond of [0.5, 3, 7]) {
      const { run, sent } = await sending();
      const { invocations } = await goOn(run, { ...ALL, perSecond });
      expect(invocations).toBeGreaterThan(2);
      expect(sent).toHaveLength(43);
      expect(new Set(sent.map(subjectOf)).size).toBe(43);
    }
  });

  test('go on where the queue took no more', async () => {
    const { run, sent, refuse } = await sending();
    refuse.at = 12;
    const report = await run(ALL);
    expect(report).toMatchObject({ done: false });
    refuse.at = Number.POSITIVE_INFINITY;
    await run({ ...ALL, after: report.next });
    expect(new Set(sent.map(subjectOf)).size).toBe(43);
  });

  test('begin a slice again that has new leaves', async () => {
    const { run, sent, memory, afterHeads } = await sending();
    const grown = rowsOf(IDS, MONDAY);
    afterHeads.do = async () => {
      const plan = slice({ slice: MONDAY, rows: [...grown, ...rowsOf(['1099_7'], MONDAY)] });
      const leaves = plan.leaves.map((leaf) => ({ ...leaf, generation: '2-run' }));
      const old = plan.leaves.map(({ index }) => ({ slice: MONDAY, generation: '1-run', index }));
      await memory.deleteLeaves(TIMESHEETS, old);
      await commitSlice(memory, TIMESHEETS, { head: { ...plan.head, generation: '2-run' }, leaves });
    };
    expect(await run({ ...ALL, select: [{ feed: 'timesheets', to: MONDAY }] })).toMatchObject({ done: true });
    expect([...new Set(sent.map(subjectOf))].sort()).toEqual([...IDS, '1099_7'].sort());
  });

  test('report one line, without contents', async () => {
    const { run, lines } = await sending();
    await run(ALL);
    expect(lines).toEqual([
      {
        outcome: 'snapshots.sent',
        connection: 'main',
        dryRun: false,
        matched: 43,
        published: 43,
        unpublished: 0,
        done: true,
      },
    ]);
  });
});

type Run = (request: SnapshotRequestInput, timeMs?: number) => Promise<SnapshotReport>;

/** Invokes again until all is sent, with three seconds each. */
async function goOn(run: Run, request: SnapshotRequestInput) {
  let after: SnapshotReport['next'] = null;
  let invocations = 0;
  for (let done = false; !done; invocations += 1) {
    const report: SnapshotReport = await run({ ...request, after }, 3_000);
    ({ done, next: after } = report);
  }
  return { invocations };
}

/** A pay period, 40 timesheets on Monday, one on Tuesday that replaced a removed one, and one far away. */
async function sending() {
  const memory = createMemorySnapshotStore();
  const period = slice({ slice: WHOLE_LIST, rows: [leafRow(payPeriod())], feed: 'pay-periods' });
  await commitSlice(memory, PAY_PERIODS, period);
  const monday = slice({ slice: MONDAY, rows: rowsOf(IDS, MONDAY) });
  await commitSlice(memory, TIMESHEETS, monday);
  const other = leafRow(timesheet({ id: '99_7', date: TUESDAY, department: BAR }), { epoch: EARLIER });
  const tombstones = [{ id: '77_7', sequence: 9, epoch: EARLIER, removedAt: NOW }];
  await commitSlice(memory, TIMESHEETS, slice({ slice: TUESDAY, rows: [other], tombstones }));
  const afar = leafRow(timesheet({ id: '88_7', date: '2062-03-03' }), { epoch: EARLIER });
  await commitSlice(memory, TIMESHEETS, slice({ slice: DISTANT_SLICE, rows: [afar] }));
  return { memory, ...runOn(memory) };
}

function rowsOf(ids: readonly string[], date: string): LeafRow[] {
  return ids.map((id) => leafRow(timesheet({ id, date }), { sequence: 2, epoch: EARLIER }));
}

function runOn(memory: SnapshotStore) {
  const clock = { now: NOW };
  const sent: string[] = [];
  const lines: OutcomeLine[] = [];
  const refuse = { at: Number.POSITIVE_INFINITY };
  const afterHeads: { do: () => Promise<void> } = { do: async () => {} };
  const ports: SnapshotPorts = {
    store: {
      loadHeads: async (feed, from) => {
        const heads = await memory.loadHeads(feed, from);
        const once = afterHeads.do;
        afterHeads.do = async () => {};
        await once();
        return heads;
      },
      readLeaves: memory.readLeaves,
      loadFeedState: memory.loadFeedState,
      loadMembership: memory.loadMembership,
    },
    publisher: {
      publish: async (texts) => {
        const taken = texts.slice(0, Math.max(0, refuse.at - sent.length));
        sent.push(...taken);
        const unpublished = texts.map((_, position) => position).slice(taken.length);
        return { published: taken.length, unpublished, requests: 1 };
      },
    },
    clock: { now: () => clock.now },
    sleep: async (milliseconds) => {
      clock.now += milliseconds;
    },
    telemetry: { report: (line) => void lines.push(line) },
  };
  const run: Run = (request, timeMs = Number.POSITIVE_INFINITY) =>
    sendSnapshots({ request: readSnapshotRequest(request), deadline: clock.now + timeMs }, ports);
  return { run, sent, lines, clock, refuse, afterHeads };
}

function subjectOf(text: string): string {
  return (JSON.parse(text) as { subject: string }).subject;
}
