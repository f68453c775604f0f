import { bucketSize, divideBucket, isOverfull, planSteps } from '#shared/core/commit/steps.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { createHead, findBucket, type Head, hashId } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { LogWrite, StateWrite, Store } from '#shared/flow/poll/ports.ts';
import { NOW } from './builders.ts';

const YEAR_MS = 365 * 86_400_000;

/** What a poll is to have left of a slice. */
interface SeededSlice {
  readonly feed?: FeedName;
  readonly slice?: string;
  readonly rows?: readonly StoredRow[];
  readonly head?: Partial<Head>;
}

export interface Seeds {
  readonly connection?: string;
  /** By the connection's clock. */
  readonly at?: number;
  readonly slices?: readonly SeededSlice[];
  /** Published, unless `published` is false. */
  readonly log?: readonly LogWrite[];
  readonly published?: boolean;
  readonly state?: StateWrite;
}

/** Stores what polls would have left, as a poll does: slices anew and whole, then events. */
export async function seedStore(store: Store, seeds: Seeds): Promise<void> {
  const { connection = 'main', at = NOW, slices = [], log = [], state = {}, published = true } = seeds;
  const taken = await store.takeLease(connection, at + 90_000, at);
  if (taken === null) throw new Error('another poll holds the lease');
  const lease = { connection, token: taken.token };
  const time = { clock: at, until: at + 90_000, expiresAt: at + YEAR_MS };
  const nothing = { heads: [], removedHeads: [], buckets: [], log: [], published: {}, state: {} };
  for (const seeded of slices) {
    const { feed = 'timesheets', slice = WHOLE_LIST, rows = [] } = seeded;
    const size = bucketSize(rows.length);
    let head: Head = { ...createHead({ feed, slice }), baselinedAt: at, ...seeded.head };
    if (isOverfull(rows.length, size)) head = divideBucket(head, 0, []).head;
    const places = head.buckets.map((ref, index) => ({
      ref,
      index,
      rows: rowsIn(head, index, rows),
      texts: [],
    }));
    for (const step of planSteps(head, places, size)) {
      const buckets = step.buckets.map((bucket) => ({ feed, slice, ...bucket }));
      await store.commit(lease, { ...nothing, heads: [step.head], buckets }, time);
    }
  }
  const keys = await store.commit(lease, { ...nothing, log, state }, time);
  await store.giveBack(lease, { topics: { ...taken.topics, ...moveCursors(log, keys, published) } });
}

function rowsIn({ buckets }: Head, index: number, rows: readonly StoredRow[]): readonly StoredRow[] {
  return rows.filter(({ id }) => findBucket(buckets, hashId(id)) === index);
}

function moveCursors(
  log: readonly LogWrite[],
  keys: readonly string[],
  published: boolean,
): ConnectionState['topics'] {
  const cursors = log.map(({ topic }, index): [EventTopic, { logged: string; published: string }] => {
    const logged = keys[index] ?? '';
    return [topic, { logged, published: published ? logged : '' }];
  });
  return Object.fromEntries(cursors);
}
