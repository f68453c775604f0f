import { toldUntil } from './epochs.ts';
import type { FeedState } from './feed-state.ts';
import { checkRow, type FeedDefinition, type StateRow } from './records/feed-definition.ts';
import { rowOf, type ScannedRecord } from './scan.ts';
import {
  type GenerationPlan,
  type Leaf,
  type LeafRow,
  layOutGeneration,
  type SliceHead,
} from './snapshot.ts';

/**
 * How records of a slice that nobody looked at before are taken over (rule 5). `silent`: as they are, nothing is
 * told. `untold`: time brought the date into the window; what already happened to its records is still to be told.
 */
export type TakeOver = 'silent' | 'untold';

/** Before and while the baseline is installed, and for dates before it, silence; for dates after it, not. */
export function takeOverOf(slice: string, baseline: FeedState['baseline']): TakeOver {
  if (baseline === null || baseline.completedAt === null) return 'silent';
  return slice > baseline.to ? 'untold' : 'silent';
}

/** Whether a slice was never seen whole, so that its records must be taken over before they can be compared. */
export function needsAdoption(head: SliceHead | undefined): boolean {
  return head?.baselinedAt == null;
}

export interface AdoptionInput {
  readonly definition: FeedDefinition;
  readonly slice: string;
  /** The head, when records moved to this slice before anybody looked at it. */
  readonly head: SliceHead | undefined;
  /** All leaves of that head. */
  readonly leaves: readonly Leaf[];
  readonly records: readonly ScannedRecord[];
  /** Ids that are known in another slice: they moved here, and that is told. */
  readonly knownElsewhere: ReadonlySet<string>;
  readonly takeOver: TakeOver;
  /** Name of the new generation of leaves; never used before. */
  readonly generation: string;
  /** Start of the scan. */
  readonly observedAt: number;
  /** The epoch in which those that are taken over become known; without it they have none. */
  readonly epoch?: number;
}

/**
 * A slice's first snapshot: what was known of it stays as known, everybody else on it is taken over. The look counts
 * as one at the whole slice only when it left the slice as it saw it; else each row says when it was seen (rule 10).
 */
export function planAdoption(input: AdoptionInput): GenerationPlan {
  const { definition, slice, head, observedAt } = input;
  const known = input.leaves.flatMap(({ rows }) => rows);
  const tombstones = input.leaves.flatMap((leaf) => leaf.tombstones);
  const knownIds = new Set([...input.knownElsewhere, ...[...known, ...tombstones].map(({ id }) => id)]);
  const adopted = input.records.flatMap((record) =>
    knownIds.has(record.id) ? [] : adoptedRow(record, input),
  );
  const asSeen = knownIds.size === 0 && adopted.length === input.records.length;
  return layOutGeneration(
    definition,
    {
      slice,
      revision: (head?.revision ?? 0) + 1,
      generation: input.generation,
      baselinedAt: observedAt,
      observedAt: asSeen ? observedAt : null,
      outbox: head?.outbox ?? [],
    },
    {
      rows: [...known, ...(asSeen ? adopted : adopted.map((row) => ({ ...row, seenAt: observedAt })))],
      tombstones,
    },
  );
}

function adoptedRow(record: ScannedRecord, input: AdoptionInput): LeafRow[] {
  const { definition, takeOver, epoch } = input;
  const state = rowOf(record);
  if (checkRow(definition, state).outcome === 'bad') return [];
  const row = { id: record.id, state, sent: {}, ...toldUntil({ sequence: 0, epoch }) };
  if (takeOver === 'silent') return [row];
  const bare = withoutFacts(definition, state);
  return bare === null ? [row] : [{ ...row, state: bare, untold: true }];
}

/** The record as it was before anything happened to it, or null when nothing did. */
function withoutFacts(definition: FeedDefinition, state: StateRow): StateRow | null {
  const markers = new Set(definition.markers.map(({ field }) => field));
  const isFact = definition.fields.map(({ name }) => markers.has(name));
  if (!state.some((value, index) => isFact[index] === true && value !== null)) return null;
  return state.map((value, index) => (isFact[index] === true ? null : value));
}

/** The same contents in as many leaves as they need now. */
export function planRegrowth(
  definition: FeedDefinition,
  { head, leaves }: { readonly head: SliceHead; readonly leaves: readonly Leaf[] },
  generation: string,
): GenerationPlan {
  const { slice, revision, baselinedAt, observedAt, outbox } = head;
  return layOutGeneration(
    definition,
    { slice, revision: revision + 1, generation, baselinedAt, observedAt, outbox },
    {
      rows: leaves.flatMap(({ rows }) => rows),
      tombstones: leaves.flatMap(({ tombstones }) => tombstones),
    },
  );
}
