import { type GenerationPlan, layOutGeneration } from '#shared/core/commit/generation.ts';
import type { Change } from '#shared/core/compare/change.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { toIso } from '#shared/core/dates.ts';
import type { FeedPosition } from '#shared/core/events/event-order.ts';
import type { EventContext } from '#shared/core/events/events.ts';
import type { FeedKey, FeedName } from '#shared/core/feeds.ts';
import { ABANDONED_WALK, type Page, type WalkEnd } from '#shared/core/fetch/pages.ts';
import { beginScan, endScan, type Scan, type ScannedRecord, takePage } from '#shared/core/fetch/scan.ts';
import { findTimesheetPeriods, type PeriodFinder } from '#shared/core/periods/learn-membership.ts';
import { type FeedDefinition, feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import {
  digestRecord,
  type Leaf,
  type LeafRow,
  type SliceHead,
  type Tombstone,
  toLeafKey,
} from '#shared/core/snapshot/snapshot.ts';
import type { SliceView } from '#shared/period/period-account.ts';

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

/** A pay period as the planner gets it. */
/** The view of a date without doubts, looked at now. */
export function viewOf(slice: string, values: Partial<SliceView> = {}): SliceView {
  return { slice, lookedAt: NOW, doubts: [], unseen: new Set(), ...values };
}

export function hint(values: Partial<PayPeriodHint> = {}): PayPeriodHint {
  return {
    id: '3_7',
    calendar: 'Weekly',
    startDate: '2026-03-02',
    finishDate: '2026-03-08',
    closed: false,
    totals: '1204.25/31/154',
    ...values,
  };
}

/** The position of an event of a sample record. */
export function position(sequence: number): FeedPosition {
  return { epoch: toIso(EPOCH), sequence };
}

/** A record as it was committed last. */
export function leafRow(record: SampleRecord, values: Partial<LeafRow> = {}): LeafRow {
  const definition = feedDefinition('date' in record ? 'timesheets' : 'pay-periods');
  return {
    id: record.id,
    state: readRow(definition, record),
    epoch: EPOCH,
    sequence: 0,
    sent: {},
    ...values,
  };
}

export interface SliceContents {
  readonly slice?: string;
  readonly rows?: readonly LeafRow[];
  readonly tombstones?: readonly Tombstone[];
  /** Changes to the head. */
  readonly head?: Partial<Pick<SliceHead, 'revision' | 'baselinedAt' | 'observedAt' | 'outbox'>>;
  readonly feed?: FeedName;
}

/** A committed slice: its head and all its leaves, empty ones included. */
export function slice(contents: SliceContents = {}): GenerationPlan {
  const { slice: name = DATE, rows = [], tombstones = [], feed = 'timesheets' } = contents;
  const base = {
    slice: name,
    revision: 4,
    generation: '1-run',
    baselinedAt: EARLIER,
    observedAt: EARLIER,
    outbox: [],
    ...contents.head,
  };
  const { head, leaves } = layOutGeneration(feedDefinition(feed), base, { rows, tombstones });
  return { head, leaves: fillLeaves(head, leaves) };
}

function fillLeaves({ slice: name, generation, leafCount }: SliceHead, leaves: readonly Leaf[]): Leaf[] {
  return Array.from(
    { length: leafCount },
    (_, index) =>
      leaves.find((leaf) => leaf.index === index) ?? {
        slice: name,
        generation,
        index,
        rows: [],
        tombstones: [],
      },
  );
}

/** The snapshot of some slices, with all leaves read. */
export function createSnapshot(...slices: readonly GenerationPlan[]): Snapshot {
  return {
    heads: new Map(slices.map(({ head }) => [head.slice, head])),
    leaves: new Map(slices.flatMap(({ leaves }) => leaves).map((leaf) => [toLeafKey(leaf), leaf])),
  };
}

export const COMPLETE_WALK: WalkEnd = { ...ABANDONED_WALK, complete: true, problem: null };

/** A page that arrived at `NOW`, requested a second before. */
export function page(records: readonly unknown[], values: Partial<Page> = {}): Page {
  return { records, pagination: null, requestedAt: NOW - SECOND_MS, receivedAt: NOW, ...values };
}

export interface ScanContents {
  readonly slices?: readonly string[];
  readonly feed?: FeedName;
  readonly complete?: boolean;
  readonly page?: Partial<Page>;
}

/** A finished scan of one page. */
export function createScan(records: readonly unknown[], contents: ScanContents = {}): Scan {
  const { slices = [DATE], feed = 'timesheets', complete = true } = contents;
  const scan = beginScan(feedDefinition(feed), slices);
  takePage(scan, page(records, contents.page));
  return endScan(scan, complete ? COMPLETE_WALK : ABANDONED_WALK);
}

/** Records as a scan holds them. */
export function createScannedRecords(
  records: readonly SampleRecord[],
  feed: FeedName = 'timesheets',
): ScannedRecord[] {
  const definition = feedDefinition(feed);
  return records.map((record) => {
    const rowText = JSON.stringify(readRow(definition, record));
    const digest = digestRecord(record.id, rowText);
    return {
      id: record.id,
      slice: definition.sliceOf(record) ?? '',
      rowText,
      digest,
      requestedAt: NOW - SECOND_MS,
      receivedAt: NOW,
    };
  });
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
    manifests: new Map(),
    ...values,
  };
}

/** The pay periods of timesheets when these are all there are, and nobody's calendar is known but these employees'. */
export function createPeriodFinder(
  periods: readonly PayPeriodHint[],
  calendars: Readonly<Record<string, string>> = {},
): PeriodFinder {
  const employees = new Map(
    Object.entries(calendars).map(([id, calendar]) => [id, { calendar, periodId: '', askedAt: 0 }]),
  );
  return (each) => findTimesheetPeriods(each, { periods, membership: { employees, surveys: new Map() } });
}

/** A change from one source record to another. `before` is null for a new record, `after` for a removed one. */
export function createChange(
  before: SampleRecord | null,
  after: SampleRecord | null,
  values: Partial<Change> & { readonly row?: Partial<LeafRow> } = {},
): Change {
  const { row, ...rest } = values;
  const some = after ?? before ?? timesheet();
  const definition: FeedDefinition = feedDefinition('date' in some ? 'timesheets' : 'pay-periods');
  const placeOf = (record: SampleRecord) => definition.sliceOf(record) ?? '';
  const known =
    before === null ? null : { slice: placeOf(before), row: leafRow(before, { sequence: 2, ...row }) };
  return {
    id: some.id,
    before: known,
    rowSlice: known?.slice ?? null,
    after: after === null ? null : { slice: placeOf(after), row: readRow(definition, after) },
    epoch: known?.row.epoch ?? EPOCH,
    sequence: known?.row.sequence ?? 0,
    tombstoneSlice: null,
    observed: { after: EARLIER, by: NOW },
    seenAt: NOW - SECOND_MS,
    ...rest,
  };
}
