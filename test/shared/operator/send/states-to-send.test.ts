import { describe, expect, test } from 'vitest';
import { fold, parseEvent } from 'workforce-change-notifier';
import { toIso } from '#shared/core/dates.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { RecordSelection } from '#shared/flow/stored-records.ts';
import { readStates } from '#shared/operator/send/events-to-send.ts';
import type { Interest } from '#shared/systems/filter.ts';
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
const ALL: readonly RecordSelection[] = [{ feed: 'pay-periods' }, { feed: 'timesheets' }];
const IDS = Array.from({ length: 40 }, (_, index) => `${1_001 + index}_7`);

describe('states', () => {
  test('are of every stored record, each once, with its position', async () => {
    const texts = await (await stored()).read(ALL);
    expect(texts.map(subjectOf).sort()).toEqual(['3_7', '88_7', '99_7', ...IDS].sort());
    expect(JSON.parse(texts.find((text) => subjectOf(text) === '1003_7') ?? '')).toMatchObject({
      type: 'workforce.timesheet.snapshot',
      epoch: toIso(EARLIER),
      sequence: 2,
      time: toIso(EARLIER),
      data: { timesheetId: '1003_7', current: { date: MONDAY, hoursToPay: 7.5 }, changed: [], late: [] },
    });
  });

  test('are a base for fold, as any receiver gets them', async () => {
    for (const text of await (await stored()).read(ALL)) {
      const parsed = parseEvent({ Body: text });
      if (parsed.outcome !== 'event') throw new Error(parsed.outcome);
      expect(fold(null, parsed.event as Parameters<typeof fold>[1]).outcome).toBe('applied');
    }
  });

  test('read twice have the same bytes', async () => {
    const { read } = await stored();
    expect(await read(ALL)).toEqual(await read(ALL));
  });

  test('are of records named by their ids where that is asked, removed ones too', async () => {
    const texts = await (await stored()).read([{ feed: 'timesheets', ids: ['1002_7', '77_7', 'none'] }]);
    expect(texts.map(subjectOf).sort()).toEqual(['1002_7', '77_7']);
    expect(JSON.parse(texts.find((text) => subjectOf(text) === '77_7') ?? '')).toMatchObject({
      sequence: 9,
      data: { current: null, employeeId: null },
    });
  });

  test('leave out a record of which nothing was published yet, also by its id', async () => {
    const { memory, read } = await stored();
    const untold = leafRow(timesheet({ id: '66_7', date: LATER_DATE }), { epoch: EARLIER, untold: true });
    await commitSlice(memory, TIMESHEETS, slice({ slice: LATER_DATE, rows: [untold] }));
    expect((await read([{ feed: 'timesheets' }])).map(subjectOf)).not.toContain('66_7');
    expect(await read([{ feed: 'timesheets', ids: ['66_7'] }])).toEqual([]);
  });

  test('are for those who subscribe to events of their records', async () => {
    const interest: Interest = {
      topics: ['clockings'],
      filter: { departmentId: [BAR.id], type: ['workforce.timesheet.clocked_in'], late: true },
    };
    expect((await (await stored()).read(ALL, interest)).map(subjectOf)).toEqual(['99_7']);
  });

  test('of a slice begin again that gets new leaves meanwhile', async () => {
    const { read, memory, afterHeads } = await stored();
    const grown = rowsOf(IDS, MONDAY);
    afterHeads.do = async () => {
      const plan = slice({ slice: MONDAY, rows: [...grown, ...rowsOf(['1099_7'], MONDAY)] });
      const leaves = plan.leaves.map((leaf) => ({ ...leaf, generation: '2-run' }));
      const old = plan.leaves.map(({ index }) => ({ slice: MONDAY, generation: '1-run', index }));
      await memory.deleteLeaves(TIMESHEETS, old);
      await commitSlice(memory, TIMESHEETS, { head: { ...plan.head, generation: '2-run' }, leaves });
    };
    const subjects = (await read([{ feed: 'timesheets' }])).map(subjectOf);
    expect([...new Set(subjects)].sort()).toEqual([...IDS, '1099_7', '88_7', '99_7'].sort());
  });
});

/** A pay period, 40 timesheets on Monday, one on Tuesday that replaced a removed one, and one far away. */
async function stored() {
  const memory = createMemorySnapshotStore();
  const period = slice({ slice: WHOLE_LIST, rows: [leafRow(payPeriod())], feed: 'pay-periods' });
  await commitSlice(memory, PAY_PERIODS, period);
  await commitSlice(memory, TIMESHEETS, slice({ slice: MONDAY, rows: rowsOf(IDS, MONDAY) }));
  const other = leafRow(timesheet({ id: '99_7', date: TUESDAY, department: BAR }), { epoch: EARLIER });
  const tombstones = [{ id: '77_7', sequence: 9, epoch: EARLIER, removedAt: NOW }];
  await commitSlice(memory, TIMESHEETS, slice({ slice: TUESDAY, rows: [other], tombstones }));
  const afar = leafRow(timesheet({ id: '88_7', date: '2062-03-03' }), { epoch: EARLIER });
  await commitSlice(memory, TIMESHEETS, slice({ slice: DISTANT_SLICE, rows: [afar] }));
  const afterHeads: { do: () => Promise<void> } = { do: async () => {} };
  const store = {
    ...memory,
    loadHeads: async (...[feed, from]: Parameters<typeof memory.loadHeads>) => {
      const heads = await memory.loadHeads(feed, from);
      const once = afterHeads.do;
      afterHeads.do = async () => {};
      await once();
      return heads;
    },
  };
  const read = async (select: readonly RecordSelection[], interest?: Interest) => {
    const events = await Array.fromAsync(readStates('main', { select, interest }, store));
    return events.map(({ text }) => text);
  };
  return { memory, read, afterHeads };
}

function rowsOf(ids: readonly string[], date: string): LeafRow[] {
  return ids.map((id) => leafRow(timesheet({ id, date }), { sequence: 2, epoch: EARLIER }));
}

function subjectOf(text: string): string {
  return (JSON.parse(text) as { subject: string }).subject;
}
