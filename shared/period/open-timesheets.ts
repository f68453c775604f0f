import { parseInstant } from '../core/dates.ts';
import { compareIds } from '../core/events/compare-ids.ts';
import { listOpenMatters, readPaidUnits, wasGained } from '../core/events/open-matters.ts';
import { type LedgerEntry, toHours, toUnits } from '../core/periods/ledger.ts';
import { CHANGE_REASONS } from '../core/periods/statement.ts';
import { feedDefinition } from '../core/records/feed-definition.ts';
import type { State } from '../core/records/fields.ts';
import type { StoredRow } from '../core/snapshot/row.ts';
import { readState } from '../core/snapshot/stored-state.ts';
import { formatHours, formatNumber } from '../people/messages/numbers.ts';

const TIMESHEETS = feedDefinition('timesheets');
const LATE = CHANGE_REASONS.indexOf('late');

/** Why a timesheet of a closed pay period is still open. */
type OpenReason = 'added' | 'changed' | 'removed' | 'approved' | 'approval_revoked' | 'processing_reverted';

/** A timesheet that is other than its pay period was closed with, and was not processed since. */
export interface OpenTimesheet {
  readonly timesheetId: string;
  /** These three are null for a removed one. */
  readonly employeeId: string | null;
  readonly departmentId: string | null;
  readonly date: string | null;
  readonly reason: OpenReason;
  /** The hours with which the period closed, or with which it was processed since; null where none were to be paid. */
  readonly was: number | null;
  /** Null for a removed one. */
  readonly hours: number | null;
  readonly approved: boolean;
  /** Hours that are to be paid beside those, or, below zero, to be taken back or held back. */
  readonly difference: number;
}

/** A closed pay period whose closing was counted. */
export interface ClosedCount {
  /** Its timesheets as they are stored. */
  readonly rows: readonly StoredRow[];
  /** That of its latest count. */
  readonly ledger: readonly LedgerEntry[];
  /** Whether the latest count is that of its settling; it then holds what changed since the closing. */
  readonly isSettled: boolean;
  /** Units by timesheet that had come late when it closed, after closings before that. */
  readonly movedBefore: ReadonlyMap<string, number>;
  /** Ids of those that were not approved when it closed; null where it is not known of all. */
  readonly unapproved: ReadonlySet<string> | null;
  /** Then approvals are held against this instant, in milliseconds since 1970. */
  readonly closedAt: number;
  readonly timeZone: string;
  /** False where one of the two counts may lack timesheets of the other: then none counts as added or removed. */
  readonly isComparable: boolean;
}

/** What a closed pay period closed with. */
export type ClosedWith = Omit<ClosedCount, 'rows' | 'isComparable'>;

/** Some of its timesheets, held against that. */
export interface JudgedRows {
  readonly ids: readonly string[];
  readonly found: readonly OpenTimesheet[];
}

/**
 * What of a closed pay period is still open: hours that were added, changed or removed since it closed, approved or
 * revoked since, and that no processing has covered. In the order of dates and ids.
 */
export function listOpenTimesheets({ rows, isComparable, ...closed }: ClosedCount): OpenTimesheet[] {
  return joinOpenTimesheets([createJudge(closed)(rows)], { ...closed, isComparable });
}

/**
 * Compares timesheets with the closing, for example date by date: those of a large period do not fit in memory at
 * once.
 */
export function createJudge({ ledger, ...closed }: ClosedWith): (rows: readonly StoredRow[]) => JudgedRows {
  const entries = new Map(ledger.map((entry) => [entry[0], entry]));
  return (rows) => ({
    ids: rows.map(({ id }) => id),
    found: rows
      .flatMap((row) => judge(row, { ...closed, entry: entries.get(row.id) }))
      .filter(({ difference }) => difference !== 0),
  });
}

/** What was found of all timesheets of a period, with those that are gone. */
export function joinOpenTimesheets(
  judged: readonly JudgedRows[],
  { ledger, isComparable }: Pick<ClosedCount, 'ledger' | 'isComparable'>,
): OpenTimesheet[] {
  const present = new Set(judged.flatMap(({ ids }) => ids));
  const found = judged.flatMap((each) => each.found);
  const known = isComparable ? found : found.filter(({ reason }) => reason !== 'added');
  const removed = isComparable ? ledger.flatMap((entry) => toRemoved(entry, present)) : [];
  return [...known, ...removed].sort(
    (a, b) => compareIds(a.date, b.date) || compareIds(a.timesheetId, b.timesheetId),
  );
}

interface KnownBefore extends Omit<ClosedWith, 'ledger'> {
  /** Absent where the latest count was without it, or it was no member any more. */
  readonly entry: LedgerEntry | undefined;
}

const REASONS = {
  added: 'added',
  changed: 'changed',
  removed: 'removed, or of another period now',
  approved: 'approved',
  approval_revoked: 'approval revoked',
  processing_reverted: 'processing undone',
} as const;

