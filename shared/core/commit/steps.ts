import {
  type BucketRef,
  describeBucket,
  endOfBucket,
  findBucket,
  type Head,
  hashId,
} from '../snapshot/head.ts';
import type { StoredRow } from '../snapshot/row.ts';

/** Of a transaction: with heads, state and log it stays below 100 items and 4 MB. */
const MAX_BUCKETS = 80;
const MAX_ROW_CHARACTERS = 3_000_000;
const MAX_EVENT_CHARACTERS = 6_000_000;

/** Rows of a bucket; a slice of more records has larger ones, since each of its commits pays for the list of them. */
const BUCKET_ROWS = 64;
const LARGE_BUCKET_ROWS = 256;
const LARGE_SLICE = 5_000;

export function bucketSize(records: number): number {
  return records > LARGE_SLICE ? LARGE_BUCKET_ROWS : BUCKET_ROWS;
}

/** New contents of a bucket of a head as it was loaded, by its index, with the events of what changed in it. */
export interface Patch {
  readonly index: number;
  readonly rows: readonly StoredRow[];
  readonly texts: readonly string[];
}

/** Contents of a bucket; null when it is gone. */
interface BucketContents {
  readonly from: number;
  readonly rows: readonly StoredRow[] | null;
}

/** What one transaction does to a slice. */
export interface Step {
  readonly head: Head;
  readonly buckets: readonly BucketContents[];
  readonly texts: readonly string[];
  /** Lower bounds of the patched buckets, as they were. */
  readonly patched: ReadonlySet<number>;
}

/**
 * The patches of one head as steps, each whole in itself (rule 2). A bucket that is full is divided in the transaction
 * that filled it. `mostRows`: of a bucket.
 */
export function* planSteps(head: Head, patches: Iterable<Patch>, mostRows: number): Generator<Step, void> {
  const pieces = new Map<number, BucketRef[]>();
  let step = beginStep();
  const close = (): Step => ({
    ...step,
    head: { ...head, buckets: head.buckets.flatMap((ref, index) => pieces.get(index) ?? [ref]) },
  });
  for (const { index, rows, texts } of patches) {
    const from = head.buckets[index]?.from ?? 0;
    const parts = divide({ from, rows }, endOfBucket(head.buckets, index), mostRows);
    const sizes = { rows: countCharacters(rows), texts: texts.reduce((sum, text) => sum + text.length, 0) };
    if (step.buckets.length > 0 && !fits(step, parts.length, sizes)) {
      yield close();
      step = beginStep();
    }
    step.buckets.push(...listItems(parts));
    step.texts.push(...texts);
    step.patched.add(from);
    step.rowCharacters += sizes.rows;
    step.eventCharacters += sizes.texts;
    pieces.set(
      index,
      parts.map((part) => describeBucket(part.from, part.rows)),
    );
  }
  if (step.buckets.length > 0) yield close();
}

function beginStep() {
  return {
    buckets: [] as BucketContents[],
    texts: [] as string[],
    patched: new Set<number>(),
    rowCharacters: 0,
    eventCharacters: 0,
  };
}

function fits(
  step: ReturnType<typeof beginStep>,
  parts: number,
  sizes: { readonly rows: number; readonly texts: number },
): boolean {
  return (
    step.buckets.length + parts <= MAX_BUCKETS &&
    step.rowCharacters + sizes.rows <= MAX_ROW_CHARACTERS &&
    step.eventCharacters + sizes.texts <= MAX_EVENT_CHARACTERS
  );
}

function countCharacters(rows: readonly StoredRow[]): number {
  return rows.reduce((sum, { text, bad }) => sum + (text?.length ?? 0) + (bad?.text.length ?? 0) + 100, 0);
}

interface Part {
  readonly from: number;
  readonly rows: readonly StoredRow[];
}

/** Halves the range of a full bucket until no half is full. */
function divide({ from, rows }: Part, to: number, mostRows: number): Part[] {
  if (rows.length <= mostRows || to - from < 2) return [{ from, rows }];
  const middle = from + Math.floor((to - from) / 2);
  const [lower, upper] = [
    rows.filter(({ id }) => hashId(id) < middle),
    rows.filter(({ id }) => hashId(id) >= middle),
  ];
  return [
    ...divide({ from, rows: lower }, middle, mostRows),
    ...divide({ from: middle, rows: upper }, to, mostRows),
  ];
}

/** An empty bucket is no item; only the first part may have been one before. */
function listItems(parts: readonly Part[]): BucketContents[] {
  const [first, ...others] = parts;
  if (first === undefined) return [];
  const filled = others.filter(({ rows }) => rows.length > 0);
  return [first.rows.length === 0 ? { from: first.from, rows: null } : first, ...filled];
}

/** A bucket that gets more records than so many full ones is divided before them. */
const MAX_PARTS = 32;

/** Whether a bucket must be divided before it takes so many rows. */
export function isOverfull(rows: number, mostRows: number): boolean {
  return rows > MAX_PARTS * mostRows;
}

/** A bucket in equal parts, as a step of its own that tells nothing. */
export function divideBucket(head: Head, index: number, rows: readonly StoredRow[]): Step {
  const from = head.buckets[index]?.from ?? 0;
  const width = Math.floor((endOfBucket(head.buckets, index) - from) / MAX_PARTS);
  const parts = Array.from({ length: MAX_PARTS }, (_, part): { from: number; rows: StoredRow[] } => ({
    from: from + part * width,
    rows: [],
  }));
  for (const row of rows) parts[findBucket(parts, hashId(row.id))]?.rows.push(row);
  const refs = parts.map((part) => describeBucket(part.from, part.rows));
  const buckets = [...head.buckets.slice(0, index), ...refs, ...head.buckets.slice(index + 1)];
  return { head: { ...head, buckets }, buckets: listItems(parts), texts: [], patched: new Set([from]) };
}
