import { toIso } from '#shared/core/dates.ts';
import type { FeedPosition } from '#shared/core/events/event-order.ts';
import type { Change, EventContext } from '#shared/core/events/events.ts';
import type { FeedKey, FeedName } from '#shared/core/feeds.ts';
import { findTimesheetPeriods, type MemberAnswer, type PeriodFinder } from '#shared/core/periods/members.ts';
import { feedDefinition, readRecordText } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { openDoor } from '#shared/core/records/values.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';

/** Sample records as `docs/source-api.md` describes them, and the values that core makes of them. */

export const TIMESHEETS: FeedKey = { connection: 'main', feed: 'timesheets' };
export const PAY_PERIODS: FeedKey = { connection: 'main', feed: 'pay-periods' };
export const TIME_ZONE = 'Pacific/Auckland';
export const DATE = '2026-03-05';
export const NEXT_DATE = '2026-03-06';

/** When the samples were scanned last, and when they are scanned now. */
export const EARLIER = Date.parse('2026-03-05T01:00:00.000Z');
export const NOW = Date.parse('2026-03-05T01:01:00.000Z');
/** Since when sample records are followed. */
export const EPOCH = Date.parse('2026-03-01T00:00:00.000Z');
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** A source record with an id. */
export interface SampleRecord extends SourceRecord {
  readonly id: string;
}

/** A timesheet to which nothing happened yet (`docs/source-api.md`, Timesheets). */
export function timesheet(values: SourceRecord = {}): SampleRecord {
  const record = {
    __type: 'TimesheetEntry',
    id: '1001_7',
    approvedHours: null,
    approvedPayroll: null,
    casualJob: false,
    clockIn: null,
    clockOut: null,
    contractedHoursId: '901_7',
    date: DATE,
    department: { id: '501_7', name: 'Kitchen' },
    details: [detail()],
    employeeId: '2001_7',
    finishTime: '2026-03-05T04:00:00.000Z',
    hourlyRate: '$31.50',
    hoursToPay: 7.5,
    includesLeave: false,
    organisationPayRollId: '1_7',
    organisationWorkedId: '1_7',
    overnight: false,
    processed: null,
    role: { id: '601_7', name: 'Cook' },
    shift: null,
    startTime: '2026-03-04T20:00:00.000Z',
    ...values,
  };
  return { ...record, id: String(record.id) };
}

/** A clock-in or clock-out (`docs/source-api.md`, Timesheets). */
export function clocking(values: SourceRecord = {}): SourceRecord {
  return {
    id: '7001_7',
    beacon: false,
    kiosk: true,
    localTime: '2026-03-05T09:01:30',
    overrideEmployee: null,
    overrideOrganisation: null,
    variance: 1.5,
    ...values,
  };
}

/** An activity segment (`docs/source-api.md`, Timesheets). */
export function detail(values: SourceRecord = {}): SourceRecord {
  return {
    id: '8001_7',
    activity: '301_7',
    alternateDepartment: '',
    alternateOrganisation: '',
    startTime: '2026-03-04T20:00:00.000Z',
    finishTime: '2026-03-05T04:00:00.000Z',
    hours: 7.5,
    mealBreak: true,
    restBreak: false,
    ...values,
  };
}

/** An open pay period (`docs/source-api.md`, Pay periods). */
export function payPeriod(values: SourceRecord = {}): SampleRecord {
  const record = {
    id: '3_7',
    calendar: 'Weekly',
    startDate: '2026-03-02',
    finishDate: '2026-03-08',
    closed: null,
    hours: 1_204.25,
    numberEmployees: 31,
    numberTimesheets: 154,
    payRollCompanyId: '',
    payRollProvider: 'PaySys',
    ...values,
  };
  return { ...record, id: String(record.id) };
}

/** A pay period as its row has it. */
export function knownPeriod(values: Partial<KnownPeriod> = {}): KnownPeriod {
  return {
    id: '3_7',
    calendar: 'Weekly',
    startDate: '2026-03-02',
    finishDate: '2026-03-08',
    closed: false,
    closedStamp: null,
    closedBetween: null,
    ...values,
  };
}

/** The position of an event of a sample record. */
export function position(sequence: number): FeedPosition {
  return { epoch: toIso(EPOCH), sequence };
}

/** When sample records are read: after the pay period of `DATE` closed. */
const READ_AT = NOW + 30 * DAY_MS;

/** The canonical text of a record. */
export function textOf(record: SourceRecord, feed: FeedName = feedOf(record)): string {
  return readRecordText(feedDefinition(feed), record, openDoor(TIME_ZONE, READ_AT));
}

/** A record as it was committed last. */
export function storedRow(record: SampleRecord, values: Partial<StoredRow> = {}): StoredRow {
  return { id: record.id, epoch: EPOCH, sequence: 0, sent: {}, text: textOf(record), ...values };
}

function feedOf(record: SourceRecord): FeedName {
  if ('date' in record) return 'timesheets';
  if ('startDate' in record) return 'pay-periods';
  return 'manager' in record ? 'departments' : 'employees';
}

/** The context in which changes become events; no pay period is known. */
export function createEventContext(
  feed: FeedKey = TIMESHEETS,
  values: Partial<EventContext> = {},
): EventContext {
  return {
    feed,
    definition: feedDefinition(feed.feed),
    timeZone: TIME_ZONE,
    findPeriods: () => null,
    clock: NOW,
    restoredAt: null,
    ...values,
  };
}

/** The pay periods of timesheets when these are all there are, and nobody's calendar is known but these employees'. */
export function createPeriodFinder(
  periods: readonly KnownPeriod[],
  calendars: Readonly<Record<string, string>> = {},
): PeriodFinder {
  const answers = new Map(
    periods.map(({ id, calendar }) => {
      const own = Object.keys(calendars).filter((employee) => calendars[employee] === calendar);
      return [id, new Map(own.map((employee) => [employee, [1, 'all'] as MemberAnswer]))];
    }),
  );
  return (each) => findTimesheetPeriods(each, { periods, answers });
}

/** A change from one source record to another. `before` is null for a new record, `after` for a removed one. */
export function createChange(
  before: SampleRecord | null,
  after: SampleRecord | null,
  { row, ...values }: Partial<Change> & { readonly row?: Partial<StoredRow> } = {},
): Change {
  return {
    id: (after ?? before)?.id ?? '',
    before: before === null ? null : storedRow(before, { sequence: 2, ...row }),
    text: after === null ? null : textOf(after),
    observed: { after: EARLIER, by: NOW },
    ...values,
  };
}
