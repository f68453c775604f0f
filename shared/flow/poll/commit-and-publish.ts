import { findLatestCommitAt } from '#shared/core/commit/commit-order.ts';
import { type CommitOutcome, type CommitStep, parseChunkCount } from '#shared/core/commit/commit-step.ts';
import type { KnownHeads } from '#shared/core/commit/known-heads.ts';
import {
  collectOutboxEntries,
  computeNextReadItems,
  type EventAddress,
  FIRST_READ_ITEMS,
  findClosedTopics,
  lineOf,
  type OutboxEntry,
  type PendingBatch,
  type PublishFailure,
  PublishState,
  readEventAddress,
  sortIntoBatches,
} from '#shared/core/commit/outbox.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { addPublished } from '#shared/core/outcome/poll-findings.ts';
import type { HeldEvent } from '#shared/core/snapshot/feed-state.ts';
import type { PollRun } from './poll-run.ts';
import type { EventPublisher, SnapshotStore } from './ports.ts';

/** Executes a plan of commits. After a conflict the rest is dropped: another poll has newer data (rule 1). */
export async function commitSteps(
  steps: readonly CommitStep[],
  { store, heads }: { readonly store: Pick<SnapshotStore, 'commit'>; readonly heads: KnownHeads },
  onCommitted: (events: CommittedEvents) => Promise<void> | void,
): Promise<CommitOutcome> {
  for (const step of steps) {
    const outcome = await store.commit(step);
    if (outcome === 'conflict') return outcome;
    await onCommitted({ entries: heads.follow(step), texts: step.events?.chunks.flat() ?? [] });
  }
  return 'committed';
}

/** Where a step left its events, and these. */
export interface CommittedEvents {
  readonly entries: readonly OutboxEntry[];
  readonly texts: readonly string[];
}

/** Publishes what earlier polls left, in at most half of the time for fetching: a backlog does not stop the scans. */
export async function publishBacklog(run: PollRun): Promise<void> {
  const until = run.startedAt + (run.fetchUntil - run.startedAt) / 2;
  const outcome = await publishOutbox(run.backlog, run.feed, buildPublishPorts(run, until));
  noteOutcome(outcome, 0, run);
}

/**
 * Publishes what another poll committed while this one was at work: what this one commits from now on may be about the
 * same records (rule 3).
 */
export async function publishOthersEvents(known: readonly OutboxEntry[], run: PollRun): Promise<void> {
  const { heads, commitClock } = run.memory;
  const pointers = new Set(known.map(({ pointer }) => pointer));
  const entries = collectOutboxEntries(heads.all.values()).filter(({ pointer }) => !pointers.has(pointer));
  const batches = sortIntoBatches(entries);
  commitClock.follow(batches.map(({ pointer }) => pointer));
  const outcome = await publishBatches(batches, run.feed, buildPublishPorts(run, run.publishUntil));
  noteOutcome(outcome, 0, run);
}

/** Own events go out unless earlier ones of the same records wait (rule 3), or something waits that was not read. */
export async function publishOwnEvents({ entries, texts }: CommittedEvents, run: PollRun): Promise<void> {
  const batches = entries.slice(0, 1).map(({ pointer }) => ({ pointer, entries, texts }));
  const outcome = await publishBatches(batches, run.feed, buildPublishPorts(run, run.publishUntil));
  noteOutcome(outcome, texts.length, run);
}

/** Operational events of another poll that may still wait go out first: those of this poll are left to the next one (rule 3). */
export function deferPublishing(outbox: readonly string[], { memory }: PollRun): void {
  if (outbox.length === 0) return;
  memory.publishing.behind.add('operations');
  memory.commitClock.follow(outbox);
}

/** Takes the pointers to what cannot be published out of their outboxes, now that this is reported. */
export async function clearUnpublishable({ ports, feed, memory }: PollRun): Promise<void> {
  const entries = memory.findings.publishFailures.flatMap((failure) => failure.entries);
  if (entries.length > 0) await ports.store.clearOutbox(feed, entries);
}

function buildPublishPorts({ ports, memory }: PollRun, until: number): PublishPorts {
  const { store, publisher, clock } = ports;
  return { store, publisher, memory: memory.publishing, hasTime: () => clock.now() < until };
}

function noteOutcome(
  { published, waiting, cleared, failed }: PublishOutcome,
  committed: number,
  { feed, ports, memory }: PollRun,
): void {
  for (const { reason, events, committedAt } of failed) {
    const line = { outcome: 'publish.failed', ...feed, reason, events, committedAt: toIso(committedAt) };
    ports.telemetry.report(line);
  }
  memory.heads.clear(cleared);
  addPublished(memory.findings, { committed, published, waiting, failed });
}

