import { hash } from 'node:crypto';
import { isMisdated } from '../clock-tolerance.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import { computeBackoff, WAITS } from '../waits.ts';

/** How often an unlisted record was requested by id, and when last. */
export type Unlisted = NonNullable<LeafRow['unlisted']>;

/** Share of each wait that differs from record to record, so that a thousand records do not fall due at once. */
const SPREAD = 0.25;
/** A check that is overdue by more belongs to an earlier absence: the record was listed in between. */
const MAX_OVERDUE_MS = 3 * WAITS.absentRecord.maxMs;

/** An absent record, with what decides when to request it by id. */
export interface Absent {
  readonly slice: string;
  readonly row: Pick<LeafRow, 'id' | 'unlisted'>;
}

/** Instant at which to request an absent record again; null when it was never requested by id. */
export function computeNextCheckAt({ id, unlisted }: Absent['row']): number | null {
  return unlisted === undefined ? null : computeCheckAt(id, unlisted);
}

function computeCheckAt(id: string, { asks, askedAt }: Unlisted): number {
  return askedAt + computeBackoff(asks, WAITS.absentRecord) * (1 - SPREAD * hashToFraction(id));
}

/** Whether an absent record is to be requested by id now. One that never was always is. */
function isCheckDue({ id, unlisted }: Absent['row'], now: number): boolean {
  if (unlisted === undefined) return true;
  return computeCheckAt(id, unlisted) <= now || isMisdated(unlisted.askedAt, now);
}

/** Whether the fate of an absent record is unknown although its request by id was due by that instant. */
export function isUnproven(row: Absent['row'], answers: ReadonlyMap<string, unknown>, now: number): boolean {
  return !answers.has(row.id) && isCheckDue(row, now);
}

/** The records to request by id now: first those that never were, then the most overdue. */
export function selectDueChecks<Row extends Absent>(absent: readonly Row[], now: number): readonly Row[] {
  const timed = absent.map((each) => ({ each, at: computeNextCheckAt(each.row) ?? 0 }));
  return timed
    .filter(({ each }) => isCheckDue(each.row, now))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

/** The note of a record after one more request that did not prove its removal. */
export function recordAsk({ id, unlisted }: Absent['row'], askedAt: number): Unlisted {
  const isNew = unlisted === undefined || askedAt - computeCheckAt(id, unlisted) > MAX_OVERDUE_MS;
  return { asks: isNew ? 1 : unlisted.asks + 1, askedAt };
}

/** A number from 0 to 1, always the same for an id. */
function hashToFraction(id: string): number {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 8), 16) / 0xffffffff;
}
