import { describe, expect, test } from 'vitest';
import { type Folded, foldAll, statementDigest, type TimesheetEvent } from 'workforce-change-notifier';
import { formatComparison, readFormerHours, readStoredPeriod } from '#cli/commands/reconcile.ts';
import {
  type Comparison,
  compareHoldings,
  isEqual,
  type StoredPeriod,
} from '#cli/reconcile/compare-holdings.ts';
import { type Holding, readHoldings } from '#cli/reconcile/read-holdings.ts';
import { toIso } from '#shared/core/dates.ts';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { history, STAMP } from '#test/shared/core/events/sample-events.ts';
import {
  EARLIER,
  hint,
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

const EPOCH = toIso(EARLIER);
const LATER = toIso(NOW);
const STORED: StoredPeriod = {
  timesheets: new Map(
    [
      { id: '1_7', epoch: EPOCH, sequence: 3, hoursToPay: 8 },
      { id: '2_7', epoch: EPOCH, sequence: 0, hoursToPay: 7.5 },
      { id: '3_7', epoch: LATER, sequence: 1, hoursToPay: 6 },
    ].map((each) => [each.id, each]),
  ),
  removed: new Map([['9_7', { epoch: EPOCH, sequence: 4 }]]),
};

describe('what a subscriber has', () => {
  test('is a line of JSON for each timesheet', () => {
    const text = `\ufeff{"id":"1_7","epoch":"${EPOCH}","sequence":3}\n\n{"id":"2_7","sequence":0,"hoursToPay":7.5,"more":1}\r\n`;
    expect([...readHoldings(text, 'mine.ndjson').values()]).toEqual([
      { id: '1_7', epoch: EPOCH, sequence: 3 },
      { id: '2_7', sequence: 0, hoursToPay: 7.5 },
    ]);
  });

  test.each([
    ['{"id":"1_7","sequence":1}\nnonsense', /^mine.ndjson: line 2: not JSON; a line is such as \{/],
    ['{"id":"1_7"}', /line 1: sequence: /],
    ['{"id":"1_7","sequence":1,"epoch":"yesterday"}', /line 1: epoch: /],
    ['{"id":"1_7","sequence":1}\n\n{"id":"1_7","sequence":2}', /line 3: "1_7" is there twice/],
    ['[]', /line 1: /],
    [Array.from({ length: 8 }, () => 'x').join('\n'), /line 5: not JSON; and 3 more; a line/],
  ])('is refused with the number of the line: %j', (text, message) => {
    expect(() => readHoldings(text, 'mine.ndjson')).toThrow(message);
  });
});

describe('the comparison', () => {
  test('of the same is equal, with one digest for both', () => {
    const comparison = compare([...STORED.timesheets.values()].map(({ hoursToPay: _, ...rest }) => rest));
    expect(comparison).toMatchObject({ equal: 3, hours: 0, hoursUnknown: 0 });
    expect(isEqual(comparison)).toBe(true);
    expect(comparison.digests.have).toBe(comparison.digests.stored);
  });

  test('names what is missing, behind, ahead and unknown, with the hours', () => {
    const comparison = compare([
      { id: '1_7', epoch: EPOCH, sequence: 2, hoursToPay: 7 },
      { id: '3_7', epoch: LATER, sequence: 2, hoursToPay: 6.5 },
      { id: '8_7', epoch: EPOCH, sequence: 1, hoursToPay: 1 },
      { id: '9_7', epoch: EPOCH, sequence: 3, hoursToPay: 4 },
    ]);
    const listed = (['missing', 'behind', 'ahead', 'unknown'] as const).map((kind) =>
      comparison[kind].map(({ id, hours }) => [id, hours]),
    );
    expect(listed).toEqual([
      [['2_7', 7.5]],
      [
        ['1_7', 1],
        ['9_7', -4],
      ],
      [['3_7', -0.5]],
      [['8_7', -1]],
    ]);
    expect(comparison.behind[1]).toEqual({
      id: '9_7',
      stored: { epoch: EPOCH, sequence: 4 },
      have: { epoch: EPOCH, sequence: 3 },
      hours: -4,
      removed: true,
    });
    expect(comparison).toMatchObject({ equal: 0, hours: 3, hoursUnknown: 0 });
    expect(comparison.digests.have).not.toBe(comparison.digests.stored);
  });

  test('of a later epoch is ahead, whatever the sequence', () => {
    expect(compare([{ id: '1_7', epoch: LATER, sequence: 1 }]).ahead.map(({ id }) => id)).toEqual(['1_7']);
    expect(compare([{ id: '3_7', epoch: EPOCH, sequence: 99 }]).behind.map(({ id }) => id)).toEqual(['3_7']);
  });

  test('finds other hours at the same position, where they are said', () => {
    const { contradicting, equal } = compare([{ id: '1_7', epoch: EPOCH, sequence: 3, hoursToPay: 9 }]);
    expect([contradicting.map(({ id, hours }) => [id, hours]), equal]).toEqual([[['1_7', -1]], 0]);
  });

  test('of everything they have is equal: what is of other periods is counted, and not compared', () => {
    const own = [...STORED.timesheets.values()];
    const others = [
      { id: '8_7', epoch: EPOCH, sequence: 1, hoursToPay: 1 },
      // On a date of another period now.
      { id: '9_7', epoch: EPOCH, sequence: 3, hoursToPay: 4 },
    ];
    const elsewhere = new Set(['8_7', '9_7', '1_7']);
    const comparison = compare([...own, ...others], { ...STORED, elsewhere });
    expect(comparison).toMatchObject({ equal: 3, elsewhere: ['8_7', '9_7'], hours: 0 });
    expect(isEqual(comparison)).toBe(true);
    expect(comparison.digests.have).toBe(comparison.digests.stored);
    const lines = formatComparison({ ...KNOWN, ...STORED }, comparison, 5);
    expect(lines.slice(-2)).toEqual(['equal', '2 of other periods, not compared']);
  });

  test('says where hours are not known, and has no digest then', () => {
    const comparison = compare([{ id: '1_7', epoch: EPOCH, sequence: 2 }]);
    expect(comparison).toMatchObject({ hoursUnknown: 1, digests: { have: null } });
    const lines = formatComparison({ ...KNOWN, ...STORED }, comparison, 1);
    expect(lines).toContain(
      'different: +13.5 h stored, against what you have, without 1 whose hours are not known',
    );
  });

  test('is printed with the first ids of each kind', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      id: `9${index}_7`,
      sequence: 1,
      hoursToPay: 0,
    }));
    const has = { id: '1_7', epoch: EPOCH, sequence: 2, hoursToPay: 7 };
    const lines = formatComparison(
      { ...KNOWN, ...STORED, unsure: ['5_7'], unread: ['2026-03-08'] },
      compare([has, ...many]),
      13,
    );
    expect(lines.slice(0, 2)).toEqual([
      'pay period 3_7 of main: Weekly 2026-03-02 to 2026-03-08',
      expect.stringMatching(/^stored {2}3 timesheets {3}21.5 h {2}digest [0-9a-f]{64}$/),
    ]);
    expect(lines).toContain('missing      2   +13.5 h  2_7, 3_7');
    expect(lines).toContain('behind       1   +1 h     1_7 (has 2, stored 3)');
    expect(lines.find((line) => line.startsWith('unknown'))).toMatch(/ 97_7 and 2 more; --json lists all$/);
    expect(lines.slice(-2)).toEqual([
      'left out: 1 timesheet whose pay period is not known yet',
      'never read completely: 1 of its dates, 2026-03-08 to 2026-03-08',
    ]);
  });
});

