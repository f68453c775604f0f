import type { LeafRow } from '../snapshot/snapshot.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import { askedAgain } from './unlisted.ts';

/** A change of which there is nothing to tell: only what is kept of the record becomes another. */
export interface Rewriting {
  readonly id: string;
  readonly before: KnownRow;
  readonly standsIn: string;
  readonly after: { readonly slice: string; readonly row: LeafRow['state'] };
  readonly sequence: number;
  readonly tombstoneIn: null;
  readonly observed: { readonly after: null; readonly by: number };
  readonly seenAt: number;
  readonly silent: true;
  readonly rewritten: LeafRow;
}

/** A record was asked for that its list leaves out: it is as it is known, or nobody can say. */
export function asked(known: KnownRow, askedAt: number, seenAt: number | null): Rewriting {
  const { seenAt: _seenAt, ...row } = known.row;
  const unlisted = askedAgain(row, askedAt);
  return rewriting(known, askedAt, { ...row, unlisted, ...(seenAt === null ? {} : { seenAt }) });
}

/** A record that was asked for by id stands in its list again. */
export function listedAgain(known: KnownRow, requestedAt: number): Rewriting {
  const { unlisted: _unlisted, ...row } = known.row;
  return rewriting(known, requestedAt, { ...row, seenAt: requestedAt });
}

/** The row takes over the notation of the source; nothing happened to the record. */
export function renoted(known: KnownRow, { row, requestedAt }: SeenRecord): Rewriting {
  return rewriting(known, requestedAt, { ...known.row, state: row });
}

/** The row of a record goes to another slice as it is. */
export function relocated(known: KnownRow, slice: string): Rewriting {
  const change = rewriting(known, known.row.seenAt ?? 0, known.row);
  return { ...change, after: { slice, row: known.row.state } };
}

function rewriting(known: KnownRow, at: number, rewritten: LeafRow): Rewriting {
  const { slice, row } = known;
  return {
    id: row.id,
    before: known,
    standsIn: slice,
    after: { slice, row: row.state },
    sequence: row.sequence,
    tombstoneIn: null,
    observed: { after: null, by: at },
    seenAt: at,
    silent: true,
    rewritten,
  };
}
