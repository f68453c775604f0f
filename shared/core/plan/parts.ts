import { addDays, type DateRange } from '../dates.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import type { DueSlice } from './agenda.ts';
import { countPages } from './pace-meter.ts';

/** Records of one scan, so that memory stays bounded; a single slice may hold more. */
export const MAX_SCAN_RECORDS = 20_000;
/** A neighbour joins when its time since the last scan, in cadences, is at least this share of that of the first. */
const NEIGHBOUR_SHARE = 0.5;

/** Slices that are fetched together. `range`: their dates; null for the whole list. */
export interface PlanPart {
  readonly range: DateRange | null;
  readonly slices: readonly string[];
  readonly isHot: boolean;
  readonly expectedRecords: number;
  /** It was cut out of a part whose list changed while it was read, and is not cut again. */
  readonly isRepeated?: true;
}

/** `pageSize`: records on a page. */
export interface PartBounds {
  readonly maxRecords: number;
  readonly pageSize: number;
}

/** Slices that may join a part. */
export interface Candidates {
  readonly due: readonly DueSlice[];
  /** Not due yet. */
  readonly early: readonly DueSlice[];
}

/**
 * The part around a due slice. Due neighbours join while they fit and are about as late, or cost no page of their own;
 * then neighbours that are not due yet, if the last page has room for them.
 */
export function buildPartAround(first: DueSlice, { due, early }: Candidates, bounds: PartBounds): PlanPart {
  if (first.slice === WHOLE_LIST) return buildPart([WHOLE_LIST], { isHot: true, expectedRecords: 0 });
  const chosen = [first];
  for (;;) {
    const next = due.find((each) => !chosen.includes(each) && canJoin(each, chosen, bounds));
    if (next === undefined) break;
    chosen.push(next);
  }
  for (;;) {
    const next = early.find((each) => !chosen.includes(each) && comesForNothing(each, chosen, bounds));
    if (next === undefined) break;
    chosen.push(next);
  }
  return buildPart(
    chosen.map(({ slice }) => slice),
    { isHot: first.class === 'hot', expectedRecords: sumExpectedRecords(chosen) },
  );
}

function canJoin(candidate: DueSlice, chosen: readonly DueSlice[], bounds: PartBounds): boolean {
  const [first] = chosen;
  if (first === undefined || first.isAlone || candidate.isAlone) return false;
  if ((candidate.class === 'hot') !== (first.class === 'hot')) return false;
  if (!chosen.some(({ slice }) => areNeighbours(slice, candidate.slice))) return false;
  // A date that was never counted may hold far more than is expected.
  if ((candidate.records === null) !== (first.records === null)) return false;
  const records = sumExpectedRecords([...chosen, candidate]);
  if (records > bounds.maxRecords) return false;
  return 1 + candidate.lateness >= NEIGHBOUR_SHARE * (1 + first.lateness) || records <= bounds.pageSize;
}

/** Whether one date is the day after the other. */
export function areNeighbours(left: string, right: string): boolean {
  return addDays(left, 1) === right || addDays(right, 1) === left;
}

/** Whether a date with a complete scan adds no page. */
function comesForNothing(candidate: DueSlice, chosen: readonly DueSlice[], bounds: PartBounds): boolean {
  const wasTried = candidate.dueAt !== candidate.owedSince;
  if (wasTried || !canJoin(candidate, chosen, { ...bounds, pageSize: bounds.maxRecords })) return false;
  const pagesOf = (slices: readonly DueSlice[]) => countPages(sumExpectedRecords(slices), bounds.pageSize);
  return candidate.records !== null && pagesOf([...chosen, candidate]) === pagesOf(chosen);
}

function sumExpectedRecords(slices: readonly DueSlice[]): number {
  return slices.reduce((sum, { expectedRecords }) => sum + expectedRecords, 0);
}

export function buildPart(
  slices: readonly string[],
  about: Pick<PlanPart, 'isHot' | 'expectedRecords'>,
): PlanPart {
  const inOrder = slices.toSorted();
  const [from = '', to = from] = [inOrder[0], inOrder.at(-1)];
  return { ...about, range: from === WHOLE_LIST ? null : { from, to }, slices: inOrder };
}

/** Parts of some slices of a part, one for each run of consecutive dates. */
export function buildParts(
  slices: readonly string[],
  { isHot, slices: all, expectedRecords }: PlanPart,
): PlanPart[] {
  const runs: string[][] = [];
  for (const slice of slices.toSorted()) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && areNeighbours(last, slice)) runs.at(-1)?.push(slice);
    else runs.push([slice]);
  }
  return runs.map((run) =>
    buildPart(run, { isHot, expectedRecords: (expectedRecords / all.length) * run.length }),
  );
}

/** Two halves of a part; none when it is one slice. */
export function halvePart(part: PlanPart): PlanPart[] {
  const { length } = part.slices;
  const recordsEach = part.expectedRecords / length;
  return length < 2 ? [] : chunkPart(part, { size: Math.ceil(length / 2), recordsEach });
}

/** A part that holds more than fits, cut into pieces that are expected to fit. */
export function cutPart(
  part: PlanPart,
  { totalRecords, maxRecords }: { readonly totalRecords: number; readonly maxRecords: number },
): PlanPart[] {
  const { length } = part.slices;
  const fitting = Math.floor((length * maxRecords) / Math.max(1, totalRecords));
  const size = Math.min(length - 1, Math.max(1, fitting));
  return chunkPart(part, { size, recordsEach: totalRecords / length });
}

function chunkPart(
  { slices, isHot }: PlanPart,
  { size, recordsEach }: { readonly size: number; readonly recordsEach: number },
): PlanPart[] {
  const parts: PlanPart[] = [];
  for (let from = 0; from < slices.length; from += size) {
    const chunk = slices.slice(from, from + size);
    parts.push(buildPart(chunk, { isHot, expectedRecords: recordsEach * chunk.length }));
  }
  return parts;
}
