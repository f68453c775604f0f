import type {
  SnapshotReport,
  SnapshotRequest,
  StartRequest,
} from '#shared/config/requests/replay-request.ts';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { EventPublisher } from '#shared/flow/poll/ports.ts';
import {
  advanceStart,
  claimStart,
  findCursor,
  listUnsentFeeds,
  type ReceiverStart,
  type StartKey,
} from '../receiver-start.ts';
import { type SnapshotPorts, sendSnapshots } from './send-snapshots.ts';

/** How far receivers are that begin with a snapshot. Kept for ever: what is done must not be done again. */
export interface StartStore {
  /** Null before the first part was sent. Strongly consistent. */
  load(key: StartKey): Promise<ReceiverStart | null>;
  /** A conflict when the stored revision is not the one before. */
  save(key: StartKey, start: ReceiverStart): Promise<CommitOutcome>;
}

export interface StartPorts extends Omit<SnapshotPorts, 'publisher'> {
  readonly starts: StartStore;
  /** Sends to a queue, not marked as a replay: what is delivered already is not delivered again. */
  publisherFor(queueUrl: string): EventPublisher;
}

export interface StartOrder {
  readonly request: StartRequest;
  /** When it must have ended, in milliseconds since 1970. */
  readonly deadline: number;
}

type Receiver = StartRequest['receivers'][number];

/** A run that dies repeats at most what it sent within this time. */
const PART_MS = 20_000;
/** Beyond the deadline, a run is dead. */
const OWNERSHIP_MARGIN_MS = 60_000;

/** Starts by what became of them in this run. */
export interface StartReport {
  /** Begun before, and done or owned by another run. */
  readonly settled: number;
  /**
   * A feed that the receiver gets has no baseline yet, which comes first, or records would be left out. Those of the
   * other feed are sent: the source may refuse this one for good.
   */
  readonly waiting: number;
  readonly completed: number;
  /** Goes on in the next run. */
  readonly unfinished: number;
}
type StartResult = keyof StartReport;

/**
 * Sends the state of all stored records to each receiver that is new, once: how far it is, is stored, so that another
 * run goes on. Its subscription exists already: what is committed after a record was read reaches it as an event.
 * A queue that does not take it holds no other receiver up; in the end a retryable `NotifierError` (`start_failed`) is
 * thrown for the first one.
 */
export async function startReceivers(order: StartOrder, ports: StartPorts): Promise<StartReport> {
  const results: StartResult[] = [];
  const failures: NotifierError[] = [];
  for (const connection of order.request.connections) {
    for (const receiver of order.request.receivers) {
      const result = await startReceiver(receiver, connection, { ...order, ports });
      if (result instanceof NotifierError) failures.push(result);
      else results.push(result);
    }
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  const count = (result: StartResult) => results.filter((each) => each === result).length;
  return {
    settled: count('settled'),
    waiting: count('waiting'),
    completed: count('completed'),
    unfinished: count('unfinished'),
  };
}

interface StartRun extends StartOrder {
  readonly ports: StartPorts;
}

async function startReceiver(
  receiver: Receiver,
  connection: string,
  run: StartRun,
): Promise<StartResult | NotifierError> {
  const { ports, deadline } = run;
  const key: StartKey = { receiver: receiver.name, generation: receiver.generation, connection };
  const now = ports.clock.now();
  const claimed = claimStart(await ports.starts.load(key), {
    now,
    ownedUntil: deadline + OWNERSHIP_MARGIN_MS,
  });
  if (claimed === null) return 'settled';
  if (now >= deadline) return 'unfinished';
  const place: StartPlace = { receiver, key };
  const waiting = await listWaitingFeeds(claimed, place, ports);
  if (waiting.length > 0 && findNextFeed(claimed, { ...place, waiting }) === undefined) return 'waiting';
  if ((await ports.starts.save(key, claimed)) === 'conflict') return 'settled';
  return await sendFeeds(claimed, { ...place, waiting }, run);
}

interface StartPlace {
  readonly receiver: Receiver;
  readonly key: StartKey;
}

/** With the feeds that the receiver gets and that have no baseline. */
interface WaitingPlace extends StartPlace {
  readonly waiting: readonly FeedName[];
}

async function listWaitingFeeds(
  start: ReceiverStart,
  { receiver, key: { connection } }: StartPlace,
  { store, telemetry }: StartPorts,
): Promise<FeedName[]> {
  const waiting: FeedName[] = [];
  for (const feed of listUnsentFeeds(start, receiver.interest.topics)) {
    const stored = await store.loadFeedState({ connection, feed });
    if (stored?.state.baseline?.completedAt != null) continue;
    waiting.push(feed);
    telemetry.report({ outcome: 'start.waiting', receiver: receiver.name, connection, feed });
  }
  return waiting;
}

function findNextFeed(start: ReceiverStart, { receiver, waiting }: WaitingPlace): FeedName | undefined {
  return listUnsentFeeds(start, receiver.interest.topics).find((feed) => !waiting.includes(feed));
}

/** Stores how far it is after each part. An error when the queue does not take it. */
async function sendFeeds(
  claimed: ReceiverStart,
  place: WaitingPlace,
  run: StartRun,
): Promise<StartResult | NotifierError> {
  const { key, waiting } = place;
  const { starts, clock } = run.ports;
  let start = claimed;
  let feed = findNextFeed(start, place);
  while (feed !== undefined) {
    const sent = await sendPart(feed, { ...place, start }, run);
    const now = clock.now();
    const isOver = sent.unpublished > 0 || now >= run.deadline;
    start = { ...advanceStart(start, feed, sent), ownedUntil: isOver ? now : start.ownedUntil };
    if ((await starts.save(key, start)) === 'conflict') return 'settled';
    if (sent.unpublished > 0) return createSendError(key);
    if (isOver) return 'unfinished';
    feed = findNextFeed(start, place);
  }
  const now = clock.now();
  const isDone = waiting.length === 0;
  const ended = { ...start, revision: start.revision + 1, ownedUntil: now, doneAt: isDone ? now : null };
  if ((await starts.save(key, ended)) === 'conflict') return 'settled';
  return isDone ? 'completed' : 'waiting';
}

async function sendPart(
  feed: FeedName,
  { receiver, key, start }: StartPlace & { readonly start: ReceiverStart },
  { request: { perSecond }, ports, deadline }: StartRun,
): Promise<SnapshotReport> {
  const { queueUrl, interest } = receiver;
  const request: SnapshotRequest = {
    kind: 'snapshot',
    connection: key.connection,
    select: [{ feed }],
    ...{ queueUrl, interest, perSecond, dryRun: false, after: findCursor(start, feed) },
  };
  const part = Math.min(deadline, ports.clock.now() + PART_MS);
  return await sendSnapshots(
    { request, deadline: part },
    { ...ports, publisher: ports.publisherFor(queueUrl) },
  );
}

function createSendError({ receiver, connection }: StartKey): NotifierError {
  return new NotifierError(
    'start_failed',
    `the queue of ${receiver} does not take the snapshot of ${connection}; it goes on with the next run`,
    { retryable: true },
  );
}
