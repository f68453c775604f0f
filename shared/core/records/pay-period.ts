import * as z from 'zod';
import { dropMisdated } from '../clock-tolerance.ts';
import { addDays } from '../dates.ts';
import { isRecord, type Json, type SourceRecord, type WatchedField } from './fields.ts';
import { isSameValue } from './notation.ts';
import {
  isNothing,
  MAX_LABEL_CHARACTERS,
  nothingToNull,
  readNote,
  readValue,
  roundNumber,
  stamp,
  text,
} from './values.ts';

/**
 * The watched fields of a pay period (docs/source-api.md, Pay periods). Its totals are hints for the planner, not
 * watched.
 */
export const payPeriodStateSchema = z.strictObject({
  /** Name of the pay calendar. */
  calendar: text,
  startDate: z.iso.date(),
  finishDate: z.iso.date(),
  /** Date closed, or null while it is open. */
  closed: stamp,
  payRollCompanyId: text.nullable(),
  payRollProvider: text.nullable(),
});
export type PayPeriodState = z.output<typeof payPeriodStateSchema>;

/** The watched fields in stored order. Append only, see `TIMESHEET_FIELDS`. */
export const PAY_PERIOD_FIELDS: readonly WatchedField<PayPeriodState>[] = [
  { name: 'calendar', read: (record) => readCalendar(record.calendar) },
  { name: 'startDate', read: (record) => readValue(record.startDate) },
  { name: 'finishDate', read: (record) => readValue(record.finishDate) },
  { name: 'closed', read: (record, readStamp) => readStamp(record.closed) },
  { name: 'payRollCompanyId', read: (record) => nothingToNull(record.payRollCompanyId) },
  { name: 'payRollProvider', read: (record) => readNote(record.payRollProvider, MAX_LABEL_CHARACTERS) },
];

/** Empty where a source names no calendar. */
function readCalendar(value: unknown): Json {
  return typeof value === 'string' && isNothing(value) ? '' : readNote(value, MAX_LABEL_CHARACTERS);
}

const instant = z.number();

/** What the feed of timesheets and the alerts need of a pay period, and what is stored of it. */
export const payPeriodHintSchema = z.object({
  id: z.string(),
  /** Name of the pay calendar; empty where the source names none. */
  calendar: z.string(),
  startDate: z.string(),
  finishDate: z.string(),
  closed: z.boolean(),
  /** The source's own stamp of the closing, a date or a date-time; absent while it is open. */
  closedStamp: z.string().optional(),
  /**
   * The start of the last look that showed it open, null when it is not known, and when the first answer that showed it
   * closed had come. Absent while it is open, and where a wrong clock dated it.
   */
  closedBetween: z.object({ after: instant.nullable(), by: instant }).optional(),
  /**
   * Its closing is seen and not published yet, so that what changes now is in the numbers that it will be published with.
   * `again`: another closing of it was published before. Absent where nothing is held.
   */
  heldClosing: z.enum(['first', 'again']).optional(),
  /** `hours/employees/timesheets`: changes when the period's totals do. */
  totals: z.string(),
  /** Instant of the first scan that saw these totals; absent where it is not known. */
  totalsSince: instant.optional(),
  /** Start of the last look that showed it; absent where the list that it is stored with shows it. */
  seenAt: instant.optional(),
});
export type PayPeriodHint = Readonly<z.output<typeof payPeriodHintSchema>>;
type ClosedBetween = NonNullable<PayPeriodHint['closedBetween']>;

/** A longer period is a typing error: it is not counted, no statement of it is made, and nothing waits for it. */
const MAX_PERIOD_DAYS = 400;

export function covers(period: Pick<PayPeriodHint, 'startDate' | 'finishDate'>, date: string): boolean {
  return period.startDate <= date && date <= period.finishDate;
}

/** Whether the dates of a period are walked over: not of one that ends in the year 9999. */
export function isOfUsualLength({
  startDate,
  finishDate,
}: Pick<PayPeriodHint, 'startDate' | 'finishDate'>): boolean {
  return finishDate <= addDays(startDate, MAX_PERIOD_DAYS);
}

