import { describe, expect, test } from 'vitest';
import { dataSchema, eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, type ShortEventType } from '#shared/core/event-types.ts';
import type { CloseManifest, Leftover } from '#shared/core/periods/close-manifest.ts';
import type { Readiness, WaitingTimesheet } from '#shared/core/periods/readiness-data.ts';
import { createChange, PAY_PERIODS, payPeriod, timesheet } from '#test/support/builders.ts';
import { buildEvents, STAMP } from './history.ts';

const FEED = { feed: 'timesheets' };
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

describe('the data of a closing fits its schema', () => {
  const LEFTOVER: Leftover = { timesheetId: '1_7', sequence: 0, approved: false, processed: false };
  const MANIFEST: CloseManifest = {
    ...{ complete: true, missing: null, asOf: null, timesheets: 1, employees: 1, hoursToPay: 7.5 },
    ...{
      approved: 0,
      unapproved: 1,
      processed: 0,
      unprocessed: 1,
      sharesDatesWith: [],
      leftovers: [LEFTOVER],
    },
  };
  const [closed] = buildEvents(createChange(payPeriod(), payPeriod({ closed: '2026-03-09' })), PAY_PERIODS);
  const fits = (values: object) =>
    dataSchema('pay_period.closed').safeParse({ ...closed?.data, closeManifest: { ...MANIFEST, ...values } })
      .success;

  test.each<[string, Partial<CloseManifest>]>([
    ['without optional members', {}],
    ['of all timesheets', { members: 'all' }],
    ['of those that the source named', { members: 'asked' }],
    ['of a part of them', { members: 'partly', membersUnknown: 3 }],
    [
      'with what each leftover misses',
      { leftovers: [{ ...LEFTOVER, missing: ['approval', 'payroll_approval', 'processing'] }] },
    ],
    ['with as many leftovers as are listed', { leftovers: Array<Leftover>(50).fill(LEFTOVER) }],
    ['with as many sharing periods as are listed', { sharesDatesWith: Array<string>(20).fill('4_7') }],
  ])('%s', (_, values) => {
    expect(fits(values)).toBe(true);
  });

  test.each<[string, object]>([
    ['of other members', { members: 'some' }],
    ['with more leftovers than are listed', { leftovers: Array<Leftover>(51).fill(LEFTOVER) }],
    ['with more sharing periods than are listed', { sharesDatesWith: Array<string>(21).fill('4_7') }],
    ['with a member that nobody knows', { pay: 1 }],
  ])('not %s', (_, values) => {
    expect(fits(values)).toBe(false);
  });
});

describe('the data of a readiness fits its schema', () => {
  const WAITING: WaitingTimesheet = {
    ...{ timesheetId: '1_7', sequence: 0, employeeId: null, departmentId: null, date: null, hours: 1 },
    missing: ['clock_out', 'approval'],
  };
  const UNAPPROVED = { timesheets: 1, unapproved: 1, unapprovedEmployees: 1, unapprovedHours: 1 };
  const DEPARTMENT = { departmentId: null, ...UNAPPROVED };
  const READINESS: Readiness = {
    ...{
      through: '2026-03-04',
      complete: true,
      missing: null,
      asOf: null,
      members: 'all',
      membersUnknown: 0,
    },
    ...{
      ...UNAPPROVED,
      sharesDatesWith: [],
      employees: 1,
      approved: 0,
      hoursToPay: 1,
      payrollUnapproved: null,
    },
    ...{ departments: 1, byDepartment: [DEPARTMENT] },
    waiting: [WAITING],
  };
  const [changed] = buildEvents(createChange(payPeriod(), payPeriod({ calendar: 'Other' })), PAY_PERIODS);
  const fits = (values: object, summaries: readonly string[] = ['08:00']) =>
    dataSchema('pay_period.readiness').safeParse({
      ...changed?.data,
      ...{ deadline: null, reminder: null, summaries, stillOpen: null },
      readiness: { ...READINESS, ...values },
    }).success;

  test.each<[string, Partial<Readiness>, number]>([
    ['as counted', {}, 1],
    ['of those that the source named', { members: 'asked' }, 1],
    ['of a part of them', { members: 'partly' }, 1],
    ['with as many timesheets as are listed', { waiting: Array<WaitingTimesheet>(50).fill(WAITING) }, 1],
    ['with as many departments as are listed', { byDepartment: Array(100).fill(DEPARTMENT) }, 1],
    ['with as many sharing periods as are listed', { sharesDatesWith: Array<string>(20).fill('4_7') }, 1],
    ['with as many summaries as are named', {}, 50],
  ])('%s', (_, values, summaries) => {
    expect(fits(values, Array<string>(summaries).fill('08:00'))).toBe(true);
  });

  test.each<[string, object, number]>([
    ['with a negative count', { unapproved: -1 }, 1],
    ['with more timesheets than are listed', { waiting: Array<WaitingTimesheet>(51).fill(WAITING) }, 1],
    ['with more departments than are listed', { byDepartment: Array(101).fill(DEPARTMENT) }, 1],
    ['with more sharing periods than are listed', { sharesDatesWith: Array<string>(21).fill('4_7') }, 1],
    ['with more summaries than are named', {}, 51],
  ])('not %s', (_, values, summaries) => {
    expect(fits(values, Array<string>(summaries).fill('08:00'))).toBe(false);
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

  test.each<[string, object]>([
    ['that left its places', { previousDepartmentId: '1', previousOrganisationId: '2' }],
    [
      'in pay periods',
      {
        payPeriods: [
          { id: '3_7', calendar: null, state: 'open' },
          { id: '4_7', calendar: 'Weekly', state: 'closed' },
        ],
      },
    ],
    [
      'after closings',
      {
        late: ['approval', 'processing', 'close'],
        closedPeriods: ['gains', 'loses', 'changes'].map((effect) => ({
          id: '3_7',
          calendar: null,
          effect,
          hours: 1,
        })),
      },
    ],
    ['perhaps after a closing', { closedPeriods: [{ id: '3_7', calendar: null, certain: false }] }],
    ['with what it settles', { settles: Array(5).fill({ id: 'a', type: 'b', late: [] }) }],
  ])('%s', (_, data) => {
    expect(fits({}, data)).toBe(true);
  });

  test.each<[string, object]>([
    [
      'certainly after a closing, in so many words',
      { closedPeriods: [{ id: '3_7', calendar: null, certain: true }] },
    ],
    ['with another effect', { closedPeriods: [{ id: '3_7', calendar: null, effect: 'moves' }] }],
    ['with more settled than can be', { settles: Array(6).fill({ id: 'a', type: 'b', late: [] }) }],
    ['late for another reason', { late: ['lunch'] }],
    [
      'in a pay period that is neither open nor closed',
      { payPeriods: [{ id: '3_7', calendar: null, state: '' }] },
    ],
  ])('not %s', (_, data) => {
    expect(fits({}, data)).toBe(false);
  });

  test('as a snapshot also before its first event, without what only changes have', () => {
    const snapshot = (values: object, data: object = {}) => {
      const current = buildEvents(createChange(null, timesheet()))[0]?.data.current;
      return eventSchema('timesheet.snapshot').safeParse({
        ...event,
        type: 'workforce.timesheet.snapshot',
        dataschema: 'urn:workforce-change-notifier:schema:timesheet.snapshot:1',
        ...values,
        data: { ...event?.data, current, ...data },
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

test('there is a schema for each type of the catalogue', () => {
  expect(SHORT_EVENT_TYPES.filter((type) => dataSchema(type) === undefined)).toEqual([]);
});