describe('the hours of an earlier event', () => {
  const [planned, approved, longer] = [
    timesheet({ hoursToPay: 7.5 }),
    timesheet({ hoursToPay: 7.5, approvedHours: STAMP }),
    timesheet({ hoursToPay: 9, approvedHours: STAMP }),
  ];

  test.each([
    [[planned, approved, longer], 0, 7.5],
    [[planned, approved, longer], 1, 7.5],
    [[planned, approved, longer], 2, 9],
    [[planned, longer], 0, 7.5],
    [[approved, timesheet({ hoursToPay: 3 })], 0, 7.5],
    [[planned, longer], 9, null],
  ])('are those of what happened since: case %#', async (states, sequence, hours) => {
    const [first, ...later] = states;
    const texts = history(first, ...later).map((event) => JSON.stringify(event));
    const log = {
      async *read() {
        yield { pointer: 'batch', committedAt: NOW, texts };
      },
    };
    const { epoch } = JSON.parse(texts[0] ?? '');
    const holding: Holding = { id: '1001_7', sequence, ...(epoch === undefined ? {} : { epoch }) };
    const find = await readFormerHours('main', new Map([['1001_7', holding]]), {
      log,
      range: { from: 0, to: NOW },
    });
    expect(find(holding, null)).toBe(hours);
    expect(find({ ...holding, epoch: LATER }, null)).toBeNull();
  });
});

