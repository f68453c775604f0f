import { hash } from 'node:crypto';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { FEED_NAMES, type FeedKey } from '#shared/core/feeds.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import {
  type LeafRow,
  layOutGeneration,
  type SliceHead,
  type Tombstone,
} from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/** How an earlier version stores a record. */
interface EarlierForm {
  readonly name: string;
  readonly row: (row: LeafRow) => LeafRow;
  readonly tombstone: (tombstone: Tombstone) => Tombstone;
}

/** A version with one watched field less. */
const NARROWER: EarlierForm = {
  name: 'narrower',
  row: (row) => ({ ...row, state: row.state.slice(0, -1) }),
  tombstone: (tombstone) => tombstone,
};

/** A version without epochs. */
const WITHOUT_EPOCHS: EarlierForm = {
  name: 'without epochs',
  row: ({ epoch, ...row }) => row,
  tombstone: ({ epoch, ...tombstone }) => tombstone,
};

/** Rewrites all slices as a version with one watched field less stores them: with shorter rows. */
export async function narrow(store: SnapshotStore, connection: string): Promise<void> {
  await rewrite(store, connection, NARROWER);
}

/** Rewrites all slices as a version without epochs stores them. */
export async function dropEpochs(store: SnapshotStore, connection: string): Promise<void> {
  await rewrite(store, connection, WITHOUT_EPOCHS);
}

async function rewrite(store: SnapshotStore, connection: string, form: EarlierForm): Promise<void> {
  for (const name of FEED_NAMES) {
    const feed: FeedKey = { connection, feed: name };
    const coverage = (await store.loadFeedState(feed))?.state.coverage ?? {};
    for (const stored of await store.loadHeads(feed, '')) {
      const head = applyLastScan(stored, coverage[stored.slice]);
      if (head.slice !== INSERT_FENCE && head.slice !== DISTANT_SLICE)
        await rewriteSlice(store, feed, { head, form });
    }
  }
}

async function rewriteSlice(
  store: SnapshotStore,
  feed: FeedKey,
  { head, form }: { readonly head: SliceHead; readonly form: EarlierForm },
): Promise<void> {
  const refs = Array.from({ length: head.leafCount }, (_, index) => ({
    slice: head.slice,
    generation: head.generation,
    index,
  }));
  const leaves = await store.readLeaves(feed, refs);
  const base = { ...head, revision: head.revision + 1, generation: `${head.generation} ${form.name}` };
  const { slice, revision, generation, baselinedAt, observedAt, outbox } = base;
  const laid = layOutGeneration(
    feedDefinition(feed.feed),
    { slice, revision, generation, baselinedAt, observedAt, outbox },
    {
      rows: leaves.flatMap((leaf) => leaf.rows).map(form.row),
      tombstones: leaves.flatMap((leaf) => leaf.tombstones).map(form.tombstone),
    },
  );
  const outcome = await store.commit({
    feed,
    token: hash('sha256', `${form.name} ${feed.feed} ${slice} ${revision}`, 'hex').slice(0, 36),
    heads: [{ head: laid.head, expectedRevision: head.revision, changedLeaves: null }],
    leaves: laid.leaves,
    events: null,
    eventsExpireAt: 0,
  });
  if (outcome !== 'committed') throw new Error(`another commit changed ${slice}`);
}
