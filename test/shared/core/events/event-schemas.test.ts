import { describe, expect, test } from 'vitest';
import { dataSchema, eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, type ShortEventType, toEventType } from '#shared/core/event-types.ts';
import type { LeftOver } from '#shared/core/periods/account-data.ts';
import { accountOf } from '#test/support/account.ts';
import { createChange, PAY_PERIODS, payPeriod, timesheet } from '#test/support/builders.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { buildEvents, STAMP } from './history.ts';

const FEED = { feed: 'timesheets' };
const NAMED = { id: '3_7', calendar: null };
const TROUBLE = { ...FEED, kind: 'feed_late', about: ['a'], since: STAMP };
const BEGAN = { ...TROUBLE, count: 0, cause: 'overdue', action: 'Wait.' };

describe('the data of an operational event fits its schema', () => {
  test.each<[ShortEventType, object, object]>([
    ['trouble.began', BEGAN, { count: -1 }],
    ['trouble.began', { ...BEGAN, feed: null, about: Array(50).fill('a') }, { about: Array(51).fill('a') }],
    ['trouble.ended', TROUBLE, { kind: 'rain' }],
    ['trouble.ended', TROUBLE, { since: 'yesterday' }],
    ['trouble.ended', TROUBLE, { count: 1 }],
  ])('%s: %o, and not with %o', (type, data, wrong) => {
    expect(dataSchema(type).safeParse(data).error?.issues).toBeUndefined();
    expect(dataSchema(type).safeParse({ ...data, ...wrong }).success).toBe(false);
  });
});

describe('an account fits its schema', () => {
  const LEFT: LeftOver = {
    ...{ timesheetId: '1_7', epoch: STAMP, sequence: 0, hours: 1 },
    ...{ employeeId: null, departmentId: null, date: null, missing: ['clock_out', 'approval'] },
  };
  const FIGURES = { people: 1, timesheets: 1, hours: 1 };
  const DEPARTMENT = { departmentId: null, ...FIGURES, ready: FIGURES, notReady: FIGURES, unprocessed: 1 };
  const [closed] = buildEvents(createChange(payPeriod(), payPeriod({ closed: '2026-03-09' })), PAY_PERIODS);
  const fits = (values: object) =>
    dataSchema('pay_period.recounted').safeParse({ ...closed?.data, account: accountOf(values) }).success;

  test.each<[string, object, boolean]>([
    ['as counted', {}, true],
    ['with as many left over as are listed', { leftOver: Array<LeftOver>(50).fill(LEFT) }, true],
    ['with as many departments as are listed', { byDepartment: Array(100).fill(DEPARTMENT) }, true],
    ['with a reserve', { reserves: [{ kind: 'members_unknown', dates: null, timesheets: 2 }] }, true],
    ['with another verdict', { verdict: 'perhaps' }, false],
    ['with more left over than are listed', { leftOver: Array<LeftOver>(51).fill(LEFT) }, false],
    ['with more departments than are listed', { byDepartment: Array(101).fill(DEPARTMENT) }, false],
    ['with a member that nobody knows', { pay: 1 }, false],
    ['with a reserve of no kind', { reserves: [{ dates: null, timesheets: 2 }] }, false],
    ['without its reserves', { reserves: undefined }, false],
  ])('%s, or not', (_, values, isFitting) => {
    expect(fits(values)).toBe(isFitting);
  });

  test('in a closing also as null, in a settlement never', () => {
    const data = { ...closed?.data, account: null };
    expect(dataSchema('pay_period.closed').safeParse(data).success).toBe(true);
    expect(dataSchema('pay_period.settled').safeParse({ ...data, settledBy: 'age' }).success).toBe(false);
  });
});

describe('an event of a timesheet fits its schema', () => {
  const [event] = buildEvents(createChange(timesheet(), timesheet({ approvedHours: STAMP })));
  const fits = (values: object, data: object = {}) =>
    eventSchema('timesheet.approved').safeParse({ ...event, ...values, data: { ...event?.data, ...data } })
      .success;

  test('from its first sequence on', () => {
    expect([1, 2, 0, 1.5].map((sequence) => fits({ sequence }))).toEqual([true, true, false, false]);
  });

  const OPEN = { id: '3_7', calendar: null, state: 'open' };
  const effects = ['gains', 'loses', 'changes'].map((effect) => ({ ...NAMED, effect, hours: 1 }));
  test.each<[string, object, boolean]>([
    ['that left its places', { previousDepartmentId: '1', previousOrganisationId: '2' }, true],
    ['in pay periods', { payPeriods: [OPEN, { ...OPEN, state: 'closed' }] }, true],
    ['in one that is neither open nor closed', { payPeriods: [{ ...OPEN, state: '' }] }, false],
    ['after closings', { late: ['approval', 'processing', 'close'], closedPeriods: effects }, true],
    ['late for another reason', { late: ['lunch'] }, false],
    ['with another effect', { closedPeriods: [{ ...NAMED, effect: 'moves' }] }, false],
    ['perhaps after a closing', { closedPeriods: [{ ...NAMED, certain: false }] }, true],
    ['certainly, in so many words', { closedPeriods: [{ ...NAMED, certain: true }] }, false],
    ['with what it settles', { settles: Array(5).fill({ id: 'a', type: 'b', late: [] }) }, true],
    ['with more than can be', { settles: Array(6).fill({ id: 'a', type: 'b', late: [] }) }, false],
  ])('%s, or not', (_, data, isFitting) => {
    expect(fits({}, data)).toBe(isFitting);
  });

  test('as a snapshot also before its first event, without what only changes have', () => {
    const snapshot = (values: object, data: object = {}) => {
      const current = buildEvents(createChange(null, timesheet()))[0]?.data.current;
      return eventSchema('timesheet.snapshot').safeParse({
        ...event,
        type: 'workforce.timesheet.snapshot',
        dataschema: 'urn:workforce-change-notifier:schema:timesheet.snapshot:1',
        ...values,
        data: { ...event?.data, current, previous: null, ...data },
      }).success;
    };
    expect([0, 1, -1].map((sequence) => snapshot({ sequence }))).toEqual([true, true, false]);
    for (const data of [
      { previousDepartmentId: '1' },
      { previousOrganisationId: '1' },
      { closedPeriods: [] },
    ])
      expect(snapshot({}, data)).toBe(false);
  });
});

describe('the state of a record is null only where it can be', () => {
  const NULLABLE: readonly (readonly [RegExp, readonly string[]])[] = [
    [/\.(?:created|joined|added)$|^(?:pay_period|department)\.snapshot$/, ['previous']],
    [/^(?:timesheet|employee)\.snapshot$|forgotten$/, ['current', 'previous']],
    [/\.(?:removed|left)$/, ['current']],
  ];
  const types = SHORT_EVENT_TYPES.filter((type) => 'current' in dataSchema(type).shape);

  test.each(types)('%s', (type) => {
    const { data } = exampleEvent(toEventType(type));
    const nullable = ['current', 'previous'].filter(
      (member) => dataSchema(type).safeParse({ ...data, [member]: null }).success,
    );
    expect(nullable).toEqual(NULLABLE.find(([pattern]) => pattern.test(type))?.[1] ?? []);
  });
});
