import { toPublishedPosition } from '../snapshot/epochs.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import type { Change } from './change.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import { recordAsk } from './unlisted.ts';

interface UnchangedRecord extends Change {
  readonly before: KnownRow;
  readonly rowSlice: string;
  readonly after: NonNullable<Change['after']>;
  readonly tombstoneSlice: null;
}

/** A change without an event: only the stored row is replaced. */
export interface RowRewrite extends UnchangedRecord {
  readonly silent: true;
  readonly rewritten: LeafRow;
}

/** The row after a request by id for an unlisted record that found it unchanged, or failed. */
export function rewriteAsked(known: KnownRow, askedAt: number, seenAt: number | null): RowRewrite {
  const { seenAt: _seenAt, ...row } = known.row;
  const unlisted = recordAsk(row, askedAt);
  return rewriteRow(known, { ...row, unlisted, ...(seenAt === null ? {} : { seenAt }) }, askedAt);
}

/** The row of an unlisted record that is in its list again. */
export function rewriteListed(known: KnownRow, requestedAt: number): RowRewrite {
  const { unlisted: _unlisted, ...row } = known.row;
  return rewriteRow(known, { ...row, seenAt: requestedAt }, requestedAt);
}

/** The row in the present notation of the source. */
export function rewriteNotation(known: KnownRow, { row, requestedAt }: SeenRecord): RowRewrite {
  return rewriteRow(known, { ...known.row, state: row }, requestedAt);
}

/** Another row for a record that did not change. */
export function rewriteRow(known: KnownRow, rewritten: LeafRow, at: number): RowRewrite {
  const unchanged = toUnchanged(known, { observed: { after: null, by: at }, seenAt: at });
  return { ...unchanged, silent: true, rewritten };
}

/** The row moves to another slice as it is. */
export function rewriteSlice(known: KnownRow, slice: string): RowRewrite {
  const change = rewriteRow(known, known.row, known.row.seenAt ?? 0);
  return { ...change, after: { slice, row: known.row.state } };
}

/** A record that is as it was: something else than a change of it is to be stored, or published. */
export function toUnchanged(known: KnownRow, look: Pick<Change, 'observed' | 'seenAt'>): UnchangedRecord {
  const { slice, row } = known;
  return {
    id: row.id,
    before: known,
    rowSlice: slice,
    after: { slice, row: row.state },
    ...toPublishedPosition(row),
    tombstoneSlice: null,
    ...look,
  };
}
