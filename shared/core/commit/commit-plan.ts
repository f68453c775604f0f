import type { Change } from '../compare/change.ts';
import type { Snapshot } from '../compare/differing-leaves.ts';
import { findLostFacts } from '../compare/loss-count.ts';
import { isSameScan, type MassChange } from '../compare/mass-change.ts';
import { toIso } from '../dates.ts';
import { compareIds } from '../events/compare-ids.ts';
import type { ChangeEvents } from '../events/events.ts';
import type { FeedKey } from '../feeds.ts';
import type { FeedDefinition } from '../records/feed-definition.ts';
import type { RecentLoss } from '../snapshot/recent-loss.ts';
import { createHead, type LeafRef, type SliceHead, toLeafKey, toLeafRef } from '../snapshot/snapshot.ts';
import type { WatermarkCheck } from '../snapshot/watermark-memory.ts';
import {
  type CommitStep,
  type EventBatch,
  findDigestPage,
  type HeadWrite,
  MAX_EVENT_CHUNK_BYTES,
  MAX_TRANSACTION_EVENT_BYTES,
  MAX_TRANSACTION_ITEMS,
  toRequestToken,
} from './commit-step.ts';
import { INSERT_FENCE, isArrival, planFenceWrite } from './insert-fence.ts';
import { WorkingSnapshot } from './working-snapshot.ts';

export interface CommitInput {
  readonly feed: FeedKey;
  readonly definition: FeedDefinition;
  readonly snapshot: Snapshot;
  readonly changeEvents: readonly ChangeEvents[];
  /** Slices with a complete scan, and its start. */
  readonly observed: ReadonlyMap<string, number>;
  /** Of the scan; absent when the changes are of none. */
  readonly losses?: ScanLosses;
  /** Unique to this poll: part of request tokens, and of the generations of new heads. */
  readonly runId: string;
  readonly now: number;
  /** How long events and tombstones are kept, in milliseconds. */
  readonly retentionMs: number;
  /** Of a connection with watermarks. */
  readonly fence?: CommitFence | undefined;
}

/** What a commit must know of the fence of watermarks (ADR 36). */
export interface CommitFence {
  /** Whether a slice is hot, or was at any time of this poll. */
  readonly isHot: (slice: string) => boolean;
  /** Instants later than this came from a wrong clock. */
  readonly ahead: number;
}

export interface CommitPlan {
  /** To be executed in order; after a conflict the rest is dropped. */
  readonly steps: readonly CommitStep[];
}

/** Between two events of a chunk. */
const SEPARATOR_BYTES = 1;

/**
 * Plans how changes become transactions (rule 2). Each step holds whole changes with the leaves and heads that they
 * touch and their events, and stays within the bounds of a transaction.
 */
export function planCommit(input: CommitInput): CommitPlan {
  const working = new WorkingSnapshot(input.definition, input.snapshot, input.now - input.retentionMs);
  const steps: CommitStep[] = [];
  const { definition, losses } = input;
  const lossNotes = losses === undefined ? null : new LossNotes(definition, losses);
  let step = new Step(input, { working, lossNotes });
  for (const each of sortByLeaf(input)) {
    if (!step.hasRoomFor(each)) {
      steps.push(step.close());
      step = new Step(input, { working, lossNotes });
    }
    step.add(each);
  }
  if (!step.isEmpty) steps.push(step.close());
  return { steps: markObserved(steps, input.observed, working) };
}

/** Changes of one leaf together, so that each leaf is written once. */
function sortByLeaf({ changeEvents, snapshot }: CommitInput): ChangeEvents[] {
  const placeOf = ({ change }: ChangeEvents) => {
    const slice = change.after?.slice ?? change.rowSlice ?? '';
    const head = snapshot.heads.get(slice);
    return head === undefined ? slice : toLeafKey(toLeafRef(head, change.id));
  };
  const placed = changeEvents.map((each) => ({ each, place: placeOf(each) }));
  return placed.sort((a, b) => compareIds(a.place, b.place)).map(({ each }) => each);
}

/** The earliest instant at which a change of a step was first seen: on hot slices, and on all. */
type FirstSeen = Pick<WatermarkCheck, 'hot' | 'all'>;

