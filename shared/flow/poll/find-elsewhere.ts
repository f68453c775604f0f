import type { Difference, SeenChange } from '#shared/core/compare/compare.ts';
import {
  countRecords,
  findBucketsAt,
  type Head,
  nameSlice,
  type SliceKey,
} from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { PollRun } from './run.ts';

/** Buckets that are read at once. */
const BUCKETS_AT_ONCE = 100;

/** The rows of ids on other dates, with where they are: an id that is unknown on its date may have moved (rule 6). */
export async function findElsewhere(
  ids: readonly string[],
  here: SliceKey,
  run: PollRun,
): Promise<ReadonlyMap<string, { readonly row: StoredRow; readonly key: SliceKey }>> {
  const found = new Map<string, { row: StoredRow; key: SliceKey }>();
  if (ids.length === 0) return found;
  const wanted = new Set(ids);
  for (const head of listOthers(here, run)) {
    const { feed, slice } = head;
    for (const row of await readRowsOf(head, ids, run))
      if (wanted.has(row.id)) found.set(row.id, { row, key: { feed, slice } });
  }
  return found;
}

function listOthers(here: SliceKey, { memory }: PollRun): Head[] {
  return [...memory.heads.values()].filter(
    (head) => head.feed === here.feed && nameSlice(head) !== nameSlice(here) && countRecords(head) > 0,
  );
}

/** The rows of those buckets that may hold some ids. */
async function readRowsOf(
  head: Head,
  ids: readonly string[],
  { ports, lease }: PollRun,
): Promise<readonly StoredRow[]> {
  const { feed, slice } = head;
  const refs = findBucketsAt(head, ids).filter(({ count }) => count > 0);
  const rows: StoredRow[] = [];
  for (let start = 0; start < refs.length; start += BUCKETS_AT_ONCE) {
    const keys = refs.slice(start, start + BUCKETS_AT_ONCE).map(({ from }) => ({ feed, slice, from }));
    rows.push(...(await ports.store.readBuckets(lease.connection, keys)).flat());
  }
  return rows;
}

/** Differences with the records that moved to them, without bad ones that another date has. */
export function addMovedIn(
  differences: readonly Difference[],
  elsewhere: ReadonlyMap<string, { readonly row: StoredRow }>,
): readonly Difference[] {
  if (elsewhere.size === 0) return differences;
  return differences.map((difference) => ({
    ...difference,
    bad: difference.bad.filter(({ id, row }) => row !== null || !elsewhere.has(id)),
    movedIn: [...difference.unknown].flatMap(([id, text]): SeenChange[] => {
      const row = elsewhere.get(id)?.row;
      return row === undefined || row.text === null ? [] : [{ row, text }];
    }),
  }));
}

/** Ids that a slice has no row of, readable or not. */
export function listUnknown(differences: readonly Difference[]): string[] {
  return differences.flatMap(({ unknown, bad }) => [
    ...unknown.keys(),
    ...bad.filter(({ row }) => row === null).map(({ id }) => id),
  ]);
}
