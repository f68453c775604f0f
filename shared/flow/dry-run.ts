import {
  type CommitOutcome,
  type CommitStep,
  type EventBatch,
  type FeedStateWrite,
  type HeadWrite,
  toBatchPointer,
} from '#shared/core/commit/commit-step.ts';
import { listOutboxEntries, type OutboxEntry } from '#shared/core/commit/outbox.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import {
  createLeaf,
  type Leaf,
  type LeafRef,
  type SliceHead,
  toLeafKey,
} from '#shared/core/snapshot/snapshot.ts';
import type { LedgerEntry } from '#shared/statements/ledger.ts';
import type { PollReport } from '../config/requests/poll-report.ts';
import type { PollInput, PollPorts } from './poll/poll-run.ts';
import type { EventPublisher, Lease, SnapshotStore, StoredFeedState } from './poll/ports.ts';
import { poll } from './poll.ts';

export interface DryRun {
  readonly report: PollReport;
  /** Events in the order in which they would be published. */
  readonly events: readonly DryRunEvent[];
}

interface DryRunEvent {
  /** CloudEvent as JSON. */
  readonly text: string;
  /** Committed by an earlier poll, and waiting to be published. */
  readonly committed: boolean;
}

/** The store is only read. */
export type DryRunPorts = Pick<PollPorts, 'source' | 'clock'> & { readonly store: SnapshotStore };

/** Attempts, since a real poll may commit during the dry run. */
const MAX_TRIES = 3;

/** Runs a poll without storing or publishing anything, and returns what it would publish. */
export async function dryRun(input: PollInput, ports: DryRunPorts): Promise<DryRun> {
  for (let tries = 1; ; tries += 1) {
    const run = await runOnce(input, ports);
    if (run.report.counts.conflicts === 0 || tries >= MAX_TRIES) return run;
  }
}

async function runOnce(input: PollInput, { source, clock, store }: DryRunPorts): Promise<DryRun> {
  const texts: string[] = [];
  const own = new Set<string>();
  const publisher: EventPublisher = {
    publish: async (given) => {
      texts.push(...given);
      return { published: given.length, unpublished: [], requests: 0 };
    },
  };
  const report = await poll(input, {
    source,
    clock,
    publisher,
    store: trackCommittedTexts(createDryRunStore(store), own),
    // A log line would count as a poll.
    telemetry: { report: () => {} },
  });
  return { report, events: texts.map((text) => ({ text, committed: !own.has(text) })) };
}

/** Collects the texts that this run commits in `own`. */
function trackCommittedTexts(store: SnapshotStore, own: Set<string>): SnapshotStore {
  const addTexts = (events: { readonly chunks: readonly (readonly string[])[] } | null): void => {
    for (const text of events?.chunks.flat() ?? []) own.add(text);
  };
  return {
    ...store,
    commit: (step) => {
      addTexts(step.events);
      return store.commit(step);
    },
    saveFeedState: (write) => {
      addTexts(write.events);
      return store.saveFeedState(write);
    },
  };
}

/** A feed as the dry run sees it: what was read, and over it what would have been written. */
interface Overlay {
  readonly real: SnapshotStore;
  readonly feed: FeedKey;
  /** Null before it was read. */
  state: { readonly stored: StoredFeedState | null } | null;
  /** By slice, with their outboxes. */
  readonly heads: Map<string, SliceHead>;
  /** Heads from this slice on were read; null before any was. */
  headsFrom: string | null;
  /** Null: deleted. */
  readonly leaves: Map<string, Leaf | null>;
  readonly batches: Map<string, readonly string[]>;
  /** What was written under which request token. */
  readonly written: Map<string, string>;
  lease: Lease | null;
}

/**
 * A store that reads another one and writes nothing to it: what is written stays in memory and is seen by later
 * reads. States and heads are read once and stay as they were seen; leaves that a poll at work writes meanwhile no
 * longer match them. Its lease does not count.
 */
export function createDryRunStore(real: SnapshotStore): SnapshotStore {
  const overlays = new Map<string, Overlay>();
  const ledgers = new Map<string, readonly LedgerEntry[]>();
  const of = (feed: FeedKey): Overlay => {
    const key = `${feed.connection}#${feed.feed}`;
    const overlay = overlays.get(key) ?? createOverlay(real, feed);
    overlays.set(key, overlay);
    return overlay;
  };
  return {
    loadFeedState: (feed) => loadStored(of(feed)),
    saveFeedState: (write) => saveState(of(write.feed), write),
    loadHeads: (feed, fromSlice) => listHeads(of(feed), fromSlice),
    readLeaves: (feed, refs) => readOverlaidLeaves(of(feed), refs),
    writeGeneration: async (feed, leaves) => putLeaves(of(feed), leaves),
    deleteLeaves: async (feed, refs) => {
      for (const ref of refs) of(feed).leaves.set(toLeafKey(ref), null);
    },
    commit: (step) => commitStep(of(step.feed), step),
    readEvents: async (feed, pointer) =>
      of(feed).batches.get(pointer) ?? (await real.readEvents(feed, pointer)),
    clearOutbox: (feed, entries) => clearPointers(of(feed), entries),
    acquireLease: async (feed, lease) => acquire(of(feed), lease),
    releaseLease: async (feed, owner) => {
      const overlay = of(feed);
      if (overlay.lease?.owner === owner) overlay.lease = null;
    },
    loadLedger: async (key) => ledgers.get(JSON.stringify(key)) ?? (await real.loadLedger(key)),
    saveLedger: async (key, ledger) => void ledgers.set(JSON.stringify(key), ledger),
    loadMembership: real.loadMembership,
    tableId: real.tableId,
  };
}

