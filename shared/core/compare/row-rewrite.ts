import type { LeafRow } from '../snapshot/snapshot.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import { recordAsk } from './unlisted.ts';

/** A change of which there is nothing to tell: only what is kept of the record becomes another. */
export interface RowRewrite {
  readonly id: string;
  readonly before: KnownRow;
  readonly rowSlice: string;
  readonly after: { readonly slice: string; readonly row: LeafRow['state'] };
  readonly sequence: number;
  readonly tombstoneSlice: null;
  readonly observed: { readonly after: null; readonly by: number };
  readonly seenAt: number;
  readonly silent: true;
  readonly rewritten: LeafRow;
}

/** A record was asked for that its list leaves out: it is as it is known, or nobody can say. */
export function rewriteAsked(known: KnownRow, askedAt: number, seenAt: number | null): RowRewrite {
  const { seenAt: _seenAt, ...row } = known.row;
  const unlisted = recordAsk(row, askedAt);
  return buildRewrite(known, askedAt, { ...row, unlisted, ...(seenAt === null ? {} : { seenAt }) });
}

/** A record that was asked for by id stands in its list again. */
export function rewriteListed(known: KnownRow, requestedAt: number): RowRewrite {
  const { unlisted: _unlisted, ...row } = known.row;
  return buildRewrite(known, requestedAt, { ...row, seenAt: requestedAt });
}

/** The row takes over the notation of the source; nothing happened to the record. */
export function rewriteNotation(known: KnownRow, { row, requestedAt }: SeenRecord): RowRewrite {
  return buildRewrite(known, requestedAt, { ...known.row, state: row });
}

/** The row of a record goes to another slice as it is. */
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
    sequence: row.sequence,
    tombstoneSlice: null,
    observed: { after: null, by: at },
    seenAt: at,
    silent: true,
    rewritten,
  };
}
