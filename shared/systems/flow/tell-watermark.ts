import { computeEventId, OPERATIONS, toPosition } from '#shared/core/events/envelope.ts';
import { isDirectoryFeed } from '#shared/core/feeds.ts';
import type { PollConclusion } from '#shared/core/outcome/feed-memory.ts';
import type { Agenda } from '#shared/core/plan/agenda.ts';
import type {
  PublishedWatermark,
  WatermarkMemory,
  WatermarkWrite,
} from '#shared/core/snapshot/watermark-memory.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import {
  CommittedBatches,
  claimThrough,
  describeWatermark,
  findPredecessor,
  findReading,
  isNothingWaiting,
  isWatermarkDue,
  raiseFence,
  type WatermarkClaim,
} from '../watermark.ts';

/** What a poll concludes, with a watermark as its last event. */
interface WatermarkedConclusion extends PollConclusion {
  readonly watermark?: WatermarkWrite;
}

/**
 * Adds a watermark to what a poll concludes, when one is due and nothing waits (ADR 36). First the fence is written:
 * from then on nothing is committed that was first seen before. Then it is read what was committed, and whether all of
 * it is published.
 */
export async function tellWatermark(
  conclusion: PollConclusion,
  { window }: Agenda,
  run: PollRun,
): Promise<WatermarkedConclusion> {
  const { state } = conclusion;
  const due = mayTell(state, run) ? await planWatermark(state, window, run) : null;
  if (due === null || !(await isFenced(due, run))) return conclusion;
  const { claim, previous, fenced, now } = due;
  const { events, hashes } = await readCommitted(previous, now, run);
  if (hashes === null || !(await isAllPublished(run))) return conclusion;

  const dates = run.feed.feed === 'timesheets' ? window : null;
  const operation = describeWatermark(claim, { previous, events, window: dates });
  const sequence = state.sequence + 1;
  const id = computeEventId(run.feed, OPERATIONS, toPosition({ epoch: state.epoch, sequence }));
  const tableId = state.tableId ?? null;
  const watermark = { id, at: now, tableId, through: claim.through, readAt: now, counted: hashes };
  const { revision, fence } = fenced;
  return {
    ...conclusion,
    state: { ...state, sequence },
    operations: [...conclusion.operations, operation],
    watermark: { memory: { revision: revision + 1, fence, told: watermark }, expectedRevision: revision },
  };
}

/** Whether a poll may tell one at all, as far as it knows without asking. */
function mayTell(
  { baseline }: PollConclusion['state'],
  { memory, ports, publishUntil, connection, feed }: PollRun,
): boolean {
  return (
    connection.watermark &&
    !isDirectoryFeed(feed.feed) &&
    memory.claim.dates === 'all' &&
    baseline?.completedAt != null &&
    isNothingWaiting(memory.heads.all.values()) &&
    ports.clock.now() < publishUntil
  );
}

/** A watermark that is due. */
interface DueWatermark {
  readonly claim: WatermarkClaim;
  readonly previous: PublishedWatermark | null;
  /** The revision that is stored now. */
  readonly expectedRevision: number | null;
  readonly fenced: WatermarkMemory;
  readonly now: number;
}

/** What a watermark would say now; null when none is due. */
async function planWatermark(
  state: PollConclusion['state'],
  window: readonly string[],
  { connection, feed, ports, memory }: PollRun,
): Promise<DueWatermark | null> {
  const stored = (await ports.store.loadWatermark?.(feed)) ?? null;
  const last = stored?.told ?? null;
  const now = ports.clock.now();
  const at = { now, tableId: state.tableId ?? null };
  if (!isWatermarkDue(last, at)) return null;
  const previous = findPredecessor(last, at);
  const claim = claimThrough({
    ...{ feed: feed.feed, now, timeZone: connection.timeZone, window, state },
    heads: memory.heads.all,
    payPeriods: feed.feed === 'pay-periods' ? state.payPeriods : memory.periods.all,
    before: previous?.through ?? { hot: null, all: null },
  });
  if (claim === null) return null;
  const expectedRevision = stored?.revision ?? null;
  const fence = raiseFence(stored?.fence, claim, now);
  return {
    claim,
    previous,
    now,
    expectedRevision,
    fenced: { revision: (expectedRevision ?? 0) + 1, fence, told: last },
  };
}

/** Writes the fence. False when another poll writes a watermark too. */
async function isFenced(
  { fenced, expectedRevision }: DueWatermark,
  { feed, ports }: PollRun,
): Promise<boolean> {
  return (await ports.store.saveWatermark?.(feed, { memory: fenced, expectedRevision })) === 'committed';
}

/** The batches that were committed since the last watermark, which the next one does not count again. */
async function readCommitted(
  previous: PublishedWatermark | null,
  now: number,
  { feed, ports }: PollRun,
): Promise<CommittedBatches> {
  const batches = new CommittedBatches(previous, now);
  for await (const batch of ports.store.readLog?.(feed, findReading(previous, now)) ?? []) batches.add(batch);
  return batches;
}

/** Whether nothing waits anywhere, and no other poll has concluded meanwhile. */
async function isAllPublished({ feed, ports, firstSlice, expectedStateRevision }: PollRun): Promise<boolean> {
  const heads = await ports.store.loadHeads(feed, firstSlice);
  const stored = await ports.store.loadFeedState(feed);
  return stored?.state.revision === expectedStateRevision && isNothingWaiting(heads, stored?.outbox);
}