function createOverlay(real: SnapshotStore, feed: FeedKey): Overlay {
  return {
    real,
    feed,
    state: null,
    heads: new Map(),
    headsFrom: null,
    leaves: new Map(),
    batches: new Map(),
    written: new Map(),
    lease: null,
  };
}

async function loadStored(overlay: Overlay): Promise<StoredFeedState | null> {
  overlay.state ??= { stored: await overlay.real.loadFeedState(overlay.feed) };
  return overlay.state.stored;
}

async function saveState(overlay: Overlay, write: FeedStateWrite): Promise<CommitOutcome> {
  const { token, state, expectedRevision, events } = write;
  const name = `state@${state.revision}`;
  const repeated = findRepeatedWrite(overlay, token, name);
  if (repeated !== null) return repeated;
  const stored = await loadStored(overlay);
  if ((stored?.state.revision ?? null) !== expectedRevision) return 'conflict';
  overlay.state = { stored: { state, outbox: addBatch(overlay, stored?.outbox ?? [], events) } };
  overlay.written.set(token, name);
  return 'committed';
}

async function commitStep(overlay: Overlay, step: CommitStep): Promise<CommitOutcome> {
  const name = step.heads.map(({ head }) => `${head.slice}@${head.revision}`).join(' ');
  const repeated = findRepeatedWrite(overlay, step.token, name);
  if (repeated !== null) return repeated;
  const slices = step.heads.map(({ head }) => head.slice);
  await ensureHeadsLoaded(overlay, slices.toSorted()[0] ?? '');
  const stale = ({ head, expectedRevision }: HeadWrite) =>
    (overlay.heads.get(head.slice)?.revision ?? null) !== expectedRevision;
  if (step.heads.some(stale)) return 'conflict';
  const marked = new Set(listOutboxEntries(step).map(({ slice }) => slice));
  for (const { head } of step.heads) {
    const before = overlay.heads.get(head.slice)?.outbox ?? [];
    const outbox = marked.has(head.slice) ? addBatch(overlay, before, step.events) : before;
    overlay.heads.set(head.slice, { ...head, digests: head.digests.slice(), outbox });
  }
  putLeaves(overlay, step.leaves);
  overlay.written.set(step.token, name);
  return 'committed';
}

/** A write whose token succeeded before does nothing; the same token on another write means that we are late. */
function findRepeatedWrite({ written }: Overlay, token: string, name: string): CommitOutcome | null {
  const before = written.get(token);
  if (before === undefined) return null;
  return before === name ? 'committed' : 'conflict';
}

/** An outbox with the pointer to a batch, which is kept. */
function addBatch(overlay: Overlay, outbox: readonly string[], events: EventBatch | null): readonly string[] {
  if (events === null) return outbox;
  const pointer = toBatchPointer(events);
  overlay.batches.set(pointer, events.chunks.flat());
  return [...new Set([...outbox, pointer])].sort();
}

async function listHeads(overlay: Overlay, fromSlice: string): Promise<SliceHead[]> {
  await ensureHeadsLoaded(overlay, fromSlice);
  return [...overlay.heads.values()]
    .filter(({ slice }) => slice >= fromSlice)
    .sort((a, b) => (a.slice < b.slice ? -1 : 1))
    .map((head) => ({ ...head, digests: head.digests.slice() }));
}

/** Reads heads from a slice on, unless they were read; what was read before stays as it was then. */
async function ensureHeadsLoaded(overlay: Overlay, fromSlice: string): Promise<void> {
  const { headsFrom } = overlay;
  if (headsFrom !== null && headsFrom <= fromSlice) return;
  for (const head of await overlay.real.loadHeads(overlay.feed, fromSlice)) {
    if (headsFrom === null || head.slice < headsFrom) overlay.heads.set(head.slice, head);
  }
  overlay.headsFrom = fromSlice;
}

function putLeaves({ leaves }: Overlay, written: readonly Leaf[]): void {
  for (const leaf of written) leaves.set(toLeafKey(leaf), leaf);
}

async function readOverlaidLeaves(
  { leaves, real, feed }: Overlay,
  refs: readonly LeafRef[],
): Promise<Leaf[]> {
  const unwritten = refs.filter((ref) => !leaves.has(toLeafKey(ref)));
  const read = await real.readLeaves(feed, unwritten);
  const known = new Map(read.map((leaf) => [toLeafKey(leaf), leaf]));
  return refs.map((ref) => {
    const { slice, generation, index } = ref;
    return (
      leaves.get(toLeafKey(ref)) ?? known.get(toLeafKey(ref)) ?? createLeaf({ slice, generation, index })
    );
  });
}

async function clearPointers(overlay: Overlay, entries: readonly OutboxEntry[]): Promise<void> {
  for (const { slice, pointer } of entries) {
    if (slice === null) {
      const stored = await loadStored(overlay);
      if (stored !== null) overlay.state = { stored: { ...stored, outbox: without(stored.outbox, pointer) } };
      continue;
    }
    await ensureHeadsLoaded(overlay, slice);
    const head = overlay.heads.get(slice);
    if (head !== undefined) overlay.heads.set(slice, { ...head, outbox: without(head.outbox, pointer) });
  }
}

function without(outbox: readonly string[], pointer: string): readonly string[] {
  return outbox.filter((each) => each !== pointer);
}

function acquire(overlay: Overlay, lease: Lease): boolean {
  const held = overlay.lease;
  const free = held === null || held.owner === lease.owner || held.expiresAt <= lease.now;
  if (!free && !lease.takeOver) return false;
  overlay.lease = lease;
  return true;
}
