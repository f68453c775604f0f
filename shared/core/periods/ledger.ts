import { hash } from 'node:crypto';
import { CHANGE_REASONS, type ChangeReason } from './statement.ts';

/** Hours are added up in 1/10,000 hour, as whole numbers: their sums are exact in any order. */
const UNITS_PER_HOUR = 10_000;
const NAME_DIGITS = 20;

/**
 * A timesheet in a ledger: its id, its hours in units, null once it is no member any more; and how they differ from
 * those at the first closing, in units by reason. Trailing zeros are left out.
 */
export type LedgerEntry = readonly [id: string, units: number | null, ...moved: number[]];

export interface LedgerMember {
  readonly id: string;
  readonly hoursToPay: number;
}

/** The time between two counts. */
export interface Span {
  /** To which a difference of a timesheet is put down that both counts could see. */
  readonly reason: Exclude<ChangeReason, 'recounted'>;
  /** Both counts were of the same timesheets: what only one of them has was added or removed in between. */
  readonly isComparable: boolean;
}

export type HoursByReason = Readonly<Record<ChangeReason, number>>;
export const NOTHING_MOVED: HoursByReason = { late: 0, reopened: 0, recounted: 0 };

export function toUnits(hours: number): number {
  return Math.round(hours * UNITS_PER_HOUR);
}

export function toHours(units: number): number {
  return units / UNITS_PER_HOUR + 0;
}

/** The same for the same entries: a ledger is never overwritten by another one. */
export function nameLedger(entries: readonly LedgerEntry[]): string {
  return hash('sha256', JSON.stringify(entries), 'hex').slice(0, NAME_DIGITS);
}

/** The ledger of a first count. */
export function openLedger(members: readonly LedgerMember[]): LedgerEntry[] {
  return sortEntries(members.map(({ id, hoursToPay }): LedgerEntry => [id, toUnits(hoursToPay)]));
}

/** The ledger of the next count, with what changed in between put down to its reason. */
export function advanceLedger(
  before: readonly LedgerEntry[],
  members: readonly LedgerMember[],
  span: Span,
): LedgerEntry[] {
  const now = new Map(members.map(({ id, hoursToPay }) => [id, toUnits(hoursToPay)]));
  const known = new Set(before.map(([id]) => id));
  const added = members.filter(({ id }) => !known.has(id)).map(({ id }): LedgerEntry => [id, null]);
  const entries = [...before, ...added].map((entry) => advanceEntry(entry, now.get(entry[0]) ?? null, span));
  return sortEntries(entries);
}

function advanceEntry([id, before, ...moved]: LedgerEntry, now: number | null, span: Span): LedgerEntry {
  const { reason, isComparable } = span;
  const isInBoth = before !== null && now !== null;
  const place = CHANGE_REASONS.indexOf(isInBoth || isComparable ? reason : 'recounted');
  const sums = CHANGE_REASONS.map((_, at) => moved[at] ?? 0);
  sums[place] = (sums[place] ?? 0) + (now ?? 0) - (before ?? 0);
  return [id, now, ...sums.slice(0, sums.findLastIndex((sum) => sum !== 0) + 1)];
}

/** What is left of a timesheet that is gone, and whose hours come to what they were, is nothing. */
function sortEntries(entries: readonly LedgerEntry[]): LedgerEntry[] {
  return entries
    .filter(([, units, ...moved]) => units !== null || moved.length > 0)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Units by which the timesheets of a ledger moved, by reason. */
export function sumLedger(entries: readonly LedgerEntry[]): HoursByReason {
  const sum = (place: number) => entries.reduce((total, [, , ...moved]) => total + (moved[place] ?? 0), 0);
  const [late = 0, reopened = 0, recounted = 0] = CHANGE_REASONS.map((_, place) => sum(place));
  return { late, reopened, recounted };
}

interface LedgerChange {
  readonly timesheetId: string;
  readonly reason: ChangeReason;
  readonly units: number;
}

/** The timesheets whose hours moved, the largest change first. A timesheet that moved for two reasons comes twice. */
export function listMoved(entries: readonly LedgerEntry[]): LedgerChange[] {
  return entries
    .flatMap(([timesheetId, , ...moved]) =>
      CHANGE_REASONS.map((reason, place) => ({ timesheetId, reason, units: moved[place] ?? 0 })),
    )
    .filter(({ units }) => units !== 0)
    .sort((a, b) => Math.abs(b.units) - Math.abs(a.units) || (a.timesheetId < b.timesheetId ? -1 : 1));
}
