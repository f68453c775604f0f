import {
  type CommitOutcome,
  type CommitStep,
  type EventBatch,
  type FeedStateWrite,
  type HeadWrite,
  toBatchPointer,
} from '#shared/core/commit/commit-step.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import { listOutboxEntries, type OutboxEntry } from '#shared/core/commit/outbox.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { LedgerEntry } from '#shared/core/periods/ledger.ts';
import { joinBuckets, type MembershipBucket } from '#shared/core/periods/membership.ts';
import { MAX_LEASE_MS } from '#shared/core/plan/lease.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import {
  createLeaf,
  type Leaf,
  type LeafRef,
  type SliceHead,
  toLeafKey,
} from '#shared/core/snapshot/snapshot.ts';
import {
  passesFence,
  type WatermarkMemory,
  type WatermarkWrite,
} from '#shared/core/snapshot/watermark-memory.ts';
import type { EventLog, LoggedBatch } from '#shared/flow/event-log.ts';
import type { Lease, LedgerKey, SnapshotStore, StoredFeedState } from '#shared/flow/poll/ports.ts';

const ISO_LENGTH = '2026-11-21T10:02:03.123Z'.length;

interface FeedMemory {
  state: FeedState | null;
  readonly stateOutbox: Set<string>;
  readonly heads: Map<string, { readonly head: SliceHead; readonly outbox: Set<string> }>;
  readonly leaves: Map<string, Leaf>;
  readonly batches: Map<string, readonly string[]>;
  /** Names of what was written, by request token. */
  readonly written: Map<string, string>;
  /** Leases of the whole feed (`all`) and of its hot dates. */
  readonly leases: Map<string, Lease>;
  rates: string | null;
  watermark: WatermarkMemory | null;
  /** By pay period and name. */
  readonly ledgers: Map<string, readonly LedgerEntry[]>;
  readonly membership: Map<number, MembershipBucket>;
}

/**
 * A snapshot store without a database, fast enough for tens of thousands of histories. It keeps values by reference and
 * freezes them, so that a later change throws at once; only digests, which cannot be frozen, are copied.
 */
export function createMemorySnapshotStore(): MemorySnapshotStore {
  return createStoreOver(new Map());
}

/** A store with a backup. */
export interface MemorySnapshotStore extends SnapshotStore {
  /** Restores a backup of this moment to another table. */
  restored(): MemorySnapshotStore;
  /** What it keeps of committed events. */
  readonly log: EventLog;
}

let tables = 0;

function createStoreOver(feeds: Map<string, FeedMemory>): MemorySnapshotStore {
  tables += 1;
  const id = `table-${tables}`;
  const of = ({ connection, feed }: FeedKey): FeedMemory => {
    const key = `${connection}#${feed}`;
    const known = feeds.get(key);
    if (known !== undefined) return known;
    const fresh = emptyFeed();
    feeds.set(key, fresh);
    return fresh;
  };
  const membershipOf = (connection: string) => of({ connection, feed: 'pay-periods' }).membership;
  return {
    loadFeedState: async (feed) => stateOf(of(feed)),
    saveFeedState: async (write) => saveState(of(write.feed), write),
    loadHeads: async (feed, fromSlice) => headsOf(of(feed), fromSlice),
    loadInsertFence: async (feed) =>
      headsOf(of(feed), INSERT_FENCE).find(({ slice }) => slice === INSERT_FENCE) ?? null,
    readLeaves: async (feed, refs) => leavesOf(of(feed), refs),
    writeGeneration: async (feed, leaves) => putLeaves(of(feed), leaves),
    deleteLeaves: async (feed, refs) => {
      const { leaves } = of(feed);
      for (const ref of refs) leaves.delete(toLeafKey(ref));
    },
    commit: async (step) => commitStep(of(step.feed), step),
    readEvents: async (feed, pointer) => eventsOf(of(feed), pointer),
    clearOutbox: async (feed, entries) => clear(of(feed), entries),
    acquireLease: async (feed, lease) => acquire(of(feed), lease),
    isLeaseHeld: async (feed, by) => !isFree(of(feed).leases.get('all'), by),
    releaseLease: async (feed, owner) => {
      const memory = of(feed);
      if (memory.leases.get('all')?.owner === owner) memory.leases.delete('all');
    },
    loadChangeRates: async (feed) => of(feed).rates,
    saveChangeRates: async (feed, rates) => {
      of(feed).rates = rates;
    },
    loadLedger: async (key) => ledgersOf(of, key).get(nameOf(key)) ?? null,
    saveLedger: async (key, ledger) => {
      ledgersOf(of, key).set(nameOf(key), frozen(ledger));
    },
    loadMembership: async (connection) => joinBuckets(membershipOf(connection).values()),
    loadSurveys: async (connection) => joinBuckets(membershipOf(connection).values()).surveys,
    saveMembership: async (connection, buckets) => {
      for (const bucket of buckets) membershipOf(connection).set(bucket.index, frozen(bucket));
    },
    tableId: async () => id,
    loadWatermark: async (feed) => of(feed).watermark,
    saveWatermark: async (feed, write) => saveWatermark(of(feed), write),
    readLog: async function* (feed, between) {
      yield* batchesOf(of(feed), between);
    },
    restored: () => createStoreOver(structuredClone(feeds)),
    log: {
      read: async function* (feed, between) {
        yield* batchesOf(of(feed), between);
      },
    },
  };
}

function ledgersOf(of: (feed: FeedKey) => FeedMemory, { connection }: LedgerKey): FeedMemory['ledgers'] {
  return of({ connection, feed: 'pay-periods' }).ledgers;
}

function nameOf({ payPeriodId, name }: LedgerKey): string {
  return `${payPeriodId}#${name}`;
}