/**
 * Whether a pay period that is counted closed or was reopened. `closedBefore`: as it is stored. Another notation is no
 * change (ADR 12).
 */
export function isClosedOrReopened(
  period: PayPeriodState,
  closedBefore: Json | undefined,
  timeZone: string,
): boolean {
  return isOfUsualLength(period) && !isSameValue(period.closed, closedBefore ?? null, timeZone);
}

/** A hint with the look that showed it. */
export interface SeenPayPeriod extends PayPeriodHint {
  /** Absent where the look did not show the period, and the hint is what was known before. */
  readonly look?: { readonly requestedAt: number; readonly receivedAt: number };
  /** Whether the poll that looked held its closing; absent where that is not known. */
  readonly isClosingHeld?: boolean;
  /** It is as it is stored, for no answer showed it: a closing that is held is not stored yet. */
  readonly isAsStored?: boolean;
}

const TOTALS = ['hours', 'numberEmployees', 'numberTimesheets'] as const;
/** What no company works in a pay period. */
const MAX_TOTAL = 1e9;

/** The total of a pay period that cannot be one, by its name; null where there is none. */
export function findImpossibleTotal(record: SourceRecord): string | null {
  const isImpossible = (value: unknown) => typeof value === 'number' && Math.abs(value) > MAX_TOTAL;
  return TOTALS.find((name) => isImpossible(record[name])) ?? null;
}

/** The hint of a period whose state is valid. `record`: as the source returned it, with its totals. */
export function readPayPeriodHint(id: string, state: PayPeriodState, record: unknown): PayPeriodHint {
  const totals = TOTALS.map((name) => String(readValue(isRecord(record) ? record[name] : undefined)));
  return {
    id,
    calendar: state.calendar,
    startDate: state.startDate,
    finishDate: state.finishDate,
    closed: state.closed !== null,
    ...(state.closed === null ? {} : { closedStamp: state.closed }),
    totals: totals.join('/'),
  };
}

/** Pay periods as stored, and the start of the look that they are from. */
export interface KnownPayPeriods {
  readonly payPeriods: readonly PayPeriodHint[];
  readonly payPeriodsAt?: number | null | undefined;
}

/** When the list was read anew, and what the clock shows now. */
export interface HintLook {
  readonly scannedAt: number;
  readonly now: number;
  readonly timeZone: string;
}

/**
 * Pay periods as a look saw them, with the instants since which their totals are as they are, and of their closing. A
 * look that does not say so itself holds a closing that is not published yet.
 */
export function dateHints(
  seen: readonly SeenPayPeriod[],
  { payPeriods, payPeriodsAt = null }: KnownPayPeriods,
  at: HintLook,
): PayPeriodHint[] {
  const known = new Map(payPeriods.map((hint) => [hint.id, hint]));
  return seen.map((period) => {
    const last = known.get(period.id);
    const { look, isClosingHeld, ...hint } = keepHeldClosing(period, last, at.timeZone);
    const {
      closedBetween: _closed,
      seenAt: _seen,
      heldClosing: _held,
      isAsStored: _stored,
      ...values
    } = hint;
    // Who was not seen comes without totals of its own.
    const totals = look === undefined ? (last?.totals ?? hint.totals) : hint.totals;
    const isSame = last?.totalsSince !== undefined && last.totals === totals;
    const lastSeenAt = dropMisdated(last?.seenAt ?? payPeriodsAt, at.now);
    return {
      ...values,
      totals,
      totalsSince: isSame ? last.totalsSince : at.scannedAt,
      ...(hint.closed ? describeClosing({ hint, last, lastSeenAt, by: look?.receivedAt ?? at.now }, at) : {}),
      ...((isClosingHeld ?? !isClosingPublished(hint, last, at.timeZone)) ? describeHeld(last) : {}),
      ...(look === undefined ? describeLastLook(last, lastSeenAt) : {}),
    };
  });
}

