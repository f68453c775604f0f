import { describe, expect, test } from 'vitest';
import { type Absence, addFound, type Difference } from '#shared/core/compare/compare.ts';
import {
  type BucketChanges,
  type ChangeRules,
  findFirstReason,
  toChanges,
  type UnknownMode,
} from '#shared/core/compare/to-changes.ts';
import type { Change } from '#shared/core/events/events.ts';
import type { Look } from '#shared/core/look/look.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { RowMemory, StoredRow } from '#shared/core/snapshot/row.ts';
import { differ, headOf, lookAt, rowsOf, sheets, TIMESHEET } from '#test/shared/core/slices.ts';
import {
  DATE,
  EARLIER,
  NOW,
  type SampleRecord,
  storedRow,
  textOf,
  timesheet,
} from '#test/support/builders.ts';

const BAD = { hoursToPay: 'seven' };
const APPROVED = { approvedHours: '2026-03-05T00:30:00.000Z' };
const OBSERVED = { after: EARLIER, by: NOW };

interface Situation {
  readonly rows?: readonly StoredRow[];
  readonly seen?: readonly SampleRecord[];
  /** What became of 1001_7, which was asked for by id. */
  readonly answer?: Absence;
  readonly rules?: Partial<ChangeRules>;
  readonly held?: readonly string[];
  readonly movedIn?: Difference['movedIn'];
  readonly problem?: Look['problem'];
}

function change({
  rows = [],
  seen = [],
  answer,
  rules,
  held = [],
  movedIn = [],
  problem = null,
}: Situation): BucketChanges {
  const look = lookAt(seen, { problem });
  const answers = new Map(answer === undefined ? [] : [['1001_7', answer]]);
  const [difference] = differ(look, headOf(rows, 1), rows);
  if (difference === undefined) return { changes: [], rows: [] };
  const all: ChangeRules = {
    ...{
      definition: TIMESHEET,
      mode: 'created',
      observed: OBSERVED,
      clock: NOW + 1,
      unknownAfter: OBSERVED.after,
    },
    ...{ absences: null, memory: new Map(), waiting: new Map() },
    ...rules,
  };
  const whole = addFound({ ...difference, movedIn }, answers, { look, definition: TIMESHEET });
  return toChanges(whole, answers, all, new Set(held));
}

const GONE: Absence = { outcome: 'gone', at: NOW + 9 };

/** It answers by id, with these values. */
function found(values: SourceRecord, slice: string = DATE): Absence {
  return { outcome: 'found', at: NOW + 9, slice, text: textOf(timesheet(values)), issues: [] };
}

/** What becomes of records: those that are told, and those that are only stored. */
function say({ changes, rows }: BucketChanges): string {
  const tell = ({ id, before, text, observed }: Change) => {
    const verb = before === null ? 'create' : text === null ? 'remove' : 'change';
    return `${verb} ${id}${observed.after === null ? ' since ever' : ''}`;
  };
  const store = ({ id, text, bad }: StoredRow) =>
    `store ${bad === undefined ? '' : 'bad '}${text === null ? 'stub ' : ''}${id}`;
  return [...changes.map(tell), ...rows.map(store)].join(', ');
}

test.each<[UnknownMode, SourceRecord, string]>([
  ['baseline', APPROVED, 'store 1_7'],
  ['created', {}, 'create 1_7'],
  ['brought_by_time', {}, 'store 1_7'],
  ['brought_by_time', APPROVED, 'create 1_7 since ever'],
  ['baseline_open', APPROVED, ''],
  ['baseline', BAD, 'store bad stub 1_7'],
  ['created', BAD, 'store bad stub 1_7'],
  ['brought_by_time', BAD, 'store bad stub 1_7'],
  ['baseline_open', BAD, ''],
])('an unknown record, where such are %s: %j', (mode, values, expected) => {
  expect(say(change({ seen: [timesheet({ id: '1_7', ...values })], rules: { mode } }))).toBe(expected);
});

test('a date is brought by time when no poll of the baseline could reach it', () => {
  const window = { backDays: 1, forwardDays: 2 };
  const reasons = ['2026-03-07', '2026-03-08'].map((date) =>
    findFirstReason(date, NOW, { timeZone: 'UTC', window }),
  );
  expect(reasons).toEqual(['baseline', 'brought_by_time']);
});

test('what is stored of a new record begins with the clock, without events', () => {
  const { rows } = change({ seen: [timesheet()], rules: { mode: 'baseline' } });
  expect(rows).toEqual([storedRow(timesheet(), { epoch: NOW + 1 })]);
});

