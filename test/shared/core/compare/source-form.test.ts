import { describe, expect, test } from 'vitest';
import {
  checkForm,
  describeFormChange,
  type FormChange,
  type FormReport,
  markIncomplete,
  selectQuarantined,
  updateForm,
} from '#shared/core/compare/source-form.ts';
import { beginScan, type Scan } from '#shared/core/fetch/scan.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import {
  clocking,
  createScan,
  createSnapshot,
  DATE,
  detail,
  leafRow,
  MINUTE_MS,
  NEXT_DATE,
  NOW,
  payPeriod,
  slice,
  timesheet,
} from '#test/support/builders.ts';

const BOTH_DATES = { slices: [DATE, NEXT_DATE] };

test('what was good and what was bad is so again when it comes again', () => {
  const records = [timesheet({ id: '1_7' }), timesheet({ id: '2_7', hoursToPay: 'eight' })];
  for (let time = 0; time < 3; time += 1) {
    const { invalid } = checkForm(createScan(records), new Map());
    expect([...invalid.values()].map(({ id, issues }) => [id, issues])).toEqual([['2_7', ['hoursToPay']]]);
  }
});

test('a record that was good is checked again when it has changed', () => {
  const check = (hoursToPay: unknown) =>
    checkForm(createScan([timesheet({ id: '3_7', hoursToPay })]), new Map()).invalid.size;
  expect([check(8), check('8'), check(8), check(null)]).toEqual([0, 1, 0, 1]);
});

describe('records are checked', () => {
  const good = timesheet({ id: '1_7' });
  const bad = timesheet({ id: '2_7', hoursToPay: 'eight' });
  const known = createSnapshot(slice({ rows: [leafRow(good), leafRow(bad)] })).heads;

  test('where their leaf differs, also by a scan that is not complete', () => {
    const changed = [{ ...good, hoursToPay: 'nine' }, bad];
    expect([...checkForm(createScan(changed), known).invalid.keys()]).toEqual(['1_7', '2_7']);
    expect(checkForm(createScan(changed, { complete: false }), known).invalid.size).toBe(2);
  });

  test('not where they are as they are known', () => {
    expect(checkForm(createScan([good, bad]), known).invalid.size).toBe(0);
  });

  test('where their slice has no baseline, once they can enter one', () => {
    const { head } = slice({ rows: [leafRow(good), leafRow(bad)], head: { baselinedAt: null } });
    for (const heads of [new Map(), new Map([[DATE, head]])]) {
      expect(checkForm(createScan([good, bad]), heads).invalid.size).toBe(1);
      expect(checkForm(createScan([good, bad], { complete: false }), heads).invalid.size).toBe(0);
    }
  });
});

describe('bad records', () => {
  test.each<{ bad: number; good: number; unplaced?: number; is: string }>([
    { bad: 10, good: 0, is: 'quarantined' },
    { bad: 11, good: 0, is: 'a change of form' },
    { bad: 11, good: 1_088, is: 'a change of form' },
    { bad: 11, good: 1_089, is: 'quarantined' },
    { bad: 6, good: 0, unplaced: 4, is: 'quarantined' },
    { bad: 6, good: 0, unplaced: 5, is: 'a change of form' },
    { bad: 6, good: 1_089, unplaced: 5, is: 'quarantined' },
  ])('$bad beside $good good ones are $is (without a date: $unplaced)', ({ bad, good, unplaced = 0, is }) => {
    const { invalid, change } = checkForm(createScan(sheets({ bad, good, unplaced })), new Map());
    expect(invalid.size).toBe(bad);
    expect(change).toEqual(
      is === 'quarantined'
        ? null
        : expect.objectContaining({ bad: bad + unplaced, records: bad + good + unplaced }),
    );
  });

  test('name their slices', () => {
    const records = sheets({ bad: 11 }).map((record, n) => (n < 5 ? { ...record, date: NEXT_DATE } : record));
    const good = timesheet({ id: '9_7', date: '2026-03-07' });
    const scan = createScan([...records, good], { slices: [DATE, NEXT_DATE, '2026-03-07'] });
    expect(checkForm(scan, new Map()).change?.slices.toSorted()).toEqual([DATE, NEXT_DATE]);
  });

  test.each([1, 2])('name all slices of the scan when %i of them have none', (unplaced) => {
    const scan = createScan(sheets({ bad: 11, unplaced }), BOTH_DATES);
    expect(checkForm(scan, new Map()).change?.slices).toEqual([DATE, NEXT_DATE]);
  });
});

