import { compareIds } from '../events/compare-ids.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { type CommitStep, toBatchPointer } from './commit-step.ts';
import { INSERT_FENCE } from './insert-fence.ts';

/** A pointer, and the slice whose head holds it; null for the feed's state. */
export interface OutboxEntry {
  readonly slice: string | null;
  readonly pointer: string;
}

/**
 * The outboxes that hold the pointer to a step's events: those of every slice that it changes. Heads are not read at
 * one instant; this way a poll that sees a record as the step committed it also sees that its events may still wait,
 * and publishes no later event of it before them (rule 3).
 */
export function listOutboxEntries({ heads, events }: CommitStep): OutboxEntry[] {
  if (events === null) return [];
  const pointer = toBatchPointer(events);
  const slices = heads.map(({ head }) => head.slice).filter((slice) => slice !== INSERT_FENCE);
  return slices.map((slice) => ({ slice, pointer }));
}

/** The pointers in the outboxes of heads; that of a commit is in each slice that it changed. */
export function collectOutboxEntries(heads: Iterable<SliceHead>): OutboxEntry[] {
  return [...heads].flatMap(({ slice, outbox }) => outbox.map((pointer) => ({ slice, pointer })));
}

/** Entries of one batch, with the pointer that they share. */
export interface PendingBatch {
  readonly pointer: string;
  readonly entries: readonly OutboxEntry[];
}

/** Batches in the order of their commits. */
export function sortIntoBatches(entries: readonly OutboxEntry[]): PendingBatch[] {
  return [...Map.groupBy(entries, ({ pointer }) => pointer)]
    .map(([pointer, ofBatch]) => ({ pointer, entries: ofBatch }))
    .sort((a, b) => compareIds(a.pointer, b.pointer));
}
