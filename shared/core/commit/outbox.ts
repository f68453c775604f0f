import type { SliceHead } from '../snapshot/snapshot.ts';
import { type CommitStep, toBatchPointer } from './commit-step.ts';
import { INSERT_FENCE } from './insert-fence.ts';

/** Whose outbox a pointer stands in: a slice's head, or null for the feed's state. */
export interface OutboxEntry {
  readonly slice: string | null;
  readonly pointer: string;
}

/**
 * Where a step leaves the pointer to its events: in the outbox of every slice that it changes. Heads are not read at
 * one moment. So whoever sees a record as a step left it sees as well that its events may still wait, and tells
 * nothing later of it before them (rule 3).
 */
export function listOutboxEntries({ heads, events }: CommitStep): OutboxEntry[] {
  if (events === null) return [];
  const pointer = toBatchPointer(events);
  const slices = heads.map(({ head }) => head.slice).filter((slice) => slice !== INSERT_FENCE);
  return slices.map((slice) => ({ slice, pointer }));
}

/** The pointers in the outboxes of heads: one for each slice that a commit changed. */
export function collectOutboxEntries(heads: Iterable<SliceHead>): OutboxEntry[] {
  return [...heads].flatMap(({ slice, outbox }) => outbox.map((pointer) => ({ slice, pointer })));
}