describe('a change of form', () => {
  test('names fields, and kinds of their values, never the values', () => {
    const values: SourceRecord[] = [
      { hoursToPay: 'CANARY' },
      { hoursToPay: ['CANARY'] },
      { hoursToPay: 'again' },
      { hoursToPay: undefined },
      { clockIn: clocking({ localTime: 7 }) },
      { clockIn: 'CANARY' },
      { details: [detail(), detail({ id: '2_7', hours: 'CANARY' })] },
      { details: [detail({ hours: null })] },
      { details: [detail({ hours: true })] },
      { details: null },
      { employeeId: { CANARY: 1 } },
    ];
    const change = formChangeOf(values.map((each, n) => timesheet({ ...each, id: `${n}_7` })));
    expect(change?.fields).toEqual([
      { field: 'hoursToPay', kinds: ['array', 'missing', 'string'] },
      { field: 'clockIn.localTime', kinds: ['number'] },
      { field: 'clockIn', kinds: ['string'] },
      { field: 'details.hours', kinds: ['boolean', 'null', 'string'] },
      { field: 'details', kinds: ['null'] },
      { field: 'employeeId', kinds: ['object'] },
    ]);
    expect(JSON.stringify(change)).not.toContain('CANARY');
  });

  test('names what records without a date have in its place', () => {
    const dates = [null, 7, undefined, 'some day'];
    const records = Array.from({ length: 11 }, (_, n) => timesheet({ id: `${n}_7`, date: dates[n % 4] }));
    expect(formChangeOf(records)?.fields).toEqual([
      { field: 'date', kinds: ['missing', 'null', 'number', 'string'] },
    ]);
    const scan: Scan = { ...beginScan(feedDefinition('timesheets'), [DATE]) };
    for (let n = 0; n < 11; n += 1) scan.unplaced.push({ id: `${n}_7`, issues: ['id'] });
    expect(checkForm(scan, new Map()).change?.fields).toEqual([{ field: 'id', kinds: ['missing'] }]);
  });

  test('names the first twenty fields', () => {
    const issues = Array.from({ length: 21 }, (_, n) => `field${n}`);
    const scan: Scan = { ...beginScan(feedDefinition('timesheets'), [DATE]) };
    for (let n = 0; n < 11; n += 1) scan.unplaced.push({ id: `${n}_7`, issues });
    const { fields = [] } = checkForm(scan, new Map()).change ?? {};
    expect(fields.map(({ field }) => field)).toEqual(issues.slice(0, 20));
  });

  test('names the first ten kinds of a field', () => {
    const scan: Scan = { ...beginScan(feedDefinition('timesheets'), [DATE]) };
    for (let n = 0; n < 11; n += 1) scan.unplaced.push({ id: `${n}_7`, issues: ['id'], kind: `kind${n}` });
    const [field] = checkForm(scan, new Map()).change?.fields ?? [];
    expect(field?.kinds).toEqual(Array.from({ length: 10 }, (_, n) => `kind${n}`));
  });

  test('is one line of the log', () => {
    const fields = [
      { field: 'hoursToPay', kinds: ['missing', 'string'] },
      { field: 'clockIn', kinds: ['string'] },
    ];
    expect(describeFormChange({ fields, bad: 11, records: 20, slices: [DATE] })).toBe(
      'source_changed_form: 11 of 20 records cannot be read (hoursToPay: missing or string, clockIn: string); ' +
        "compare the source's answer with docs/source-api.md",
    );
  });

  test('is judged feed by feed', () => {
    const periods = Array.from({ length: 11 }, (_, n) => payPeriod({ id: `${n}_7`, closed: 7 }));
    const scan = createScan(periods, { feed: 'pay-periods', slices: ['all'] });
    expect(checkForm(scan, new Map()).change).toMatchObject({
      slices: ['all'],
      fields: [{ field: 'closed', kinds: ['number'] }],
    });
  });

  test('makes its scan incomplete, with all that was seen', () => {
    const scan = createScan([timesheet()]);
    const marked = markIncomplete(scan);
    expect(marked).toEqual({
      ...scan,
      end: { ...scan.end, complete: false, problem: 'source_changed_form' },
    });
    const unfinished = beginScan(feedDefinition('timesheets'), [DATE]);
    expect(markIncomplete(unfinished)).toBe(unfinished);
  });
});

