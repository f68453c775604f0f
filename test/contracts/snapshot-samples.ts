import type { CommitStep, EventBatch, FeedStateWrite, HeadWrite } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { Leaf, LeafDigests, LeafRef, SliceHead } from '#shared/core/snapshot/snapshot.ts';

export const NOON = Date.parse('2026-03-05T12:00:00.000Z');
const DAY_MS = 86_400_000;
const FIRST_SLICE = '2026-03-05';

let samples = 0;

/** Unique within the process. */
function next(): number {
  samples += 1;
  return samples;
}

/** A feed that no other test uses. */
export function freshFeed(): FeedKey {
  return { connection: `acme-${process.pid}-${next()}`, feed: 'timesheets' };
}

/** Digests of all leaves, none of them zero. Another seed gives others. */
export function sampleDigests(leafCount: number, seed = 1): LeafDigests {
  return new Int32Array(leafCount * 2).map((_, index) => Math.imul(index + 7, 0x9e3779b1 * seed) | 1);
}

export function sampleHead(values: Partial<SliceHead> = {}): SliceHead {
  const leafCount = values.leafCount ?? 3;
  return {
    slice: FIRST_SLICE,
    revision: 1,
    generation: '1-run-a',
    leafCount,
    recordCount: 40,
    tombstoneCount: 2,
    unsettledCount: 17,
    baselinedAt: NOON - DAY_MS,
    observedAt: NOON,
    digests: sampleDigests(leafCount),
    outbox: [],
    ...values,
  };
}

export function sampleLeaf(ref: Partial<LeafRef> = {}, ids: readonly string[] = ['1_1']): Leaf {
  return {
    slice: FIRST_SLICE,
    generation: '1-run-a',
    index: 0,
    ...ref,
    rows: ids.map((id, place) => ({
      id,
      state: ['2026-03-05', `${id}7`, null, place],
      epoch: NOON,
      sequence: 1,
      sent: {},
    })),
    tombstones: [],
  };
}

/** A batch of events with a key of its own. Later batches sort after earlier ones. */
export function sampleBatch(...chunks: readonly (readonly string[])[]): EventBatch {
  return { key: `2026-03-05T12:00:00.000Z/${FIRST_SLICE}/${String(next()).padStart(9, '0')}`, chunks };
}

/** A step that writes these heads, without leaves and events unless the values have them. */
export function sampleStep(
  feed: FeedKey,
  heads: readonly HeadWrite[],
  values: Partial<CommitStep> = {},
): CommitStep {
  return {
    feed,
    token: `token-${process.pid}-${next()}`,
    heads,
    leaves: [],
    events: null,
    eventsExpireAt: NOON + DAY_MS,
    ...values,
  };
}

/** The first write of a head. */
export function creation(values: Partial<SliceHead> = {}): HeadWrite {
  return { head: sampleHead(values), expectedRevision: null, changedLeaves: null };
}

/** The write of the next revision of a head, with the leaves whose digest it changes. */
export function successor(
  before: SliceHead,
  values: Partial<SliceHead> = {},
  changedLeaves: readonly number[] | null = [],
): HeadWrite {
  return {
    head: { ...before, revision: before.revision + 1, ...values },
    expectedRevision: before.revision,
    changedLeaves,
  };
}

/** The write of a feed's state that makes this revision of the one before it. */
export function sampleStateWrite(
  feed: FeedKey,
  revision: number,
  values: Partial<FeedStateWrite> = {},
): FeedStateWrite {
  return {
    feed,
    token: `token-${process.pid}-${next()}`,
    state: { ...EMPTY_FEED_STATE, revision, completedAt: NOON },
    expectedRevision: revision === 1 ? null : revision - 1,
    events: null,
    eventsExpireAt: NOON + DAY_MS,
    ...values,
  };
}