/** A period of which no answer says more stays closed while its closing is held: its row is older than that. */
function keepHeldClosing(
  period: SeenPayPeriod,
  last: PayPeriodHint | undefined,
  timeZone: string,
): SeenPayPeriod {
  const isOlder = !period.closed || (last !== undefined && isRestamped(period, last, timeZone));
  return period.isAsStored === true && last?.heldClosing !== undefined && isOlder ? last : period;
}

function describeClosing(seen: SeenClosed, at: HintLook): Pick<PayPeriodHint, 'closedBetween'> {
  const closedBetween = findClosing(seen, at);
  return closedBetween === undefined ? {} : { closedBetween };
}

function describeLastLook(
  last: PayPeriodHint | undefined,
  seenAt: number | null,
): Pick<PayPeriodHint, 'seenAt'> {
  return last === undefined || seenAt === null ? {} : { seenAt };
}

function describeHeld(last: PayPeriodHint | undefined): Pick<PayPeriodHint, 'heldClosing'> {
  return { heldClosing: last?.heldClosing ?? (last?.closed === true ? 'again' : 'first') };
}

/** Of a period that was closed when it was first seen no closing is published. */
function isClosingPublished(hint: PayPeriodHint, last: PayPeriodHint | undefined, timeZone: string): boolean {
  if (!hint.closed || last === undefined) return true;
  return last.closed && last.heldClosing === undefined && !isRestamped(hint, last, timeZone);
}

interface SeenClosed {
  readonly hint: PayPeriodHint;
  readonly last: PayPeriodHint | undefined;
  readonly lastSeenAt: number | null;
  readonly by: number;
}

/** A new stamp is another closing: the period may have been open in between. */
function findClosing(
  { hint, last, lastSeenAt, by }: SeenClosed,
  { now, timeZone }: HintLook,
): ClosedBetween | undefined {
  // New on the list, or on the first one: it may have closed at any time before it was shown.
  if (last === undefined) return { after: null, by };
  if (!last.closed || isRestamped(hint, last, timeZone)) return { after: lastSeenAt, by };
  return readClosedBetween(last, now);
}

function isRestamped(hint: PayPeriodHint, last: PayPeriodHint, timeZone: string): boolean {
  const [before, now] = [last.closedStamp, hint.closedStamp];
  return before !== undefined && now !== undefined && !isSameValue(before, now, timeZone);
}

/** Between which looks a period closed; instants ahead of now came from a wrong clock and are not known. */
export function readClosedBetween(
  { closedBetween }: Pick<PayPeriodHint, 'closedBetween'>,
  now: number,
): ClosedBetween | undefined {
  if (closedBetween === undefined || dropMisdated(closedBetween.by, now) === null) return undefined;
  return { after: dropMisdated(closedBetween.after, now), by: closedBetween.by };
}

/** What a pay period comes to. `hours`: payable hours. */
export interface PayPeriodTotals {
  readonly timesheets: number;
  readonly employees: number;
  readonly hours: number;
}

/** Sources round the hours of a period; a difference below this is theirs. */
const MIN_HOURS_APART = 0.01;

/** Of `hours/employees/timesheets`, as hints have it; null when the source did not give all three as numbers. */
export function parseTotals(text: string): PayPeriodTotals | null {
  const [hours, employees, timesheets, ...rest] = text.split('/').map(parseNumber);
  if (hours == null || !isCount(employees) || !isCount(timesheets) || rest.length > 0) return null;
  return { timesheets, employees, hours };
}

function parseNumber(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

function isCount(value: number | null | undefined): value is number {
  return value != null && Number.isSafeInteger(value) && value >= 0;
}

export function subtractTotals(left: PayPeriodTotals, right: PayPeriodTotals): PayPeriodTotals {
  return {
    timesheets: left.timesheets - right.timesheets,
    employees: left.employees - right.employees,
    hours: roundNumber(left.hours - right.hours),
  };
}

export function areTotalsEqual(left: PayPeriodTotals, right: PayPeriodTotals): boolean {
  const { timesheets, employees, hours } = subtractTotals(left, right);
  return timesheets === 0 && employees === 0 && Math.abs(hours) < MIN_HOURS_APART;
}
