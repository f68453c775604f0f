import type { DateRange } from '../dates.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import { areNeighbours, type DueSlice } from './agenda.ts';

/** Records of one scan, so that memory stays flat; a single slice may hold more. */
export const SCAN_MAX_RECORDS = 20_000;
/** A neighbour may come along when it is owed at least this share of what the first date of a part is owed. */
const NEIGHBOUR_SHARE = 0.5;

/** Slices that are fetched together: a range of dates, or the whole list. */
export interface PlanPart {
  readonly range: DateRange | null;
  readonly slices: readonly string[];
  readonly isHot: boolean;
  /** It was cut out of a part that moved while it was read, and is not cut again. */
  readonly isRepeated?: true;
}

/** What a part may hold, and what a page holds. */
export interface PartBounds {
  readonly maxRecords: number;
  readonly pageSize: number;
}

/**
 * The part that begins with the first of some due slices: with it come neighbours that are due as well, while they
 * fit and are owed about as much, or while they cost no page of their own.
 */
export function partAround(first: DueSlice, due: readonly DueSlice[], bounds: PartBounds): PlanPart {
  if (first.slice === WHOLE_LIST) return partOf([WHOLE_LIST], true);
  const chosen = [first];
  for (;;) {
    const next = due.find((each) => !chosen.includes(each) && comesAlong(each, chosen, bounds));
    if (next === undefined) break;
    chosen.push(next);
  }
  return partOf(
    chosen.map(({ slice }) => slice),
    first.class === 'hot',
  );
}

function comesAlong(candidate: DueSlice, chosen: readonly DueSlice[], bounds: PartBounds): boolean {
  const [first] = chosen;
  if (first === undefined || (candidate.class === 'hot') !== (first.class === 'hot')) return false;
  if (!chosen.some(({ slice }) => areNeighbours(slice, candidate.slice))) return false;
  // Of dates that nobody counted, the first page tells how many fit.
  if ((candidate.records === null) !== (first.records === null)) return false;
  const records = [...chosen, candidate].reduce((sum, each) => sum + (each.records ?? 0), 0);
  if (records > bounds.maxRecords) return false;
  return candidate.lateness >= NEIGHBOUR_SHARE * first.lateness || records <= bounds.pageSize;
}

export function partOf(slices: readonly string[], isHot: boolean): PlanPart {
  const inOrder = slices.toSorted();
  const [from = '', to = from] = [inOrder[0], inOrder.at(-1)];
  return { range: from === WHOLE_LIST ? null : { from, to }, slices: inOrder, isHot };
}

/** Two halves of a part; empty when it is one slice. */
export function halvesOf({ slices, isHot }: PlanPart): PlanPart[] {
  return slices.length < 2 ? [] : chunksOf(slices, Math.ceil(slices.length / 2), isHot);
}

/** A part that turned out to hold too much, cut into pieces that are expected to fit. */
export function cutPart(
  { slices, isHot }: PlanPart,
  { totalRecords, maxRecords }: { readonly totalRecords: number; readonly maxRecords: number },
): PlanPart[] {
  const fitting = Math.floor((slices.length * maxRecords) / Math.max(1, totalRecords));
  return chunksOf(slices, Math.min(slices.length - 1, Math.max(1, fitting)), isHot);
}

function chunksOf(slices: readonly string[], size: number, isHot: boolean): PlanPart[] {
  const parts: PlanPart[] = [];
  for (let from = 0; from < slices.length; from += size)
    parts.push(partOf(slices.slice(from, from + size), isHot));
  return parts;
}