/** One transaction while it is being filled. */
class Step {
  readonly #input: CommitInput;
  readonly #working: WorkingSnapshot;
  readonly #lossNotes: LossNotes | null;
  /** Per slice: the revision its head has before this step; 0 when there is none yet. */
  readonly #before = new Map<string, number>();
  readonly #leaves = new Map<string, LeafRef>();
  readonly #pages = new Set<string>();
  readonly #texts: string[] = [];
  #firstSeen: FirstSeen = { hot: Number.MAX_SAFE_INTEGER, all: Number.MAX_SAFE_INTEGER };
  #hasArrivals = false;
  #eventBytes = 0;

  constructor(
    input: CommitInput,
    { working, lossNotes }: { readonly working: WorkingSnapshot; readonly lossNotes: LossNotes | null },
  ) {
    this.#input = input;
    this.#working = working;
    this.#lossNotes = lossNotes;
  }

  get isEmpty(): boolean {
    return this.#before.size === 0;
  }

  hasRoomFor({ change, texts }: ChangeEvents): boolean {
    if (this.isEmpty) return true;
    const refs = this.#refsOf(change);
    const slices = countWith(
      this.#before,
      refs.map(({ slice }) => slice),
    );
    const leaves = countWith(this.#leaves, refs.map(toLeafKey));
    const pages = countWith(
      this.#pages,
      refs.map((ref) => this.#pageOf(ref)),
    );
    const bytes = this.#eventBytes + countBytes(texts);
    const fenceItems = this.#input.fence === undefined ? 1 : 2;
    const items = slices + fenceItems + leaves + pages + Math.ceil((2 * bytes) / MAX_EVENT_CHUNK_BYTES) + 1;
    return items <= MAX_TRANSACTION_ITEMS && bytes <= MAX_TRANSACTION_EVENT_BYTES;
  }

  add(changeEvents: ChangeEvents): void {
    const { change, texts, types } = changeEvents;
    if (types.length > 0) this.#see(change);
    for (const ref of this.#refsOf(change)) {
      this.#before.set(ref.slice, this.#working.revisionOf(ref.slice));
      this.#leaves.set(toLeafKey(ref), ref);
      this.#pages.add(this.#pageOf(ref));
    }
    this.#hasArrivals ||= isArrival(change);
    this.#working.apply(changeEvents, this.#input.observed.has(change.after?.slice ?? ''));
    this.#lossNotes?.add(change);
    this.#texts.push(...texts);
    this.#eventBytes += countBytes(texts);
  }

  close(): CommitStep {
    const { feed, now, retentionMs, runId, fence } = this.#input;
    const refs = [...this.#leaves.values()];
    const heads: HeadWrite[] = [...this.#before].map(([slice, before]) => ({
      head: this.#noteLosses(this.#working.advance(slice)),
      expectedRevision: before === 0 ? null : before,
      changedLeaves: refs.filter((ref) => ref.slice === slice).map(({ index }) => index),
    }));
    if (this.#hasArrivals) heads.push(this.#advanceFence());
    const name = heads.map(({ head }) => `${head.slice}@${head.revision}`).join(' ');
    const [first] = heads;
    return {
      feed,
      token: toRequestToken([runId, feed.connection, feed.feed, name]),
      heads,
      leaves: refs.map((ref) => this.#working.leaf(ref)),
      events: first === undefined ? null : buildBatch(this.#texts, { now, head: first.head, look: runId }),
      eventsExpireAt: now + retentionMs,
      ...(fence === undefined || this.#firstSeen.all === Number.MAX_SAFE_INTEGER
        ? {}
        : { watermark: { ...this.#firstSeen, ahead: fence.ahead } }),
    };
  }

  #see({ rowSlice, after, observed: { by } }: Change): void {
    const { hot, all } = this.#firstSeen;
    const isHot = [rowSlice, after?.slice ?? null].some(
      (slice) => slice !== null && this.#input.fence?.isHot(slice) === true,
    );
    this.#firstSeen = { hot: isHot ? Math.min(hot, by) : hot, all: Math.min(all, by) };
  }

  #noteLosses(head: SliceHead): SliceHead {
    return this.#lossNotes?.note(head) ?? head;
  }

  #advanceFence(): HeadWrite {
    const write = planFenceWrite(this.#working.heads);
    this.#working.heads.set(INSERT_FENCE, write.head);
    return write;
  }

  #refsOf(change: Change): LeafRef[] {
    const slices = new Set([change.rowSlice, change.tombstoneSlice, change.after?.slice ?? null]);
    return [...slices].flatMap((slice) => (slice === null ? [] : [this.#refIn(slice, change.id)]));
  }

  #refIn(slice: string, id: string): LeafRef {
    const head = this.#working.heads.get(slice) ?? createHead(slice, `0-${this.#input.runId}`);
    this.#working.ensure(head);
    return toLeafRef(head, id);
  }

  /** Key of the digest page, or of the head, that holds a leaf's digest. */
  #pageOf({ slice, index }: LeafRef): string {
    return `${slice}/${findDigestPage(index, this.#working.heads.get(slice)?.leafCount ?? 1)}`;
  }
}

/** How many there are once these keys, each of which is given once, are among them. */
function countWith(known: Pick<ReadonlySet<string>, 'size' | 'has'>, keys: readonly string[]): number {
  return known.size + keys.filter((key) => !known.has(key)).length;
}

function countBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + SEPARATOR_BYTES, 0);
}

/** The events of a commit as they are logged; null when there are none. */
export function buildBatch(texts: readonly string[], { now, head, look }: BatchOrigin): EventBatch | null {
  if (texts.length === 0) return null;
  const chunks: string[][] = [[]];
  let bytes = 0;
  for (const text of texts) {
    const size = countBytes([text]);
    if (bytes > 0 && bytes + size > MAX_EVENT_CHUNK_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(text);
    bytes += size;
  }
  return { key: `${toIso(now)}/${head.slice}/${String(head.revision).padStart(9, '0')}`, chunks, look };
}

interface BatchOrigin extends Pick<EventBatch, 'look'> {
  readonly now: number;
  readonly head: Pick<SliceHead, 'slice' | 'revision'>;
}

/** Sets `observedAt` in the last step of each scanned slice; before that, other changes of the scan are missing. */
function markObserved(
  steps: readonly CommitStep[],
  observed: ReadonlyMap<string, number>,
  working: WorkingSnapshot,
): CommitStep[] {
  return steps.map((step) => ({
    ...step,
    heads: step.heads.map((write) => {
      const at = observed.get(write.head.slice);
      const last = working.heads.get(write.head.slice)?.revision === write.head.revision;
      return at === undefined || !last ? write : { ...write, head: { ...write.head, observedAt: at } };
    }),
  }));
}

/** What a scan found about facts that records lost. */
export interface ScanLosses {
  /** Start of the scan. */
  readonly at: number;
  readonly massChanges: readonly MassChange[];
}

/**
 * Notes in the head of a slice what its records lost, in the transaction that holds the events of these losses: they
 * count for a minute together with those of the next scans. Those that a second scan confirmed do not.
 */
export class LossNotes {
  readonly #definition: FeedDefinition;
  readonly #scan: ScanLosses;
  /** Losses of the scan that are planned so far, by slice and field. */
  readonly #planned = new Map<string, Map<string, number>>();

  constructor(definition: FeedDefinition, scan: ScanLosses) {
    this.#definition = definition;
    this.#scan = scan;
  }

  add({ before, after, silent }: Change): void {
    if (before === null || after === null || silent === true) return;
    const { slice, row } = before;
    const planned = this.#planned.get(slice) ?? new Map<string, number>();
    const confirmed = this.#scan.massChanges.filter((each) => each.isConfirmed && each.slice === slice);
    const lost = findLostFacts(this.#definition, row.state, after.row);
    for (const field of lost.filter((each) => !confirmed.some((change) => change.field === each)))
      planned.set(field, (planned.get(field) ?? 0) + 1);
    this.#planned.set(slice, planned);
  }

  /** The head after the changes added so far. `head`: with the losses that it named before any of them. */
  note({ recentLosses = [], ...head }: SliceHead): SliceHead {
    const recent = this.#addRecent(recentLosses, this.#planned.get(head.slice) ?? new Map());
    return { ...head, ...(recent.length === 0 ? {} : { recentLosses: recent }) };
  }

  #addRecent(recent: readonly RecentLoss[], planned: ReadonlyMap<string, number>): readonly RecentLoss[] {
    const { at } = this.#scan;
    const isOwn = (loss: RecentLoss) => loss.at === at;
    const added = [...planned].map(([field, records]) => {
      const before = recent.find((loss) => isOwn(loss) && loss.field === field)?.records ?? 0;
      return { field, records: before + records, at };
    });
    const replaced = new Set(added.map(({ field }) => field));
    const others = recent.filter(
      (loss) => isSameScan(loss, at) && !(isOwn(loss) && replaced.has(loss.field)),
    );
    return [...others, ...added.filter(({ records }) => records > 0)];
  }
}
