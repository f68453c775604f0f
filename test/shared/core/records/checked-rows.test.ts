import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FeedName } from '#shared/core/feeds.ts';
import { checkRow, feedDefinition, parseRow } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { holds } from '#test/shared/core/properties.ts';
import { clocking, detail, payPeriod, textOf, timesheet } from '#test/support/builders.ts';

const SECRET = 'CANARY';
const timesheetNames = feedDefinition('timesheets').fields.map(({ name }) => name as string);

describe('half a record does not look like a revoked approval', () => {
  const names = timesheetNames.map((field) => [
    /^(department|role|shift)Id$/.exec(field)?.[1] ?? field,
    field,
  ]);

  test.each(names)('without %s it is bad', (member, field) => {
    expect(wrongIn(checked(without(timesheet(), member ?? '')))).toEqual([field]);
  });

  test('so it is without a member of a clock-in or of a detail', () => {
    const clockings = ['id', 'localTime', 'variance', 'kiosk', 'beacon'].map((name) =>
      checked(timesheet({ clockIn: without(clocking(), name) })),
    );
    expect(clockings).toEqual(issuesOf(['id', 'localTime', 'variance', 'kiosk', 'beacon'], 'clockIn.'));
    const details = Object.keys(detail());
    expect(details.map((name) => checked(timesheet({ details: [without(detail(), name)] })))).toEqual(
      issuesOf(details, 'details.0.'),
    );
  });

  test('and so is a pay period', () => {
    const names = ['calendar', 'startDate', 'finishDate', 'closed', 'payRollCompanyId', 'payRollProvider'];
    expect(names.map((name) => checked(without(payPeriod(), name), 'pay-periods'))).toEqual(issuesOf(names));
  });

  test('a missing member is not what null is', () => {
    expect(rowOf(without(timesheet(), 'approvedHours'))).not.toEqual(rowOf(timesheet()));
  });

  test('a member under __proto__ is missing', () => {
    const record = JSON.parse(
      JSON.stringify(timesheet()).replace('"approvedHours":', '"__proto__":'),
    ) as SourceRecord;
    expect(checked(record)).toEqual({ outcome: 'bad', issues: ['approvedHours'] });
  });
});

describe('a value that cannot be written as JSON is bad', () => {
  const watched = ['organisationWorkedId', 'startTime', 'hoursToPay', 'approvedHours', 'processed'];
  const nested = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;

  test.each([...watched, 'clockIn', 'details'])(
    '%s: a number that is too large, which JSON makes null, or nested too deeply, which must not end the poll',
    (name) => {
      for (const value of [Number('1e400'), nested])
        expect(wrongIn(checked(timesheet({ [name]: value })))).toEqual([name]);
    },
  );

  test('inside a composite, too', () => {
    const infinite = Number('-1e400');
    const record = timesheet({
      details: [detail({ activity: infinite })],
      clockIn: clocking({ localTime: infinite }),
    });
    expect(wrongIn(checked(record))).toEqual(['clockIn', 'details']);
  });

  test('nested too deeply in details that are compared', () => {
    const record = timesheet({ details: [detail({ activity: nested }), detail({ hours: 1 })] });
    expect(wrongIn(checked(record))).toEqual(['details']);
  });
});

describe('a value of another kind is bad', () => {
  test.each<[string, SourceRecord]>([
    ['employeeId', { employeeId: 7 }],
    ['employeeId', { employeeId: '' }],
    ['departmentId', { department: { name: SECRET } }],
    ['departmentId', { department: [SECRET] }],
    ['hoursToPay', { hoursToPay: SECRET }],
    ['hoursToPay', { hoursToPay: null }],
    ['casualJob', { casualJob: 'false' }],
    ['startTime', { startTime: SECRET }],
    ['clockIn', { clockIn: SECRET }],
    ['clockIn.variance', { clockIn: clocking({ variance: SECRET }) }],
    ['clockIn.localTime', { clockIn: clocking({ localTime: SECRET }) }],
    ['approvedHours', { approvedHours: { at: SECRET } }],
    ['processed', { processed: true }],
    ['processed', { processed: SECRET.repeat(100) }],
    ['details', { details: SECRET }],
    ['details', { details: null }],
    ['details.0', { details: [SECRET] }],
    ['details.0.hours', { details: [detail({ hours: SECRET })] }],
    ['size', { details: Array.from({ length: 190 }, (_, n) => detail({ id: `${n}_7` })) }],
  ])('%s', (issue, values) => {
    expect(checked(timesheet(values))).toEqual({ outcome: 'bad', issues: [issue] });
  });

  test.each<[string, SourceRecord]>([
    ['startDate', { startDate: '2026-02-30' }],
    ['closed', { closed: true }],
    ['calendar', { calendar: null }],
  ])('of a pay period, %s: %j', (issue, values) => {
    expect(checked(payPeriod(values), 'pay-periods')).toEqual({ outcome: 'bad', issues: [issue] });
  });

  test('a list is not taken for the stored form of a clock-in or of a detail', () => {
    const clockIn = Object.values(clocking({ localTime: null }));
    expect(wrongIn(checked(timesheet({ clockIn: ['7001_7', null, 1, true, false] })))).toEqual(['clockIn']);
    expect(wrongIn(checked(timesheet({ clockOut: clockIn })))).toEqual(['clockOut']);
    const [stored] = rowOf(timesheet()).slice(-1);
    expect(wrongIn(checked(timesheet({ details: stored })))).toEqual(['details']);
  });

  test('and each wrong member is named once, none of their values', () => {
    const result = checked(
      timesheet({
        hoursToPay: SECRET,
        processed: { [SECRET]: SECRET },
        details: [SECRET],
        shift: SECRET.repeat(50),
      }),
    );
    expect(result).toEqual({
      outcome: 'bad',
      issues: ['shiftId', 'hoursToPay', 'processed', 'details.0'],
    });
  });
});

describe('whatever a source may send', () => {
  const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
  const members = Object.keys(timesheet());

  test('is read and checked without a throw, and no value gets into the issues', () => {
    holds(
      fc.property(fc.constantFrom(...members), anything, (member, value) => {
        const record = timesheet({ [member]: value });
        const row = rowOf(record);
        expect(row).toEqual(rowOf(record));
        const result = checkRow(feedDefinition('timesheets'), row);
        const issues = result.outcome === 'bad' ? result.issues : [];
        expect(issues.filter((issue) => !/^[a-zA-Z]+(\.\d+)?(\.[a-zA-Z]+)?$/.test(issue))).toEqual([]);
      }),
      500,
    );
  });
});

/** What is said of records of which each lacks one of these members. */
function issuesOf(names: readonly string[], path = '') {
  return names.map((name) => ({ outcome: 'bad', issues: [`${path}${name}`] }));
}

function rowOf(record: SourceRecord, feed: FeedName = 'timesheets') {
  return parseRow(textOf(record, feed));
}

function checked(record: SourceRecord, feed: FeedName = 'timesheets') {
  return checkRow(feedDefinition(feed), rowOf(record, feed));
}

/** The members that are wrong, or have something wrong in them. */
function wrongIn(result: ReturnType<typeof checked>): string[] {
  const issues = result.outcome === 'bad' ? result.issues : [];
  return [...new Set(issues.map((issue) => issue.split('.')[0] ?? ''))];
}

function without(record: SourceRecord, member: string): SourceRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== member));
}
