import { toIso } from '../../shared/core/dates.ts';
import { toEvents } from '../../shared/core/events/events.ts';
import type { FeedName } from '../../shared/core/feeds.ts';
import type { CloseManifest } from '../../shared/core/periods/close-manifest.ts';
import { feedDefinition, readRow } from '../../shared/core/records/feed-definition.ts';
import type { SourceRecord } from '../../shared/core/records/fields.ts';
import type { LeafRow } from '../../shared/core/snapshot/snapshot.ts';
import { type PayPeriodEvent, readEvent, type TimesheetEvent } from '../workforce-event.ts';
import { createRandom } from './shuffle.ts';

/** A week of a small company, as a subscriber hears of it. */
export interface SampleWeek {
  /** In the order of their publication, as the notifier computes them: ids, sequences, reversals, lateness. */
  readonly events: readonly (TimesheetEvent | PayPeriodEvent)[];
  /** Hours of each timesheet that is approved in the end, by its id: what a subscriber should come to. */
  readonly owed: ReadonlyMap<string, number>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POLL_MS = 60_000;
const MONDAY = Date.parse('2026-11-09T00:00:00.000Z');
const WORKDAYS = 5;
const EMPLOYEES = 6;
const CLOSED_AT = MONDAY + 7 * DAY_MS + 10 * HOUR_MS;
const CALENDARS = [
  { id: '3_1', calendar: 'Weekly', startDate: '2026-11-09', finishDate: '2026-11-15' },
  { id: '4_1', calendar: 'Fortnightly', startDate: '2026-11-09', finishDate: '2026-11-22' },
] as const;
type Period = (typeof CALENDARS)[number];

/** What a poll saw of a record. */
interface Sight {
  readonly feed: FeedName;
  readonly at: number;
  readonly found: SourceRecord;
  readonly period: Period;
}

/**
 * A week with two calendars whose dates overlap, always the same for a seed: clockings, approvals, some of them revoked,
 * hours that change after their approval, a pay run, the closing of the weekly period,
 * and a change after that. Use it with `shuffle`.
 */
export function sampleWeek({ seed }: { readonly seed: number }): SampleWeek {
  const random = createRandom(seed);
  const workdays = Array.from({ length: EMPLOYEES * WORKDAYS }, (_, place) => place);
  const sights = [
    ...CALENDARS.map((period) => seePeriod(period, MONDAY - 6 * HOUR_MS, null)),
    ...workdays.flatMap((place) => liveWorkday(place, random)),
    seePeriod(CALENDARS[0], CLOSED_AT, '2026-11-16'),
  ].sort((a, b) => a.at - b.at);
  const rows = new Map<
    string,
    { readonly row: LeafRow; readonly found: SourceRecord; readonly period: Period }
  >();
  const events = sights.flatMap((sight) => {
    const id = String(sight.found.id);
    const own = [...rows.values()].filter(
      ({ period, found }) => period === sight.period && 'hoursToPay' in found,
    );
    const { texts, row } = look(sight, rows.get(id)?.row ?? null, closingOf(own));
    if (row !== null) rows.set(id, { row, found: sight.found, period: sight.period });
    return texts.map(readText);
  });
  const approved = [...rows.values()].filter(({ found }) => typeof found.approvedHours === 'string');
  const owed = new Map(approved.map(({ found }) => [String(found.id), Number(found.hoursToPay)]));
  return { events, owed };
}

/** What a poll makes of what it sees. */
function look({ feed, at, found, period }: Sight, known: LeafRow | null, manifest: CloseManifest) {
  const definition = feedDefinition(feed);
  const slice = definition.sliceOf(found) ?? '';
  const isClosed = at >= CLOSED_AT && period === CALENDARS[0];
  const closing = { closedStamp: '2026-11-16', closedBetween: { after: CLOSED_AT - POLL_MS, by: CLOSED_AT } };
  const hint = { ...period, closed: isClosed, totals: '', ...(isClosed ? closing : {}) };
  return toEvents(
    {
      id: String(found.id),
      before: known === null ? null : { slice, row: known },
      rowSlice: known === null ? null : slice,
      after: { slice, row: readRow(definition, found, { absences: null, at }) },
      sequence: known?.sequence ?? 0,
      epoch: known?.epoch ?? at,
      tombstoneSlice: null,
      observed: { after: at - POLL_MS, by: at },
      seenAt: at,
    },
    {
      feed: { connection: 'main', feed },
      definition,
      timeZone: 'UTC',
      findPeriods: () => ({ periods: [hint], isKnown: true }),
      manifests: new Map([[period.id, manifest]]),
    },
  );
}

function readText(text: string): TimesheetEvent | PayPeriodEvent {
  const read = readEvent(JSON.parse(text));
  if (read.outcome === 'event') return read.event as TimesheetEvent | PayPeriodEvent;
  throw new Error(`the sample week has a wrong event: ${JSON.stringify(read)}`);
}

function seePeriod(period: Period, at: number, closed: string | null): Sight {
  const found = { ...period, closed, payRollCompanyId: '', payRollProvider: 'PaySys' };
  return { feed: 'pay-periods', at, found, period };
}

/** One timesheet from its creation on the evening before to its pay run. */
function liveWorkday(place: number, random: () => number): Sight[] {
  const period = CALENDARS[place % 2] ?? CALENDARS[0];
  const day = MONDAY + Math.floor(place / EMPLOYEES) * DAY_MS;
  const sights: Sight[] = [];
  let found: SourceRecord = buildTimesheet(place, day);
  const see = (hours: number, change: SourceRecord = {}) => {
    // No two polls end at the same instant, so that the order is one.
    const at = day + hours * HOUR_MS + Math.floor(random() * 50) * 60_000 + place * 1_000;
    found = { ...found, ...change };
    sights.push({ feed: 'timesheets', at, found, period });
    return at;
  };
  const stampAt = (hours: number) => toIso(day + hours * HOUR_MS);
  see(-6);
  see(8, { clockIn: clock(`7${place}`, stampAt(8)) });
  see(16, { clockOut: clock(`8${place}`, stampAt(16)) });
  see(33, { approvedHours: stampAt(33) });
  if (random() < 0.2) see(35, { hoursToPay: Number(found.hoursToPay) + 0.5 });
  if (random() < 0.2) {
    see(37, { approvedHours: null });
    see(39, { approvedHours: stampAt(39) });
  }
  if (period !== CALENDARS[0]) return sights;
  const payRun = (MONDAY + 7 * DAY_MS - day) / HOUR_MS;
  see(payRun + 6, { approvedPayroll: 'PAYROLL-2026-11-16' });
  see(payRun + 7, { processed: stampAt(payRun + 7) });
  if (place === 0) see(payRun + 12, { hoursToPay: Number(found.hoursToPay) + 1 });
  return sights;
}

/** As docs/source-api.md, Timesheets has it, without what nobody watches. */
function buildTimesheet(place: number, day: number): SourceRecord {
  const [startTime, finishTime] = [toIso(day + 8 * HOUR_MS), toIso(day + 16 * HOUR_MS)];
  return {
    ...{ id: `91${String(place).padStart(4, '0')}_1`, date: startTime.slice(0, 10), startTime, finishTime },
    ...{
      employeeId: `200${place % EMPLOYEES}_1`,
      department: { id: `50${place % 3}_1` },
      role: { id: '601_1' },
    },
    ...{ shift: null, organisationPayRollId: '1_1', organisationWorkedId: '1_1' },
    ...{ casualJob: false, includesLeave: false, overnight: false, hoursToPay: 7.5, details: [] },
    ...{ clockIn: null, clockOut: null, approvedHours: null, approvedPayroll: null, processed: null },
  };
}

function clock(id: string, instant: string) {
  const localTime = instant.replace('Z', '');
  return { id: `${id}_1`, localTime, variance: 0, kiosk: true, beacon: false };
}

/** What the period comes to as all of it is processed. */
function closingOf(own: readonly { readonly row: LeafRow; readonly found: SourceRecord }[]): CloseManifest {
  const count = own.length;
  const hoursToPay = own.reduce((sum, { found }) => sum + Number(found.hoursToPay), 0);
  const employees = new Set(own.map(({ found }) => found.employeeId)).size;
  const source = { timesheets: count, employees, hours: hoursToPay };
  return {
    ...{ complete: true, missing: null, asOf: toIso(CLOSED_AT - POLL_MS), timesheets: count, employees },
    ...{ approved: count, unapproved: 0, processed: count, unprocessed: 0, hoursToPay },
    ...{ members: 'asked', membersUnknown: 0, sharesDatesWith: [], source, addsUp: true },
    difference: { timesheets: 0, employees: 0, hours: 0 },
    leftovers: [],
  };
}
