import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Account } from '#shared/core/periods/account-data.ts';
import { countPeriod, type PeriodView } from '#shared/period/account.ts';
import type { ToldBefore } from '#shared/period/changes.ts';
import type { Counted, DateView } from '#shared/period/view.ts';

const AT = Date.parse('2026-03-09T10:00:00Z');
const DATES = ['2026-03-02', '2026-03-03', '2026-03-04'];
const WHOLE = '2026-03-02 2026-03-04';

const HOUR = 10_000;

/** `ana 8 approved`: a timesheet, which has the id of its place. */
function sheets(...lines: readonly string[]): Counted[] {
  return lines.map((line, place) => {
    const [employeeId = '', hours = '', ...marks] = line.split(' ');
    const dateOf = marks.find((mark) => mark.startsWith('2026-'));
    const departmentId = marks.find((mark) => mark.startsWith('in-'))?.slice(3) ?? null;
    return {
      ...{ id: String(place), epoch: AT, sequence: 1, date: dateOf ?? DATES[0] ?? '', departmentId },
      employeeId: employeeId === '-' ? null : employeeId,
      units: Number(hours) * HOUR,
      lacksClockOut: marks.includes('open'),
      approved: marks.includes('approved'),
      payrollApproved: marks.includes('payroll'),
      processed: marks.includes('processed'),
      paidUnits: null,
      wasGained: marks.includes('gained'),
      isUnseen: marks.includes('unseen'),
    };
  });
}

function dates(values: Partial<DateView> = {}): DateView[] {
  return DATES.map((date) => ({
    ...{ date, lookedAt: AT, doubtSince: null, isFailing: false, unlisted: [] },
    ...values,
  }));
}

function view(timesheets: readonly Counted[], values: Partial<PeriodView> = {}): PeriodView {
  return {
    ...{ state: 'closed', since: AT, closesAt: null, through: '2026-03-08', closingSeenAt: AT },
    ...{ dates: dates(), timesheets, belongs: () => true, source: null, isUnlisted: false, before: null },
    neverRead: 0,
    ...values,
  };
}

function account(timesheets: readonly Counted[], values: Partial<PeriodView> = {}): Account {
  return countPeriod(view(timesheets, values)).account;
}

describe('figures', () => {
  const week = sheets(
    'ana 8 approved in-bar',
    'ana 7.5 in-bar',
    'ben 6 approved processed in-kitchen',
    '- 1 processed',
  );

  test('have what is ready and what is not apart, as a whole and by department', () => {
    expect(account(week)).toMatchObject({
      ...{ people: 2, timesheets: 4, hours: 22.5, unprocessed: 2, departments: 3 },
      ready: { people: 2, timesheets: 3, hours: 15 },
      notReady: { people: 1, timesheets: 1, hours: 7.5 },
      byDepartment: [
        { departmentId: null, timesheets: 1, ready: { timesheets: 1, hours: 1 } },
        { departmentId: 'bar', people: 1, timesheets: 2, ready: { hours: 8 }, notReady: { hours: 7.5 } },
        { departmentId: 'kitchen', people: 1, timesheets: 1, unprocessed: 0 },
      ],
    });
  });

  test('are exact, whatever is added', () => {
    expect(account(sheets('a 0.1 approved', 'a 0.2 approved', 'b -0.3 approved')).hours).toBe(0);
  });

  test('count a timesheet once that two dates have', () => {
    const [sheet] = sheets('ana 8');
    expect(account(sheet === undefined ? [] : [sheet, { ...sheet, date: '2026-03-03' }]).timesheets).toBe(1);
  });
});

describe('what is left over', () => {
  test.each<[string, Account['state'], readonly string[], readonly string[]]>([
    [
      'is what is not ready, with what is missing, in the order of dates and ids',
      'closed',
      ['ana 8 open 2026-03-03', 'ben 7', 'cid 6 approved', 'ana 5'],
      ['1 approval', '3 approval', '0 clock_out approval'],
    ],
    [
      'misses the approval of payroll only where the period has one',
      'closed',
      ['ana 8', 'ben 7 approved payroll', 'cid 6 payroll'],
      ['0 approval payroll_approval', '2 approval'],
    ],
    [
      'of a settled period is also what is not processed, after what is not ready',
      'settled',
      ['ana 8 approved', 'ben 7', 'cid 6 approved processed', 'dan 5 processed'],
      ['1 approval processing', '0 processing'],
    ],
  ])('%s', (_, state, lines, expected) => {
    const { leftOver } = account(sheets(...lines), { state });
    expect(leftOver.map(({ timesheetId, missing }) => [timesheetId, ...missing].join(' '))).toEqual(expected);
  });

  test('is listed up to fifty', () => {
    expect(account(sheets(...Array<string>(51).fill('ana 8'))).leftOver).toHaveLength(50);
  });
});

