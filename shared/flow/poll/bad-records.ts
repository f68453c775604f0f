import type { BadRecords } from '#shared/core/snapshot/head.ts';

/** Ids that a head names. */
const MAX_NAMED = 50;

/** A head's note of bad records, with more of them. `since`: when they were seen. */
export function addBad(
  bad: BadRecords | null,
  records: readonly { readonly id: string; readonly cause: string }[],
  since: number,
): BadRecords | null {
  const [first] = records;
  if (first === undefined) return bad;
  const ids = [...new Set([...(bad?.ids ?? []), ...records.map(({ id }) => id)])].slice(0, MAX_NAMED);
  return {
    since: bad?.since ?? since,
    count: (bad?.count ?? 0) + records.length,
    ids,
    cause: bad?.cause ?? first.cause,
  };
}

/** Without bad records that can be read again, are gone, or moved; null when none is left. */
export function removeBad(bad: BadRecords | null, ids: readonly string[]): BadRecords | null {
  if (bad === null || ids.length === 0) return bad;
  const count = bad.count - ids.length;
  return count <= 0 ? null : { ...bad, ids: bad.ids.filter((id) => !ids.includes(id)), count };
}