/** `changed 7.5 to 8 h`. */
export function describeReason({ reason, was, hours }: OpenTimesheet): string {
  if (reason !== 'changed' || was === null || hours === null) return REASONS[reason];
  return `changed ${formatNumber(was)} to ${formatHours(hours)}`;
}

/** `changed 7.5 to 8 h, not approved`. */
export function describeOpenTimesheet(open: OpenTimesheet): string {
  const { approved, reason } = open;
  const isMissing = !approved && reason !== 'removed' && reason !== 'approval_revoked';
  return [describeReason(open), ...(isMissing ? ['not approved'] : [])].join(', ');
}

function judge(row: StoredRow, known: KnownBefore): OpenTimesheet[] {
  const state = readState('timesheets', row);
  if (state === null) return [];
  const now = typeof state.hoursToPay === 'number' ? toUnits(state.hoursToPay) : 0;
  const approved = state.approvedHours != null;
  const before = readBefore(row.id, known);
  // All that is known to have come late after a settling was added since the closing.
  const isAdded = before === null || (known.isSettled && before === 0);
  const found = state.processed == null ? judgeUnpaid : judgePaid;
  const open = found({ row, known, state, now, approved, before: isAdded ? null : before });
  if (open === null) return [];
  const { reason, ...units } = open;
  return [{ ...readOwner(state), timesheetId: row.id, reason, approved, ...toHoursOf({ now, ...units }) }];
}

interface Judged {
  readonly row: StoredRow;
  readonly known: KnownBefore;
  readonly state: State;
  readonly now: number;
  readonly approved: boolean;
  /** Units with which the period closed; null where it closed without the timesheet. */
  readonly before: number | null;
}

/** In units. */
interface Found {
  readonly reason: OpenReason;
  readonly was: number | null;
  readonly difference: number;
}

function judgePaid({ row: { sent }, now, before }: Judged): Found | null {
  const paid = readPaidUnits(sent);
  if (paid !== null) return { reason: 'changed', was: paid, difference: now - paid };
  // What came from another period was not processed as one of this one.
  const isAdded = before === null && wasGained(sent);
  return isAdded ? { reason: 'added', was: null, difference: now } : null;
}

function judgeUnpaid({ row, known, state, now, approved, before }: Judged): Found | null {
  const open = listOpenMatters(TIMESHEETS, row.sent).filter(({ late }) => late.includes('close'));
  const isOpen = (type: string) => open.some((matter) => matter.type === type);
  if (isOpen('timesheet.processing_reverted'))
    return { reason: 'processing_reverted', was: null, difference: now };
  if (before === null) return { reason: 'added', was: null, difference: now };
  const wasApproved = wasApprovedBefore(row.id, state.approvedHours, known);
  if (!wasApproved && approved) return { reason: 'approved', was: null, difference: now };
  if (wasApproved && !approved && isOpen('timesheet.approval_revoked'))
    return { reason: 'approval_revoked', was: before, difference: -before };
  return { reason: 'changed', was: before, difference: now - before };
}

/** Its units when the period closed; null where it was no member. */
function readBefore(id: string, { entry = [id, null], isSettled, movedBefore }: KnownBefore): number | null {
  const [, units, ...moved] = entry;
  if (units === null || !isSettled) return units;
  return units - (moved[LATE] ?? 0) + (movedBefore.get(id) ?? 0);
}

function wasApprovedBefore(
  id: string,
  stamp: unknown,
  { unapproved, closedAt, timeZone }: KnownBefore,
): boolean {
  if (unapproved !== null) return !unapproved.has(id);
  const at = typeof stamp === 'string' ? parseInstant(stamp, timeZone) : null;
  return at === null || at <= closedAt;
}

function toRemoved([timesheetId, units]: LedgerEntry, present: ReadonlySet<string>): OpenTimesheet[] {
  if (units === null || units === 0 || present.has(timesheetId)) return [];
  const owner = { employeeId: null, departmentId: null, date: null };
  const hours = toHoursOf({ was: units, now: null, difference: -units });
  return [{ ...owner, timesheetId, reason: 'removed', approved: false, ...hours }];
}

function toHoursOf(units: {
  readonly was: number | null;
  readonly now: number | null;
  readonly difference: number;
}): Pick<OpenTimesheet, 'was' | 'hours' | 'difference'> {
  const [was, hours] = [units.was, units.now].map((each) => (each === null ? null : toHours(each)));
  return { was: was ?? null, hours: hours ?? null, difference: toHours(units.difference) };
}

function readOwner(state: State): Pick<OpenTimesheet, 'employeeId' | 'departmentId' | 'date'> {
  const read = (name: string) => (typeof state[name] === 'string' ? state[name] : null);
  return { employeeId: read('employeeId'), departmentId: read('departmentId'), date: read('date') };
}