describe('a record that was never readable', () => {
  const bad = (isOld: boolean) => ({
    text: textOf(timesheet(BAD)),
    issues: ['x'],
    ...(isOld ? { isOld } : {}),
  });
  const stub = (isOld: boolean) =>
    storedRow(timesheet(), { text: null, bad: bad(isOld) as StoredRow['bad'] & {} });

  test.each<[UnknownMode, boolean]>([
    ['created', false],
    ['baseline', true],
    ['brought_by_time', true],
  ])('remembers whether it was there before, where unknown ones are %s', (mode, isOld) => {
    const [row] = change({ seen: [timesheet(BAD)], rules: { mode } }).rows;
    expect(row?.bad?.isOld === true).toBe(isOld);
    const eight = { hoursToPay: 'eight' };
    for (const shown of [{ seen: [timesheet(eight)] }, { answer: found(eight) }]) {
      const [again] = change({ rows: [stub(isOld)], ...shown }).rows;
      expect(again?.bad?.isOld === true).toBe(isOld);
    }
  });

  test.each<[string, boolean, SourceRecord, string]>([
    ['is created once it is readable', false, {}, 'create 1001_7'],
    ['is known once it is readable, when it was there before', true, {}, 'store 1001_7'],
    ['or created, when something has happened to it', true, APPROVED, 'create 1001_7 since ever'],
    ['stays as it is while it is as bad', false, BAD, ''],
  ])('%s, shown by the list or by id', (_, isOld, values, expected) => {
    for (const mode of ['created', 'baseline_open'] as const)
      for (const shown of [{ seen: [timesheet(values)] }, { answer: found(values) }])
        expect(say(change({ rows: [stub(isOld)], ...shown, rules: { mode } }))).toBe(expected);
  });
});

describe('a known record', () => {
  const row = storedRow(timesheet(), { sequence: 4, memory: { remindedAt: 7 } });

  test('that changed is told from its row, between the two looks', () => {
    const { changes, rows } = change({ rows: [row], seen: [timesheet(APPROVED)] });
    expect(changes).toEqual([
      { id: '1001_7', before: row, text: textOf(timesheet(APPROVED)), observed: OBSERVED },
    ]);
    expect(rows).toEqual([]);
  });

  test('that is held stays as it is stored', () => {
    expect(say(change({ rows: [row], seen: [timesheet(APPROVED)], held: ['1001_7'] }))).toBe('');
  });

  test('that cannot be read keeps its state, and is readable again without news', () => {
    const { rows, changes } = change({ rows: [row], seen: [timesheet(BAD)] });
    expect([rows, changes]).toEqual([
      [{ ...row, bad: { text: textOf(timesheet(BAD)), issues: ['hoursToPay'] } }],
      [],
    ]);
    expect(change({ rows, seen: [timesheet()] })).toEqual({ changes: [], rows: [row] });
    expect(say(change({ rows, seen: [timesheet(APPROVED)] }))).toBe('change 1001_7');
  });

  test('that came from another date is told where it moves, not here', () => {
    const moved = { row: storedRow(timesheet({ date: '2026-03-04' })), text: textOf(timesheet()) };
    expect(say(change({ seen: [timesheet()], movedIn: [moved] }))).toBe('');
  });

  test('that waited was last seen as it is stored before it began to', () => {
    const waiting = new Map([['1001_7', 5]]);
    const [told] = change({ rows: [row], seen: [timesheet(APPROVED)], rules: { waiting } }).changes;
    expect(told?.observed).toEqual({ after: 5, by: NOW });
  });

  test('gets the memory that is given', () => {
    const memory = new Map<string, RowMemory>([['1001_7', { closedBetween: { after: null, by: 9 } }]]);
    const [told] = change({ rows: [row], seen: [timesheet(APPROVED)], rules: { memory } }).changes;
    expect(told?.memory).toEqual({ closedBetween: { after: null, by: 9 } });
  });
});