/** Batches that one poll reads without being able to publish an event of them. */
const MAX_FRUITLESS_BATCHES = 200;

export interface PublishPorts {
  readonly store: Pick<SnapshotStore, 'readEvents' | 'readEventBatches' | 'clearOutbox'>;
  readonly publisher: EventPublisher;
  /** Whether there is still time to publish something; without it there always is. */
  readonly hasTime?: () => boolean;
  /** Shared by everything that one poll publishes; without it each call stands alone. */
  readonly memory?: PublishState;
}

/** A committed batch of events and where its pointers are stored. */
export interface OutboxBatch extends PendingBatch {
  /** Its events, when they are at hand; otherwise they are read from the event log. */
  readonly texts?: readonly string[];
}

export interface PublishOutcome {
  readonly published: number;
  /** Events that stay in the outbox for the next poll; a batch that was not read counts as one. */
  readonly waiting: number;
  /** Pointers that were taken out of their outboxes. */
  readonly cleared: readonly OutboxEntry[];
  /** What can never be published, and is skipped. Its pointers are taken out once that is reported. */
  readonly failed: readonly PublishFailure[];
}

/** Publishes what earlier polls committed and did not publish, oldest commit first (rule 3). */
export async function publishOutbox(
  entries: readonly OutboxEntry[],
  feed: FeedKey,
  ports: PublishPorts,
): Promise<PublishOutcome> {
  const batches = sortIntoBatches(entries);
  ports.memory?.keepOnly(new Set(batches.map(({ pointer }) => pointer)));
  return await publishBatches(batches, feed, ports);
}

/**
 * Publishes batches, several at a time, and clears pointers as it goes. A record's events keep their order: when one
 * does not go out, its later ones wait, and those of all other records pass. When time is over the rest waits unread.
 */
export async function publishBatches(
  batches: readonly OutboxBatch[],
  feed: FeedKey,
  ports: PublishPorts,
): Promise<PublishOutcome> {
  return await new OutboxPublisher(feed, ports).run(batches);
}

/** A batch that was read, and what becomes of its events. */
interface OpenBatch extends OutboxBatch {
  readonly texts: readonly string[];
  readonly held: HeldEvent[];
  readonly refused: EventAddress[];
}

/** An event on its way to SNS. */
interface Outgoing {
  readonly batch: OpenBatch;
  readonly position: number;
  readonly text: string;
}

class OutboxPublisher {
  readonly #feed: FeedKey;
  readonly #ports: PublishPorts;
  readonly #memory: PublishState;
  readonly #cleared: OutboxEntry[] = [];
  readonly #failed: PublishFailure[] = [];
  #published = 0;
  #waiting = 0;

  constructor(feed: FeedKey, ports: PublishPorts) {
    this.#feed = feed;
    this.#ports = ports;
    this.#memory = ports.memory ?? new PublishState();
  }

