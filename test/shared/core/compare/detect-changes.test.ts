import { describe, expect, test } from 'vitest';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { takePage } from '#shared/core/fetch/scan.ts';
import {
  createChange,
  createEventContext,
  createScan,
  DATE,
  EARLIER,
  EPOCH,
  leafRow,
  NEXT_DATE,
  NOW,
  page,
  payPeriod,
  type SampleRecord,
  SECOND_MS,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { type ComparisonSetup, createFoundAnswer, runComparison } from './run-comparison.ts';

const STAMP = '2026-03-05T00:30:00.000Z';
const ASKED = { requestedAt: NOW + SECOND_MS, receivedAt: NOW + 2 * SECOND_MS };
const GONE: RemovalCheck = { outcome: 'gone', ...ASKED };
const approved = timesheet({ approvedHours: STAMP });
const onNextDate = timesheet({ date: NEXT_DATE });

describe('what was seen as it is known', () => {
  test('opens nothing: no leaf is read, no question asked, no change found', () => {
    const records = Array.from({ length: 100 }, (_, n) => timesheet({ id: `${n}_7` }));
    const compared = runComparison({ known: [knownSlice(records)], scan: createScan(records) });
    expect(compared.read).toEqual([]);
    expect(Object.values(compared.classified).flat()).toEqual([]);
    expect(compared.comparison).toEqual({ changes: [], unseen: new Map() });
  });

  test('says nothing about slices that were not scanned', () => {
    const other = knownSlice([timesheet({ id: '2_7', date: NEXT_DATE })], NEXT_DATE);
    const compared = runComparison({
      known: [knownSlice([timesheet()]), other],
      scan: createScan([timesheet()]),
    });
    expect([compared.read, compared.changes]).toEqual([[], []]);
  });

  test('says nothing about records of dates that were not asked for', () => {
    const compared = runComparison({
      known: [knownSlice([timesheet()])],
      scan: createScan([timesheet(), onNextDate]),
    });
    expect(compared.changes).toEqual([]);
  });
});

describe('a record that was seen', () => {
  test('in another state is a change from its last committed state', () => {
    const compared = runComparison({ known: [knownSlice([timesheet()])], scan: createScan([approved]) });
    expect(compared.changes).toEqual([createChange(timesheet(), approved)]);
  });

  test('for the first time, in a slice that was seen before, is new', () => {
    const compared = runComparison({ known: [knownSlice([])], scan: createScan([timesheet()]) });
    expect(compared.classified.unknownRecords).toHaveLength(1);
    expect(compared.changes).toEqual([createChange(null, timesheet(), { epoch: NOW })]);
  });

  test('in one slice and known in another has moved, also when the other was not scanned', () => {
    const expected = [createChange(timesheet(), onNextDate)];
    const known = [knownSlice([timesheet()]), knownSlice([], NEXT_DATE)];
    const unscanned = runComparison({ known, scan: createScan([onNextDate], { slices: [NEXT_DATE] }) });
    expect(unscanned.changes).toEqual(expected);
    const scanned = runComparison({ known, scan: createScan([onNextDate], { slices: [DATE, NEXT_DATE] }) });
    expect(scanned.changes).toEqual(expected);
    expect(scanned.classified.absent).toEqual([]);
  });

  test('on its date, and known afar just so, has moved', () => {
    const afar = slice({ slice: 'afar', rows: [leafRow(timesheet(), { sequence: 2 })] });
    const { changes } = runComparison({ known: [knownSlice([]), afar], scan: createScan([timesheet()]) });
    expect(changes).toMatchObject([{ rowSlice: 'afar', sequence: 2, after: { slice: DATE } }]);
  });

  test('twice in one scan counts as it came last', () => {
    const scan = createScan([timesheet({ hoursToPay: 1 })]);
    takePage(scan, page([approved]));
    expect(runComparison({ known: [knownSlice([timesheet()])], scan }).changes).toEqual([
      createChange(timesheet(), approved),
    ]);
  });

  test('in a slice that was never seen whole waits until it is', () => {
    const unseen = slice({ head: { baselinedAt: null, observedAt: null } });
    expect(
      runComparison({ known: [unseen], scan: createScan([timesheet()], { complete: false }) }).changes,
    ).toEqual([]);
    const moved = runComparison({
      known: [slice({ slice: NEXT_DATE, head: { baselinedAt: null } }), knownSlice([timesheet()])],
      scan: createScan([onNextDate], { slices: [NEXT_DATE] }),
    });
    expect(moved.changes).toEqual([createChange(timesheet(), onNextDate)]);
  });

  test('of which nothing was published yet is published from its beginning', () => {
    const untold = slice({ rows: [leafRow(timesheet(), { untold: true })] });
    const { changes } = runComparison({ known: [untold], scan: createScan([approved]) });
    expect(changes).toEqual([
      createChange(null, approved, { rowSlice: DATE, observed: { after: null, by: NOW } }),
    ]);
    expect(changes.flatMap((change) => toEvents(change, createEventContext()).types)).toEqual([
      'timesheet.created',
      'timesheet.approved',
    ]);
  });

  test('after it had been removed goes on with its sequence', () => {
    const tombstones = [{ id: '1001_7', epoch: EPOCH, sequence: 6, removedAt: EARLIER - SECOND_MS }];
    const expected = createChange(null, timesheet(), { sequence: 6, tombstoneSlice: DATE });
    expect(
      runComparison({ known: [slice({ tombstones })], scan: createScan([timesheet()]) }).changes,
    ).toEqual([expected]);
    const elsewhere = slice({ slice: NEXT_DATE, tombstones });
    expect(
      runComparison({ known: [knownSlice([]), elsewhere], scan: createScan([timesheet()]) }).changes,
    ).toEqual([{ ...expected, tombstoneSlice: NEXT_DATE }]);
  });

  test('of the list of pay periods is compared like any other', () => {
    const known = slice({ slice: 'all', feed: 'pay-periods', rows: [leafRow(payPeriod(), { sequence: 2 })] });
    const scan = createScan([payPeriod({ closed: '2026-03-05' })], { slices: ['all'], feed: 'pay-periods' });
    expect(runComparison({ known: [known], scan }).changes).toEqual([
      createChange(payPeriod(), payPeriod({ closed: '2026-03-05' })),
    ]);
  });
});

describe('a record that a complete scan did not see', () => {
  const known = [knownSlice([timesheet()]), knownSlice([], NEXT_DATE)];

  test('is asked for, and nothing is said of it before there is an answer', () => {
    const compared = runComparison({ known, scan: createScan([]) });
    expect(compared.classified.absent.map(({ slice: date, row }) => [date, row.id])).toEqual([
      [DATE, '1001_7'],
    ]);
    expect(compared.changes).toEqual([]);
  });

  test('is removed when it answers 404', () => {
    expect(runComparison({ known, scan: createScan([]), answers: { '1001_7': GONE } }).changes).toEqual([
      createChange(timesheet(), null, {
        observed: { after: EARLIER, by: ASKED.receivedAt },
        seenAt: ASKED.requestedAt,
      }),
    ]);
  });

  test('is as it was when the source still has it', () => {
    const { changes } = runComparison({ known, scan: createScan([]), answers: found(timesheet()) });
    const unlisted = { asks: 1, askedAt: ASKED.requestedAt };
    expect(changes).toMatchObject([{ id: '1001_7', silent: true, rewritten: { unlisted, sequence: 2 } }]);
  });

  test('has changed when the source has it in another state', () => {
    expect(runComparison({ known, scan: createScan([]), answers: found(approved) }).changes).toEqual([
      {
        ...createChange(timesheet(), approved, seenAsAsked()),
        unlisted: { asks: 1, askedAt: ASKED.requestedAt },
      },
    ]);
  });

  test('has moved when the source has it on another date', () => {
    const moved = [createChange(timesheet(), onNextDate, seenAsAsked())];
    expect(runComparison({ known, scan: createScan([]), answers: found(onNextDate) }).changes).toEqual(moved);
    const [only] = known;
    expect(
      runComparison({ known: only ? [only] : [], scan: createScan([]), answers: found(onNextDate) }).changes,
    ).toEqual(moved);
  });

  test('is only tidied away when it is known where the source has it', () => {
    const both = [knownSlice([timesheet()]), knownSlice([onNextDate], NEXT_DATE)];
    const { changes } = runComparison({ known: both, scan: createScan([]), answers: found(onNextDate) });
    expect(changes).toMatchObject([{ id: '1001_7', rowSlice: DATE, after: null, silent: true }]);
  });

  test('is not asked for when the scan is incomplete, which may still report changes', () => {
    const both = [knownSlice([timesheet(), timesheet({ id: '2_7' })])];
    const scan = createScan([timesheet({ id: '2_7', hoursToPay: 8 })], { complete: false });
    const compared = runComparison({ known: both, scan, answers: { '1001_7': GONE } });
    expect(compared.classified.absent).toEqual([]);
    expect(compared.changes.map(({ id, after }) => [id, after === null])).toEqual([['2_7', false]]);
  });
});

describe('a record that its list left out', () => {
  const unlisted = { asks: 2, askedAt: EARLIER };

  test('is in it again, without an event', () => {
    const known = slice({ rows: [leafRow(timesheet(), { unlisted }), leafRow(timesheet({ id: '2_7' }))] });
    const scan = createScan([timesheet(), timesheet({ id: '2_7', approvedHours: STAMP })]);
    const { changes } = runComparison({ known: [known], scan });
    expect(changes).toMatchObject([
      { id: '1001_7', silent: true, rewritten: leafRow(timesheet(), { seenAt: NOW - SECOND_MS }) },
      { id: '2_7' },
    ]);
    expect(changes[0]?.rewritten).not.toHaveProperty('unlisted');
  });
});

test('a pay period that comes back brings the closing that was told of it', () => {
  const closing = { closed: '2026-03-05' };
  const changeOf = (tombstone: object) => {
    const tombstones = [{ id: '3_7', epoch: EPOCH, sequence: 3, removedAt: EARLIER, ...tombstone }];
    const known = slice({ slice: 'all', feed: 'pay-periods', tombstones });
    const scan = createScan([payPeriod()], { slices: ['all'], feed: 'pay-periods' });
    return runComparison({ known: [known], scan }).changes[0];
  };
  expect(changeOf({ closing })).toMatchObject({ sequence: 3, closing });
  expect(changeOf({})).not.toHaveProperty('closing');
});

describe('a record that does not fit', () => {
  const bad = timesheet({ hoursToPay: 'CANARY' });

  test('stays as it is known; the others flow', () => {
    const known = [knownSlice([timesheet(), timesheet({ id: '2_7' })])];
    const other = timesheet({ id: '2_7', approvedHours: STAMP });
    const compared = runComparison({ known, scan: createScan([bad, other]), answers: { '1001_7': GONE } });
    expect(compared.classified.bad).toEqual([{ id: '1001_7', slice: DATE, issues: ['hoursToPay'] }]);
    expect(compared.classified.undecided.map(({ row }) => row.id)).toEqual(['1001_7']);
    expect(compared.classified.absent).toEqual([]);
    expect(compared.changes.map(({ id }) => id)).toEqual(['2_7']);
    expect(JSON.stringify(compared.classified.bad)).not.toContain('CANARY');
  });

  test('and is known just so is not looked at beside one that changed', () => {
    const known = [knownSlice([bad, timesheet({ id: '2_7' })])];
    const compared = runComparison({
      known,
      scan: createScan([bad, timesheet({ id: '2_7', approvedHours: STAMP })]),
    });
    expect(compared.classified.bad).toEqual([]);
    expect(compared.changes.map(({ id }) => id)).toEqual(['2_7']);
  });

  test('and has no date is neither absent nor changed', () => {
    const scan = createScan([timesheet({ date: null })]);
    const compared = runComparison({ known: [knownSlice([timesheet()])], scan });
    expect(scan.unplaced).toEqual([{ id: '1001_7', issues: ['date'], kind: 'null' }]);
    expect(compared.classified.undecided.map(({ row }) => row.id)).toEqual(['1001_7']);
    expect([compared.classified.absent, compared.changes]).toEqual([[], []]);
  });

  test('where it moved to stays where it is known', () => {
    const known = [knownSlice([timesheet()]), knownSlice([], NEXT_DATE)];
    const scan = createScan([{ ...bad, date: NEXT_DATE }], { slices: [DATE, NEXT_DATE] });
    const compared = runComparison({ known, scan });
    expect(compared.classified.undecided.map(({ slice: date }) => date)).toEqual([DATE]);
    expect([compared.classified.absent, compared.classified.stale, compared.changes]).toEqual([[], [], []]);
  });

  test.each([null, 'text', 7, [], {}, { id: '' }, { id: 7 }, { id: 'x'.repeat(101) }])(
    'and has no id is counted: %j',
    (record) => {
      const scan = createScan([record, timesheet()]);
      expect(scan.unplaced).toMatchObject([{ id: null, issues: ['id'] }]);
      expect(runComparison({ known: [knownSlice([timesheet()])], scan }).changes).toEqual([]);
    },
  );
});

function knownSlice(records: readonly SampleRecord[], date = DATE): ComparisonSetup['known'][number] {
  return slice({ slice: date, rows: records.map((record) => leafRow(record, { sequence: 2 })) });
}

function found(record: SampleRecord): Record<string, RemovalCheck> {
  return { [record.id]: createFoundAnswer(record, createScan([]), ASKED) };
}

function seenAsAsked() {
  return { observed: { after: EARLIER, by: ASKED.receivedAt }, seenAt: ASKED.requestedAt };
}
