import type { FeedState } from './feed-state.ts';
import type { KnownRow } from './questions.ts';
import type { SliceHead } from './snapshot.ts';

/** When a slice that empties at once is doubted (design, section 9). */
export interface VanishingRule {
  /** More than this share of the records of a slice, 0 to 1. */
  readonly share: number;
  readonly records: number;
  /** Minutes after which it is believed, record by record, when each answers 404. */
  readonly minutes: number;
}

/** What to make of the absences of one scan. */
export interface Doubt {
  /** Slices that lost too much at once, with how many records. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Absent records that are worth asking for by id. */
  readonly askable: readonly KnownRow[];
}

/** Keeps absences of slices that vanished at once from being asked for, until they have been gone for long enough. */
export function doubtAbsences(
  absent: readonly KnownRow[],
  heads: ReadonlyMap<string, SliceHead>,
  rule: { readonly vanishing: VanishingRule; readonly shrunk: FeedState['shrunk']; readonly now: number },
): Doubt {
  const counts = new Map<string, number>();
  for (const { slice } of absent) counts.set(slice, (counts.get(slice) ?? 0) + 1);
  const { share, records, minutes } = rule.vanishing;
  const shrunk = new Map(
    [...counts].filter(([slice, count]) => {
      const known = heads.get(slice)?.recordCount ?? 0;
      // A slice in doubt stays in doubt until it is whole again: it may be believed piece by piece.
      return rule.shrunk[slice] !== undefined || (count >= records && count > share * known);
    }),
  );
  const believed = (slice: string) => {
    const since = rule.shrunk[slice]?.since;
    return since !== undefined && rule.now - since >= minutes * 60_000;
  };
  return { shrunk, askable: absent.filter(({ slice }) => !shrunk.has(slice) || believed(slice)) };
}