test('of very many departments a hundred are listed, first those with most to do, then the largest, by id', () => {
  const departments = Array.from({ length: 99 }, (_, n) => `ana 1 approved in-${n + 100}`);
  const most = ['ana 1 in-z', 'ana 1 in-y', 'ben 1 in-y', 'ana 1 approved in-x', 'ben 1 approved in-x'];
  const counted = account(sheets(...departments.toReversed(), ...most));
  expect(counted.departments).toBe(102);
  expect(counted.byDepartment.map(({ departmentId }) => departmentId)).toEqual([
    ...departments.slice(0, 97).map((_, n) => `${n + 100}`),
    'x',
    'y',
    'z',
  ]);
});

test.each<[string, Partial<PeriodView>, boolean]>([
  ['all of it was read', {}, true],
  ['a record was never readable', { neverRead: 1 }, false],
  ['one of its dates was never read', { dates: [...dates(), ...dates({ lookedAt: null })] }, false],
  ['it is not known whose a timesheet is', { belongs: () => null }, false],
])('a count is whole or not: %s', (_, values, isWhole) => {
  expect(countPeriod(view(sheets('ana 8'), values)).isWhole).toBe(isWhole);
});

describe('the verdict', () => {
  const ready = sheets('ana 8 approved');
  test.each<[string, readonly Counted[], Partial<PeriodView>, Account['verdict']]>([
    ['of a closed period that is ready', ready, {}, 'pay'],
    ['of a settled one', ready, { state: 'settled' }, 'pay'],
    ['of one without timesheets', [], {}, 'pay'],
    ['of an open one', ready, { state: 'open' }, 'not_yet'],
    ['of a reopened one', ready, { state: 'reopened' }, 'not_yet'],
    ['while one is not approved', sheets('ana 8 approved', 'ben 1'), {}, 'not_yet'],
    ['with a reserve', ready, { isUnlisted: true }, 'not_yet'],
  ])('%s', (_, timesheets, values, expected) => {
    expect(account(timesheets, values).verdict).toBe(expected);
  });
});

describe('a reserve', () => {
  const differing = { timesheets: 1, employees: 1, hours: 9 };
  test.each<[string, readonly string[], Partial<PeriodView>, string]>([
    ['is none where nothing is in doubt', ['ana 8'], {}, ''],
    ['names dates that were never read', [], { dates: dates({ lookedAt: null }) }, `dates_unread ${WHOLE}`],
    ['names dates that cannot be read', [], { dates: dates({ isFailing: true }) }, `dates_failing ${WHOLE}`],
    ['names dates that lost much', [], { dates: dates({ doubtSince: 1 }) }, `dates_doubtful ${WHOLE}`],
    [
      'names dates read before the closing',
      [],
      { dates: dates({ lookedAt: AT - 1 }) },
      `dates_before_closing ${WHOLE}`,
    ],
    ['counts what could not be read', ['ana 8 unseen', 'ben 7'], {}, 'records_unreadable 1'],
    ['counts what was never readable', ['ben 7'], { neverRead: 2 }, 'records_unreadable 2'],
    ['counts whose period is not known', ['ana 8', 'ben 7'], { belongs: () => null }, 'members_unknown 2'],
    ['says that the totals differ', ['ana 8'], { source: differing }, 'totals_differ'],
    ['says that its list leaves it out', [], { isUnlisted: true }, 'period_unlisted'],
  ])('%s', (_, lines, values, expected) => {
    const told = account(sheets(...lines), values).reserves.map((each) =>
      [each.kind, each.dates?.from, each.dates?.to, each.timesheets].filter((word) => word != null).join(' '),
    );
    expect(told.join(', ')).toBe(expected);
  });

  test('leaves out whose period is not known, and never compares the rest', () => {
    const belongs = ({ employeeId }: Counted) => (employeeId === 'ana' ? true : null);
    const source = { timesheets: 2, employees: 2, hours: 15 };
    expect(account(sheets('ana 8', 'ben 7'), { belongs, source })).toMatchObject({
      ...{ timesheets: 1, hours: 8, difference: null, source },
    });
  });

  test('is none of the totals of an open period, which move while people work', () => {
    const source = { timesheets: 9, employees: 1, hours: 8 };
    expect(account(sheets('ana 8'), { state: 'open', source })).toMatchObject({
      reserves: [],
      difference: null,
    });
  });
});