  async run(batches: readonly OutboxBatch[]): Promise<PublishOutcome> {
    const { operations = [], records = [] } = Object.groupBy(batches, lineOf);
    const queue = [...operations, ...records].reverse();
    let items = FIRST_READ_ITEMS;
    let fruitless = 0;
    while (queue.length > 0) {
      if (this.#ports.hasTime?.() === false || fruitless >= MAX_FRUITLESS_BATCHES)
        for (const batch of queue) this.#memory.behind.add(lineOf(batch));
      const group = this.#takeGroup(queue, items);
      const before = this.#published;
      const opened = await this.#open(group);
      await this.#publish(opened);
      fruitless = this.#published > before ? 0 : fruitless + group.length;
      items = computeNextReadItems(
        items,
        opened.flatMap(({ texts }) => texts),
      );
    }
    return {
      published: this.#published,
      waiting: this.#waiting,
      cleared: this.#cleared,
      failed: this.#failed,
    };
  }

  /** The next batches, passing over those of which nothing can go out now. */
  #takeGroup(queue: OutboxBatch[], items: number): OutboxBatch[] {
    const group: OutboxBatch[] = [];
    let size = 0;
    while (size < items) {
      const batch = queue.pop();
      if (batch === undefined) break;
      if (this.#passOver(batch)) continue;
      size += parseChunkCount(batch.pointer);
      group.push(batch);
    }
    return group;
  }

  #passOver(batch: OutboxBatch): boolean {
    const held = this.#memory.heldOf(batch.pointer);
    const isStuck = held?.every(([, topic, recordHash]) => this.#memory.isStuck(topic, recordHash));
    if (isStuck !== true && !this.#memory.behind.has(lineOf(batch))) return false;
    for (const [, , recordHash] of held ?? []) this.#memory.blocked.add(recordHash);
    this.#waiting += held?.length ?? batch.texts?.length ?? 1;
    return true;
  }

  /** Reads what is not at hand. What is no longer there is put aside. */
  async #open(group: readonly OutboxBatch[]): Promise<OpenBatch[]> {
    const unread = group.filter(({ texts }) => texts === undefined).map(({ pointer }) => pointer);
    const read = await readBatches(this.#ports.store, this.#feed, unread);
    return group.flatMap((batch) => {
      const texts = batch.texts ?? read.get(batch.pointer);
      if (texts != null) return [{ ...batch, texts, held: [], refused: [] }];
      this.#fail(batch, 'expired', []);
      return [];
    });
  }

  async #publish(batches: readonly OpenBatch[]): Promise<void> {
    const outgoing = batches.flatMap((batch) => this.#selectOutgoing(batch));
    if (outgoing.length > 0) await this.#send(outgoing);
    for (const batch of batches) this.#conclude(batch);
    const done = batches.filter(({ held, refused }) => held.length === 0 && refused.length === 0);
    const cleared = done.flatMap(({ entries }) => entries);
    if (cleared.length > 0) await this.#ports.store.clearOutbox(this.#feed, cleared);
    this.#cleared.push(...cleared);
  }

  /** The events of a batch that may go out; the others are held, and with them the later ones of their records. */
  #selectOutgoing(batch: OpenBatch): Outgoing[] {
    const { blocked, closed } = this.#memory;
    const positions = this.#memory.heldOf(batch.pointer)?.map(([position]) => position) ?? batch.texts.keys();
    return [...positions].flatMap((position) => {
      const text = batch.texts[position];
      if (text === undefined) return [];
      const isFree = blocked.size === 0 && closed.size === 0;
      const address = isFree ? null : readEventAddress(text);
      if (address === null || !this.#memory.isStuck(address.topic, address.recordHash))
        return [{ batch, position, text }];
      this.#hold(batch, position, address);
      return [];
    });
  }

  #hold(batch: OpenBatch, position: number, { topic, recordHash }: EventAddress): void {
    batch.held.push([position, topic, recordHash]);
    this.#memory.blocked.add(recordHash);
  }

  async #send(outgoing: readonly Outgoing[]): Promise<void> {
    const result = await this.#ports.publisher.publish(outgoing.map(({ text }) => text));
    const refused = new Set(result.refused);
    const held = new Set(result.unpublished.filter((index) => !refused.has(index)));
    this.#published += outgoing.length - held.size - refused.size;
    if (held.size + refused.size === 0) return;
    const addressed = outgoing.map((each) => ({ ...each, ...readEventAddress(each.text) }));
    for (const [index, each] of addressed.entries()) {
      if (refused.has(index)) each.batch.refused.push(each);
      if (held.has(index)) this.#hold(each.batch, each.position, each);
    }
    for (const topic of findClosedTopics(addressed, held)) this.#memory.closed.add(topic);
  }

  #conclude(batch: OpenBatch): void {
    const { pointer, refused } = batch;
    // Events for a closed topic were held before the others were sent.
    const held = batch.held.toSorted(([a], [b]) => a - b);
    this.#waiting += held.length;
    if (held.length === 0) this.#memory.forget(pointer);
    else if (!this.#memory.hold(pointer, held)) this.#memory.behind.add(lineOf(batch));
    const entries = held.length > 0 ? [] : batch.entries;
    if (refused.length > 0) this.#fail({ pointer, entries }, 'refused', refused);
  }

  #fail(
    { pointer, entries }: OutboxBatch,
    reason: PublishFailure['reason'],
    refused: readonly EventAddress[],
  ): void {
    this.#failed.push({
      reason,
      committedAt: findLatestCommitAt([pointer]),
      events: refused.length,
      eventIds: refused.flatMap(({ id }) => id ?? []),
      entries,
    });
  }
}

type BatchReader = Pick<SnapshotStore, 'readEvents' | 'readEventBatches'>;

/**
 * The texts of several batches by pointer; null for one of which a part is no longer in the event log. Throws what
 * the store throws for any other reason.
 */
async function readBatches(
  store: BatchReader,
  feed: FeedKey,
  pointers: readonly string[],
): Promise<ReadonlyMap<string, readonly string[] | null>> {
  if (pointers.length === 0) return new Map();
  if (store.readEventBatches !== undefined) return await store.readEventBatches(feed, pointers);
  const read = new Map<string, readonly string[] | null>();
  for (const pointer of pointers) {
    read.set(pointer, await store.readEvents(feed, pointer).catch(nullWhenMissing));
  }
  return read;
}

function nullWhenMissing(cause: unknown): null {
  if (cause instanceof NotifierError && cause.code === 'events_missing') return null;
  throw cause;
}