function emptyFeed(): FeedMemory {
  return {
    state: null,
    stateOutbox: new Set(),
    heads: new Map(),
    leaves: new Map(),
    batches: new Map(),
    written: new Map(),
    leases: new Map(),
    rates: null,
    watermark: null,
    ledgers: new Map(),
    membership: new Map(),
  };
}

function stateOf({ state, stateOutbox }: FeedMemory): StoredFeedState | null {
  return state === null ? null : { state, outbox: [...stateOutbox].sort() };
}

function saveState(memory: FeedMemory, write: FeedStateWrite): CommitOutcome {
  const { token, state, expectedRevision, events } = write;
  const repeated = repeatedWrite(memory, token, `state@${state.revision}`);
  if (repeated !== null) return repeated;
  if ((memory.state?.revision ?? null) !== expectedRevision) return 'conflict';
  if (write.watermark !== undefined && saveWatermark(memory, write.watermark) === 'conflict')
    return 'conflict';
  memory.state = frozen(state);
  if (events !== null) {
    keepEvents(memory, events);
    memory.stateOutbox.add(toBatchPointer(events));
  }
  memory.written.set(token, `state@${state.revision}`);
  return 'committed';
}

function saveWatermark(memory: FeedMemory, write: WatermarkWrite): CommitOutcome {
  if ((memory.watermark?.revision ?? null) !== write.expectedRevision) return 'conflict';
  memory.watermark = frozen(write.memory);
  return 'committed';
}

function commitStep(memory: FeedMemory, step: CommitStep): CommitOutcome {
  const name = step.heads.map(({ head }) => `${head.slice}@${head.revision}`).join(' ');
  const repeated = repeatedWrite(memory, step.token, name);
  if (repeated !== null) return repeated;
  const stale = ({ head, expectedRevision }: HeadWrite) =>
    (memory.heads.get(head.slice)?.head.revision ?? null) !== expectedRevision;
  if (step.heads.some(stale)) return 'conflict';
  const { watermark } = memory;
  if (watermark !== null && step.watermark !== undefined && !passesFence(watermark.fence, step.watermark))
    return 'conflict';
  for (const { head } of step.heads) {
    const outbox = memory.heads.get(head.slice)?.outbox ?? new Set<string>();
    memory.heads.set(head.slice, { head: { ...head, digests: head.digests.slice() }, outbox });
  }
  putLeaves(memory, step.leaves);
  if (step.events !== null) keepEvents(memory, step.events);
  for (const { slice, pointer } of listOutboxEntries(step)) {
    memory.heads.get(slice ?? '')?.outbox.add(pointer);
  }
  memory.written.set(step.token, name);
  return 'committed';
}

/** The outcome of a write whose token was used before: the same write does nothing, another one is late. */
function repeatedWrite({ written }: FeedMemory, token: string, name: string): CommitOutcome | null {
  const before = written.get(token);
  if (before === undefined) return null;
  return before === name ? 'committed' : 'conflict';
}

function keepEvents(memory: FeedMemory, batch: EventBatch): void {
  memory.batches.set(toBatchPointer(batch), Object.freeze(batch.chunks.flat()));
}

/** Keys begin with the instant of their commit. */
function batchesOf(
  { batches }: FeedMemory,
  { from, to }: { readonly from: number; readonly to: number },
): LoggedBatch[] {
  return [...batches]
    .flatMap(([pointer, texts]): LoggedBatch[] => {
      const committedAt = Date.parse(pointer.slice(0, ISO_LENGTH));
      if (committedAt < from || committedAt >= to) return [];
      return [{ pointer, committedAt, texts }];
    })
    .sort((a, b) => (a.pointer < b.pointer ? -1 : 1));
}

function putLeaves({ leaves }: FeedMemory, written: readonly Leaf[]): void {
  for (const leaf of written) leaves.set(toLeafKey(leaf), frozen(leaf));
}

function headsOf({ heads }: FeedMemory, fromSlice: string): SliceHead[] {
  return [...heads.values()]
    .filter(({ head }) => head.slice >= fromSlice)
    .sort((a, b) => (a.head.slice < b.head.slice ? -1 : 1))
    .map(({ head, outbox }) => ({ ...head, digests: head.digests.slice(), outbox: [...outbox].sort() }));
}

function leavesOf({ leaves }: FeedMemory, refs: readonly LeafRef[]): Leaf[] {
  return refs.map((ref) => leaves.get(toLeafKey(ref)) ?? createLeaf(refOf(ref)));
}

/** A reference without the other members of a leaf, which is a reference too. */
function refOf({ slice, generation, index }: LeafRef): LeafRef {
  return { slice, generation, index };
}

function eventsOf({ batches }: FeedMemory, pointer: string): readonly string[] {
  const texts = batches.get(pointer);
  if (texts !== undefined) return texts;
  throw new NotifierError('events_missing', `there are no events under ${pointer}`);
}

function clear(memory: FeedMemory, entries: readonly OutboxEntry[]): void {
  for (const { slice, pointer } of entries) {
    const outbox = slice === null ? memory.stateOutbox : memory.heads.get(slice)?.outbox;
    outbox?.delete(pointer);
  }
}

function acquire(memory: FeedMemory, lease: Lease): boolean {
  const dates = lease.dates ?? 'all';
  const held = memory.leases.get(dates);
  if (!isFree(held, lease) && !lease.takeOver) return false;
  memory.leases.set(dates, lease);
  return true;
}

function isFree(held: Lease | undefined, { owner, now }: Pick<Lease, 'owner' | 'now'>): boolean {
  if (held === undefined || held.owner === owner) return true;
  return held.expiresAt <= now || held.expiresAt > now + MAX_LEASE_MS;
}

/** Freezes a value and everything in it that is not frozen yet. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}
