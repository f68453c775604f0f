import { toPublishedPosition } from '../snapshot/epochs.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import type { Change } from './change.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import { recordAsk } from './unlisted.ts';

/** A change without an event: only the stored row is replaced. */
export interface RowRewrite extends Change {
  readonly before: KnownRow;
  readonly rowSlice: string;
  readonly after: NonNullable<Change['after']>;
  readonly tombstoneSlice: null;
  readonly silent: true;
  readonly rewritten: LeafRow;
}

/** The row after a request by id for an unlisted record that found it unchanged, or failed. */
export function rewriteAsked(known: KnownRow, askedAt: number, seenAt: number | null): RowRewrite {
  const { seenAt: _seenAt, ...row } = known.row;
  const unlisted = recordAsk(row, askedAt);
  return buildRewrite(known, askedAt, { ...row, unlisted, ...(seenAt === null ? {} : { seenAt }) });
}

/** The row of an unlisted record that is in its list again. */
export function rewriteListed(known: KnownRow, requestedAt: number): RowRewrite {
  const { unlisted: _unlisted, ...row } = known.row;
  return buildRewrite(known, requestedAt, { ...row, seenAt: requestedAt });
}

/** The row in the present notation of the source. */
export function rewriteNotation(known: KnownRow, { row, requestedAt }: SeenRecord): RowRewrite {
  return buildRewrite(known, requestedAt, { ...known.row, state: row });
}

/** Another row for a record that did not change. */
export function rewriteRow(known: KnownRow, row: LeafRow, at: number): RowRewrite {
  return buildRewrite(known, at, row);
}

/** The row moves to another slice as it is. */
export function rewriteSlice(known: KnownRow, slice: string): RowRewrite {
  const change = buildRewrite(known, known.row.seenAt ?? 0, known.row);
  return { ...change, after: { slice, row: known.row.state } };
}

function buildRewrite(known: KnownRow, at: number, rewritten: LeafRow): RowRewrite {
  const { slice, row } = known;
  return {
    id: row.id,
    before: known,
    rowSlice: slice,
    after: { slice, row: row.state },
    ...toPublishedPosition(row),
    tombstoneSlice: null,
    observed: { after: null, by: at },
    seenAt: at,
    silent: true,
    rewritten,
  };
}
