import { hash } from 'node:crypto';
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';

/** Times and last instant of asking for a record by id, as its row keeps them. */
export type Unlisted = NonNullable<LeafRow['unlisted']>;

const MINUTE_MS = 60_000;
/** Minutes between questions double up to this. */
const MAX_WAIT_MS = 60 * MINUTE_MS;
/** Of each wait, the part that differs from record to record, so that a thousand of them do not fall due at once. */
const SPREAD = 0.25;
/** A question that has been due for longer belongs to an earlier absence: the record was listed in between. */
const MAX_OVERDUE_MS = 3 * MAX_WAIT_MS;

/** An absent record, with as much of its row as it takes to decide when to ask for it. */
export interface Absent {
  readonly slice: string;
  readonly row: Pick<LeafRow, 'id' | 'unlisted'>;
}

/** Instant at which an absent record is to be asked for again; null when it was never asked for. */
export function computeNextCheckAt({ id, unlisted }: Absent['row']): number | null {
  if (unlisted === undefined) return null;
  const { asks, askedAt } = unlisted;
  const wait = Math.min(2 ** (asks - 1) * MINUTE_MS, MAX_WAIT_MS);
  return askedAt + wait * (1 - SPREAD * hashToFraction(id));
}

/** Those to ask for now: who was never asked for first, then the longest overdue. */
export function selectDueChecks<Row extends Absent>(absent: readonly Row[], now: number): readonly Row[] {
  const timed = absent.map((each) => ({
    each,
    at: computeNextCheckAt(each.row) ?? Number.NEGATIVE_INFINITY,
  }));
  return timed
    .filter(({ at, each }) => at <= now || (each.row.unlisted?.askedAt ?? 0) > now + CLOCK_TOLERANCE_MS)
    .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))
    .map(({ each }) => each);
}

/** The mark of a record after it was asked for once more and is neither listed nor proven to be gone. */
export function recordAsk({ unlisted, ...row }: Absent['row'], askedAt: number): Unlisted {
  const due = computeNextCheckAt({ ...row, ...(unlisted === undefined ? {} : { unlisted }) });
  const isNew = unlisted === undefined || due === null || askedAt - due > MAX_OVERDUE_MS;
  return { asks: isNew ? 1 : unlisted.asks + 1, askedAt };
}

/** A number from 0 to 1 that is always the same for an id. */
function hashToFraction(id: string): number {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 8), 16) / 0xffffffff;
}