describe('an absent record', () => {
  const [row] = rowsOf([timesheet()]);
  test.each<[string, Absence, string]>([
    ['that could not be asked for stays', { outcome: 'unknown' }, ''],
    ['that is gone is removed', GONE, 'remove 1001_7'],
    ['that answers as it was stays', found({}), ''],
    ['that answers otherwise changes', found(APPROVED), 'change 1001_7'],
    ['that answers on another date moves, and stays until then', found(APPROVED, '2026-03-04'), ''],
    ['that answers with what cannot be read is bad', found(BAD), 'store bad 1001_7'],
  ])('%s', (_, answer, expected) => {
    const result = change({ rows: [row as StoredRow], answer });
    expect(say(result)).toBe(expected);
    // Seen when it was asked for.
    for (const { observed } of result.changes) expect(observed).toEqual({ after: EARLIER, by: NOW + 9 });
  });
});

test('an absent record stays while nobody asked for it, and none is absent from half a look', () => {
  const rows = rowsOf([timesheet()]);
  expect(say(change({ rows }))).toBe('');
  expect(say(change({ rows, answer: GONE, problem: 'drifted' }))).toBe('');
});

test('an absent record that was bad is readable again once it answers as it is stored', () => {
  const rows = rowsOf([timesheet()], { bad: { text: textOf(timesheet(BAD)), issues: ['hoursToPay'] } });
  expect(say(change({ rows, answer: found({}) }))).toBe('store 1001_7');
  expect(say(change({ rows, answer: found(BAD) }))).toBe('');
});

describe('where missing clockings are told', () => {
  const DUE = Date.parse('2026-03-04T20:15:00.000Z');
  const rules = { clockInMs: 15 * 60_000, clockOutMs: undefined, timeZone: 'UTC' };
  const at = (instant: number): Partial<ChangeRules> => ({ absences: { rules, at: instant } });
  const missing = { missing: { clockIn: DUE } };
  const [here, other] = sheets(['1_7', '2_7']);
  const [hereRow, otherRow] = rowsOf([here, other] as SampleRecord[]) as [StoredRow, StoredRow];

  test('a row that was only read beside another one tells what became due since it was seen', () => {
    const edited = { ...here, hoursToPay: 8 } as SampleRecord;
    const look = { rows: [hereRow, otherRow], seen: [edited, other as SampleRecord] };
    const since = { ...at(DUE), observed: { after: DUE - 1, by: NOW } };
    const { changes } = change({ ...look, rules: since });
    expect(say(change({ ...look, rules: { ...since, observed: { after: DUE, by: NOW } } }))).toBe(
      'change 1_7',
    );
    expect(changes.map(({ id, memory, text }) => [id, memory, text === otherRow.text])).toEqual([
      ['1_7', missing, false],
      ['2_7', missing, true],
    ]);
    expect(say(change({ ...look, rules: at(DUE - 1) }))).toBe('change 1_7');
    const bad = { text: textOf(timesheet({ id: '2_7', ...BAD })), issues: ['hoursToPay'] };
    const unreadable = {
      rows: [hereRow, { ...otherRow, bad }],
      seen: [edited, timesheet({ id: '2_7', ...BAD })],
    };
    expect(say(change({ ...unreadable, rules: since }))).toBe('change 1_7');
    const told = [hereRow, { ...otherRow, memory: missing }];
    expect(say(change({ ...look, rows: told, rules: since }))).toBe('change 1_7');
  });

  test('the row remembers it beside what else it does, until the clocking ends it', () => {
    const edited = { rows: [{ ...hereRow, memory: { remindedAt: 7 } }], seen: [{ ...here, hoursToPay: 8 }] };
    const [begun] = change({ ...edited, rules: at(DUE) } as Situation).changes;
    const memory = { ...missing, remindedAt: 7 };
    expect(begun?.memory).toEqual(memory);
    const clockIn = { id: '7_7', localTime: null, variance: 0, kiosk: true, beacon: false };
    const [told] = change({
      rows: [{ ...hereRow, memory }],
      seen: [{ ...here, clockIn } as SampleRecord],
      rules: at(DUE),
    }).changes;
    expect(told?.memory).toEqual({ remindedAt: 7 });
  });

  test('what is missing when its date is read first is known, and not told', () => {
    const first = (values: Partial<ChangeRules>) => change({ seen: [here as SampleRecord], rules: values });
    expect(first({ ...at(DUE), mode: 'baseline' })).toMatchObject({
      changes: [],
      rows: [{ memory: missing }],
    });
    for (const values of [
      { ...at(DUE - 1), mode: 'baseline' },
      { ...at(DUE), mode: 'brought_by_time' },
    ] as const)
      expect(first(values).rows[0]).not.toHaveProperty('memory');
    expect(first(at(DUE)).changes).toMatchObject([{ before: null, memory: missing }]);
  });
});
