import type { ReplayReport, ReplayRequest } from '../config/requests/replay-request.ts';
import { countEventsDone, type ReplayCursor } from '../core/replay/cursor.ts';
import { computeChunkSize, computePauseMs } from '../core/replay/pace.ts';
import { type SelectedEvent, selectEvents } from '../core/replay/selection.ts';
import type { EventLog, LoggedBatch } from '../ports/event-log.ts';
import type { EventPublisher } from '../ports/poll.ts';
import type { Clock, OutcomeLine, Telemetry } from '../ports/system.ts';

export interface ReplayPorts {
  readonly log: EventLog;
  /** Publishes to the topics or to the queue of the request, marked as a replay. */
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly telemetry: Telemetry;
}

export interface ReplayOrder {
  readonly request: ReplayRequest;
  /** When it must have ended, in milliseconds since 1970. */
  readonly deadline: number;
}

/**
 * Publishes logged events again, byte for byte, in the order of their commits, so that those of a record keep their
 * sequence. Stores nothing. At the deadline, or when an event cannot be published, it returns a cursor to continue
 * from: a few events may be published twice then, and none is left out.
 */
export async function replayEvents(order: ReplayOrder, ports: ReplayPorts): Promise<ReplayReport> {
  const { request } = order;
  const progress: Progress = { matched: {}, published: 0, unpublished: 0, next: request.after };
  const run: ReplayRun = { ...order, ports, startedAt: ports.clock.now() };
  let done = true;
  for await (const place of iterateRemaining(request, ports.log)) {
    done = await replayBatch(place, progress, run);
    if (!done) break;
  }
  const report = { ...progress, done };
  ports.telemetry.report(buildLogLine(report, request));
  return report;
}

interface Progress {
  readonly matched: Record<string, number>;
  published: number;
  unpublished: number;
  next: ReplayCursor | null;
}

interface ReplayPosition {
  /** Index of the feed in the request. */
  readonly feed: number;
  readonly batch: LoggedBatch;
  /** Selected events of the batch that were published before. */
  readonly sent: number;
}

async function* iterateRemaining(
  request: ReplayRequest,
  log: EventLog,
): AsyncGenerator<ReplayPosition, void> {
  const { connection, feeds, from, to, after } = request;
  for (const [feed, name] of feeds.entries()) {
    if (after !== null && feed < after.feed) continue;
    const begin = after?.feed === feed ? Math.max(from, after.committedAt) : from;
    for await (const batch of log.read({ connection, feed: name }, { from: begin, to })) {
      const sent = countEventsDone(after, feed, batch.pointer);
      if (sent !== null) yield { feed, batch, sent };
    }
  }
}

interface ReplayRun extends ReplayOrder {
  readonly ports: ReplayPorts;
  readonly startedAt: number;
}

/** Publishes the selected events of a batch in chunks. False when one could not be published, or at the deadline. */
async function replayBatch(place: ReplayPosition, progress: Progress, run: ReplayRun): Promise<boolean> {
  const { feed, batch } = place;
  const { request, ports, deadline } = run;
  const selected = selectEvents(batch.texts, request);
  const size = request.dryRun ? selected.length : computeChunkSize(request.perSecond);
  let { sent } = place;
  do {
    const chunk = selected.slice(sent, sent + size);
    if (!(await replayChunk(chunk, progress, run))) return false;
    sent += chunk.length;
    const events = sent < selected.length ? sent : null;
    progress.next = { feed, committedAt: batch.committedAt, pointer: batch.pointer, events };
    if (ports.clock.now() >= deadline) return false;
  } while (sent < selected.length);
  return true;
}

/** False when an event could not be published. */
async function replayChunk(
  chunk: readonly SelectedEvent[],
  progress: Progress,
  run: ReplayRun,
): Promise<boolean> {
  const { request, ports } = run;
  if (!request.dryRun && chunk.length > 0) {
    const { published, unpublished } = await ports.publisher.publish(chunk.map(({ text }) => text));
    progress.published += published;
    progress.unpublished += unpublished.length;
    if (progress.unpublished > 0) return false;
    const { perSecond } = request;
    const now = ports.clock.now();
    await ports.sleep(computePauseMs(progress.published, { perSecond, startedAt: run.startedAt, now }));
  }
  for (const { type } of chunk) progress.matched[type] = (progress.matched[type] ?? 0) + 1;
  return true;
}

function buildLogLine(
  { matched, published, unpublished, done }: ReplayReport,
  request: ReplayRequest,
): OutcomeLine {
  return {
    outcome: 'replay.ended',
    connection: request.connection,
    target: request.target.kind,
    dryRun: request.dryRun,
    matched: Object.values(matched).reduce((sum, count) => sum + count, 0),
    published,
    unpublished,
    done,
  };
}