describe('what is stored of a pay period', () => {
  test('is what a subscriber folds from its snapshots, to the digest', async () => {
    const rows = [
      leafRow(timesheet({ id: '1_7' }), { sequence: 4, epoch: EARLIER }),
      leafRow(timesheet({ id: '2_7', hoursToPay: 6 }), { epoch: EARLIER }),
      leafRow(timesheet({ id: '3_7' })),
    ];
    const period = await readStored(rows);
    const states = rows.map((row): [string, Folded<TimesheetEvent>] => {
      const event = JSON.parse(buildSnapshotEvent(TIMESHEETS, row, () => null)) as TimesheetEvent;
      return [row.id, foldAll(null, [event]).state];
    });
    const comparison = compareHoldings(holdingsOf(states), period, () => null);
    expect(comparison.digests.stored).toBe(statementDigest(states));
    expect(isEqual(comparison)).toBe(true);
    expect(period.unread).toHaveLength(6);
  });

  test('is without those of another calendar, or of which that is not known', async () => {
    const rows = ['1_7', '2_7', '3_7'].map((id, index) =>
      leafRow(timesheet({ id, employeeId: `${index}_7` })),
    );
    const period = await readStored(rows, {
      payPeriods: [hint(), hint({ id: '8_7', calendar: 'Monthly' })],
      calendars: { '0_7': 'Weekly', '1_7': 'Monthly' },
    });
    expect([[...period.timesheets.keys()], period.unsure]).toEqual([['1_7'], ['3_7']]);
  });
});

const KNOWN = {
  id: '3_7',
  connection: 'main',
  calendar: 'Weekly',
  startDate: '2026-03-02',
  finishDate: '2026-03-08',
  unsure: [],
  unread: [],
};

function compare(holdings: readonly Holding[], stored = STORED): Comparison {
  return compareHoldings(new Map(holdings.map((each) => [each.id, each])), stored, () => null);
}

function holdingsOf(states: readonly [string, Folded<TimesheetEvent>][]): Map<string, Holding> {
  const lines = states.map(([id, { epoch, sequence, current }]) =>
    JSON.stringify({ id, epoch, sequence, hoursToPay: current?.hoursToPay }),
  );
  return readHoldings(lines.join('\n'), 'mine.ndjson');
}

async function readStored(
  rows: readonly LeafRow[],
  {
    payPeriods = [],
    calendars = {},
  }: { payPeriods?: ReturnType<typeof hint>[]; calendars?: Record<string, string> } = {},
) {
  const store = createMemorySnapshotStore();
  const list = slice({ slice: WHOLE_LIST, rows: [leafRow(payPeriod())], feed: 'pay-periods' });
  await commitSlice(store, PAY_PERIODS, list);
  await commitSlice(store, TIMESHEETS, slice({ rows }));
  await store.saveFeedState({
    feed: PAY_PERIODS,
    token: 'state',
    state: { ...EMPTY_FEED_STATE, revision: 1, payPeriods },
    ...{ expectedRevision: null, events: null, eventsExpireAt: 0 },
  });
  const employees = Object.entries(calendars).map(([id, calendar]) => [
    id,
    { calendar, periodId: '3_7', askedAt: NOW },
  ]);
  await store.saveMembership?.('main', [{ index: 0, employees: Object.fromEntries(employees) }]);
  const period = await readStoredPeriod('3_7', 'main', store);
  if (period === null) throw new Error('no such period');
  return period;
}
