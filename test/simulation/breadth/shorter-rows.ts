import { hash } from 'node:crypto';
import { layOutGeneration } from '#shared/core/commit/generation.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { FEED_NAMES, type FeedKey } from '#shared/core/feeds.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import type { Coverage } from '#shared/core/snapshot/feed-state.ts';
import type { LeafRow, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/** Rewrites all slices with rows that lack the last watched field, as they were before it was appended. */
export async function shortenRows(store: SnapshotStore, connection: string): Promise<void> {
  for (const name of FEED_NAMES) {
    const feed: FeedKey = { connection, feed: name };
    const coverage = (await store.loadFeedState(feed))?.state.coverage ?? {};
    for (const stored of await store.loadHeads(feed, '')) {
      const last = coverage[stored.slice];
      const head = applyLastScan(stored, last);
      // When those were last seen that the last scan did not see is known of the revision before alone.
      const seen = (last?.revision === stored.revision ? last.unseen : undefined) ?? {};
      if (head.slice !== INSERT_FENCE && head.slice !== DISTANT_SLICE)
        await rewriteSlice(store, feed, { head, seen });
    }
  }
}

interface Rewrite {
  readonly head: SliceHead;
  /** When records were last seen that the last scan did not see. */
  readonly seen: NonNullable<Coverage['unseen']>;
}

async function rewriteSlice(store: SnapshotStore, feed: FeedKey, { head, seen }: Rewrite): Promise<void> {
  const refs = Array.from({ length: head.leafCount }, (_, index) => ({
    slice: head.slice,
    generation: head.generation,
    index,
  }));
  const leaves = await store.readLeaves(feed, refs);
  const base = { ...head, revision: head.revision + 1, generation: `${head.generation} narrower` };
  const { slice, revision, generation, baselinedAt, observedAt, outbox } = base;
  const laid = layOutGeneration(
    feedDefinition(feed.feed),
    { slice, revision, generation, baselinedAt, observedAt, outbox },
    {
      rows: leaves.flatMap((leaf) => leaf.rows).map((row) => shortenRow(row, seen[row.id] ?? null)),
      tombstones: leaves.flatMap((leaf) => leaf.tombstones),
    },
  );
  const outcome = await store.commit({
    feed,
    token: hash('sha256', `narrower ${feed.feed} ${slice} ${revision}`, 'hex').slice(0, 36),
    heads: [{ head: laid.head, expectedRevision: head.revision, changedLeaves: null }],
    leaves: laid.leaves,
    events: null,
    eventsExpireAt: 0,
  });
  if (outcome !== 'committed') throw new Error(`another commit changed ${slice}`);
}

function shortenRow(row: LeafRow, seenAt: number | null): LeafRow {
  const dated = seenAt === null || seenAt <= (row.seenAt ?? 0) ? row : { ...row, seenAt };
  return { ...dated, state: row.state.slice(0, -1) };
}