describe('what changed since it was told', () => {
  const toldWith = (hours: ToldBefore['hours'], isWhole = true): ToldBefore => ({
    ...{ at: AT, verdict: 'pay', hours, isWhole },
  });
  const changesOf = (
    lines: readonly string[],
    hours: ToldBefore['hours'],
    values: Partial<PeriodView> = {},
  ) => {
    const counted = account(sheets(...lines), { before: toldWith(hours), ...values });
    return counted.changes;
  };

  test.each<[string, readonly string[], ToldBefore['hours'], readonly string[]]>([
    ['nothing', ['ana 8 approved'], [['0', 8 * HOUR]], []],
    ['its hours', ['ana 9 approved'], [['0', 8 * HOUR]], ['0 changed 8 9 1 open']],
    [
      'its hours, and they were processed',
      ['ana 9 approved processed'],
      [['0', 8 * HOUR]],
      ['0 changed 8 9 1 done'],
    ],
    ['an approval', ['ana 8 approved'], [['0', null]], ['0 approved 0 8 8 open']],
    ['an approval taken back', ['ana 8'], [['0', 8 * HOUR]], ['0 revoked 8 0 -8 open']],
    ['one that was added', ['ana 8 approved'], [], ['0 added - 8 8 open']],
    ['one from another period', ['ana 8 approved gained'], [], ['0 moved - 8 8 open']],
    ['one that is gone', [], [['7', 8 * HOUR]], ['7 removed 8 - -8 open']],
    ['hours that are not ready, before or after', ['ana 9'], [['0', null]], []],
    ['one that was not ready and is gone', [], [['7', null]], []],
    ['one that is added and not ready', ['ana 9'], [], []],
  ])('%s', (_, lines, hours, expected) => {
    const listed = changesOf(lines, hours)?.listed.map(
      ({ timesheetId, reason, was, now, difference, isOpen }) =>
        `${timesheetId} ${reason} ${was ?? '-'} ${now ?? '-'} ${difference} ${isOpen ? 'open' : 'done'}`,
    );
    expect(listed).toEqual(expected);
  });

  test('one that another period has now', () => {
    const belongs = () => false;
    const changes = changesOf(['ana 8 approved'], [['0', 8 * HOUR]], { belongs });
    expect(changes).toMatchObject({ hours: -8, listed: [{ timesheetId: '0', reason: 'moved', now: null }] });
  });

  test('adds up: what was ready then and the differences are what is ready now', () => {
    const hours = fc.constantFrom(null, 0, HOUR, 3 * HOUR);
    const marks = fc.constantFrom('', ' approved', ' processed');
    fc.assert(
      fc.property(fc.array(hours, { maxLength: 5 }), fc.array(marks, { maxLength: 5 }), (then, now) => {
        const lines = now.map((each, place) => `ana ${place}${each}`);
        const { changes, ready } = account(sheets(...lines), {
          before: toldWith(then.map((units, place) => [String(place), units])),
        });
        expect((changes?.readyHours ?? 0) + (changes?.hours ?? 0)).toBeCloseTo(ready.hours, 8);
      }),
    );
  });

  test('says what it knows, where one of the two counts was not whole', () => {
    const lines = ['ana 9 approved', 'ben 1 approved'];
    const half = account(sheets(...lines), {
      before: toldWith(
        [
          ['0', 8 * HOUR],
          ['9', HOUR],
        ],
        false,
      ),
    }).changes;
    expect(half).toMatchObject({ timesheets: 1, hours: 1, complete: false });
    expect(account(sheets(...lines), { before: toldWith([['0', 9 * HOUR]], false) }).changes).toBeNull();
  });
});
