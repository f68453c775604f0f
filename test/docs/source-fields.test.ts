import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { departmentSchema, employeeSchema, payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import { findTransitions } from '#shared/core/events/transitions.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, parseRow, readRecordText, toState } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord, State } from '#shared/core/records/fields.ts';
import { openDoor } from '#shared/core/records/values.ts';
import { detail, payPeriod, timesheet } from '#test/support/builders.ts';
import { listSourceFields } from '#workshop/documents/source-fields.ts';

const CLOCKING = {
  id: '7001_1',
  beacon: false,
  kiosk: true,
  localTime: '2026-11-12T09:01:30.000',
  overrideEmployee: '2002_1',
  overrideOrganisation: '1_1',
  variance: 1.5,
};

/** Records in which every field has a value. */
const FULL: Readonly<Record<FeedName, SourceRecord>> = {
  timesheets: timesheetSchema.parse({
    ...timesheet(),
    approvedHours: '2026-11-12T21:15:08.000Z',
    approvedPayroll: 'PAYROLL-1',
    processed: '2026-11-15T22:30:41.000Z',
    clockIn: CLOCKING,
    clockOut: { ...CLOCKING, id: '7002_1' },
    shift: { id: '401_1', name: 'Early' },
    details: [detail({ alternateDepartment: '502_1', alternateOrganisation: '2_1' })],
  }),
  'pay-periods': payPeriodSchema.parse({
    ...payPeriod(),
    // Also a year earlier its last date is not before the first.
    startDate: '2024-03-02',
    closed: '2026-11-16',
    payRollCompanyId: '77_1',
  }),
  employees: employeeSchema.parse({
    id: '2001_1',
    address: {
      id: '80001_1',
      line1: '1 Sample Street',
      line2: 'Level 2',
      suburb: 'Sampleton',
      city: 'Sample City',
      state: 'SC',
      postalCode: 6011,
      country: 'NZ',
    },
    contractedHours: [
      {
        id: '60001_1',
        day: 1,
        week: 1,
        department: { id: '501_1', name: 'Kitchen' },
        role: { id: '601_1', name: 'Cook' },
        shift: { id: '401_1', name: 'Early' },
        startTime: 'T08:30:00.000',
        finishTime: 'T17:00:00.000',
        minutesTotal: 510,
        minutesWorking: 480,
        workPattern: false,
      },
    ],
    firstNames: 'Ana',
    lastName: 'Lee',
    payRollCode: 'P0001',
  }),
  departments: departmentSchema.parse({
    id: '501_1',
    name: 'Kitchen',
    costCentreCode: 'C1',
    manager: '2001_1',
    payRollCode: 'K1',
    roles: [{ id: '601_1', name: 'Cook', costCentreCode: 'C2', defaultActivity: '301_1' }],
    workDayStartTime: '08:00',
    workDayFinishTime: '17:00',
  }),
};

/** Fields of docs/source-api.md, Timesheets, Pay periods, Employees and Departments, by name. */
const DOCUMENTED: Readonly<Record<FeedName, string>> = {
  timesheets: `__type approvedHours approvedPayroll casualJob
    clockIn clockIn.beacon clockIn.id clockIn.kiosk clockIn.localTime clockIn.overrideEmployee
    clockIn.overrideOrganisation clockIn.variance
    clockOut clockOut.beacon clockOut.id clockOut.kiosk clockOut.localTime clockOut.overrideEmployee
    clockOut.overrideOrganisation clockOut.variance
    contractedHoursId date department department.id department.name
    details details[].activity details[].alternateDepartment details[].alternateOrganisation
    details[].finishTime details[].hours details[].id details[].mealBreak details[].restBreak
    details[].startTime
    employeeId finishTime hourlyRate hoursToPay id includesLeave organisationPayRollId
    organisationWorkedId overnight processed role role.id role.name shift shift.id shift.name startTime`,
  'pay-periods': `calendar closed finishDate hours id numberEmployees numberTimesheets payRollCompanyId
    payRollProvider startDate`,
  employees: `address address.city address.country address.id address.line1 address.line2 address.postalCode
    address.state address.suburb
    contractedHours contractedHours[].day contractedHours[].department contractedHours[].department.id
    contractedHours[].department.name contractedHours[].finishTime contractedHours[].id
    contractedHours[].minutesTotal contractedHours[].minutesWorking contractedHours[].role
    contractedHours[].role.id contractedHours[].role.name contractedHours[].shift contractedHours[].shift.id
    contractedHours[].shift.name contractedHours[].startTime contractedHours[].week
    contractedHours[].workPattern
    firstNames id lastName payRollCode`,
  departments: `costCentreCode id manager name payRollCode
    roles roles[].costCentreCode roles[].defaultActivity roles[].id roles[].name
    workDayFinishTime workDayStartTime`,
};

describe.each(FEED_NAMES)('the table of source fields of %s', (feed) => {
  const rows = listSourceFields(feed);

  it('has every field of the specification', () => {
    expect(rows.map(({ path }) => path).sort()).toEqual(DOCUMENTED[feed].split(/\s+/).sort());
  });

  it.each(rows.filter(({ path }) => path !== 'id').map((row) => [row.path, row] as const))(
    'states the events that a change of %s causes',
    (path, row) => {
      const full = FULL[feed];
      for (const nothing of ['', null]) {
        const empty = withValue(full, path, () => nothing);
        if (row.unset !== 'impossible')
          expect([nothing, eventsOf(feed, full, empty)]).toEqual([nothing, row.unset]);
        if (row.set !== 'impossible')
          expect([nothing, eventsOf(feed, empty, full)]).toEqual([nothing, row.set]);
      }
      if (row.replaced === 'by member') return;
      expect(eventsOf(feed, full, withValue(full, path, another))).toBe(row.replaced);
      expect(eventsOf(feed, withValue(full, path, another), full)).toBe(row.replaced);
    },
  );

  it('states the events of a new and of a removed record', () => {
    const state = stateOf(feed, FULL[feed]);
    const [created] = findTransitions(feedDefinition(feed), null, state);
    const [removed] = findTransitions(feedDefinition(feed), state, null);
    expect(rows.find(({ path }) => path === 'id')).toMatchObject({
      set: created?.type,
      unset: removed?.type,
    });
  });

  it('has every field that can cause an event', () => {
    expect(eventsOf(feed, FULL[feed], { ...FULL[feed], additional: { to: 'all' } })).toBe('never');
  });

  it('is on the page of each event that a field causes, and with those that cause none', () => {
    for (const { path, set, replaced, unset } of rows) {
      const causes = new Set(
        [set, replaced, unset].filter((effect) => !['impossible', 'by member'].includes(effect)),
      );
      for (const cause of causes) {
        const page = cause === 'never' ? 'docs/events.md' : `docs/events/${cause}.md`;
        expect(readFileSync(page, 'utf8'), `${path} on ${page}`).toContain(`\`${path}\``);
      }
    }
  });
});

function stateOf(feed: FeedName, record: SourceRecord): State {
  const definition = feedDefinition(feed);
  return toState(
    definition,
    parseRow(readRecordText(definition, record, openDoor('UTC', Date.parse('2026-12-01')))),
  );
}

/** Types of the events that the core makes of a change. */
function eventsOf(feed: FeedName, before: SourceRecord, after: SourceRecord): string {
  const definition = feedDefinition(feed);
  const [from, to] = [before, after].map((record) => stateOf(feed, record));
  const types = findTransitions(definition, from ?? null, to ?? null).map(({ type }) => type);
  return types.length === 0 ? 'never' : types.join(' and ');
}

/** The record with the value at a path changed. */
function withValue(record: SourceRecord, path: string, change: (value: unknown) => unknown): SourceRecord {
  const [name = '', ...rest] = path.split('.');
  const [key = '', inList] = name.split('[');
  const inner = (value: unknown) =>
    rest.length === 0 ? change(value) : withValue(value as SourceRecord, rest.join('.'), change);
  const value = record[key];
  return { ...record, [key]: inList === undefined ? inner(value) : (value as unknown[]).map(inner) };
}

function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  // A date-time stays one.
  if (typeof value === 'string')
    return /^\d{4}-/.test(value) ? value.replace(/^\d+/, (year) => String(Number(year) - 1)) : `${value}1`;
  if (Array.isArray(value)) return [];
  throw new Error(`no other value than ${JSON.stringify(value)}`);
}