describe('the state of a feed', () => {
  const ongoing = {
    since: NOW,
    fields: [{ field: 'hoursToPay', kinds: ['string'] }],
    bad: 11,
    slices: [DATE, NEXT_DATE],
  };

  test('begins with the first scan that shows another form', () => {
    const formChanges = [formChange({ slices: [NEXT_DATE] }), formChange({ slices: [DATE], bad: 99 })];
    expect(updateForm(null, report({ formChanges }))).toEqual({ formChanged: ongoing });
  });

  test('goes on, with the fields of now', () => {
    const fields = [{ field: 'clockIn', kinds: ['number'] }];
    const formChanges = [formChange({ slices: ['2026-03-04'], fields })];
    const later = report({ formChanges, startedAt: NOW + MINUTE_MS, committedWhole: new Set([DATE]) });
    expect(updateForm(ongoing, later)).toEqual({
      formChanged: { since: NOW, fields, bad: 11, slices: ['2026-03-04', NEXT_DATE] },
    });
  });

  test.each<[string, Partial<FormReport>, string[]]>([
    ['nothing was read', {}, [DATE, NEXT_DATE]],
    ['one date was read whole', { committedWhole: new Set([DATE]) }, [NEXT_DATE]],
    ['one date left the window', { window: [DATE] }, [DATE]],
  ])('goes on while %s', (_, values, slices) => {
    expect(updateForm(ongoing, report(values))).toEqual({ formChanged: { ...ongoing, slices } });
  });

  test('ends when every date concerned was read whole, or left the window', () => {
    const ended = { formChanged: null };
    expect(updateForm(ongoing, report({ committedWhole: new Set([DATE, NEXT_DATE]) }))).toEqual(ended);
    expect(updateForm(ongoing, report({ window: [DATE], committedWhole: new Set([DATE]) }))).toEqual(ended);
  });

  test('is none where all is well', () => {
    expect(updateForm(null, report())).toEqual({ formChanged: null });
  });

  test('has bad records quarantined that have an issue of their own', () => {
    const own = [{ issues: ['hoursToPay', 'clockIn'] }, { issues: ['details.0.hours'] }].map(
      ({ issues }, n) => ({ id: `${n}_7`, issues }),
    );
    const alike = { id: '9_7', issues: ['hoursToPay'] };
    expect(selectQuarantined([...own, alike], ongoing)).toEqual(own);
    expect(selectQuarantined([alike], null)).toEqual([alike]);
    const ofLists = { ...ongoing, fields: [{ field: 'details.hours', kinds: ['string'] }] };
    expect(selectQuarantined(own, ofLists).map(({ id }) => id)).toEqual(['0_7']);
  });

  function report(values: Partial<FormReport> = {}): FormReport {
    const window = ['2026-03-04', DATE, NEXT_DATE];
    return { formChanges: [], committedWhole: new Set(), window, startedAt: NOW, ...values };
  }

  function formChange(values: Partial<FormChange>): FormChange {
    return { fields: ongoing.fields, bad: 11, records: 20, slices: [], ...values };
  }
});

function sheets({ bad, good = 0, unplaced = 0 }: { bad: number; good?: number; unplaced?: number }) {
  return [
    ...Array.from({ length: bad }, (_, n) => timesheet({ id: `1${n}_7`, hoursToPay: 'eight' })),
    ...Array.from({ length: good }, (_, n) => timesheet({ id: `2${n}_7` })),
    ...Array.from({ length: unplaced }, (_, n) => timesheet({ id: `3${n}_7`, date: null })),
  ];
}

function formChangeOf(records: readonly SourceRecord[]): FormChange | null {
  return checkForm(createScan(records), new Map()).change;
}
