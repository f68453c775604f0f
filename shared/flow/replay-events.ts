import type { ReplayReport, ReplayRequest } from '../config/replay-request.ts';
import { isDone, type ReplayCursor } from '../core/replay/cursor.ts';
import { selectedOf } from '../core/replay/selection.ts';
import type { EventLog, LoggedBatch } from '../delivery-ports.ts';
import type { Clock, EventPublisher, OutcomeLine, Telemetry } from '../ports.ts';

export interface ReplayPorts {
  readonly log: EventLog;
  /** Publishes to the topics, or to the one queue of the request, with the mark of a replay. */
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly telemetry: Telemetry;
}

export interface ReplayOrder {
  readonly request: ReplayRequest;
  /** Instant at which it must have ended. */
  readonly deadline: number;
}

/**
 * Publishes events of the past again, byte for byte as they were, in the order of their commits, and so those of a
 * record in the order of its sequence. Nothing is stored. When time is over, or an event is not taken, it says where
 * to go on: what had gone out of that batch then goes out once more, and nothing is left out.
 */
export async function replayEvents(order: ReplayOrder, ports: ReplayPorts): Promise<ReplayReport> {
  const { request, deadline } = order;
  const progress: Progress = { matched: {}, published: 0, unpublished: 0, next: request.after };
  const startedAt = ports.clock.now();
  let done = true;
  for await (const place of batchesLeft(request, ports.log)) {
    await replayBatch(place, progress, { request, ports, startedAt });
    done = progress.unpublished === 0 && ports.clock.now() < deadline;
    if (!done) break;
  }
  const report = { ...progress, done };
  ports.telemetry.report(lineOf(report, request));
  return report;
}

interface Progress {
  readonly matched: Record<string, number>;
  published: number;
  unpublished: number;
  next: ReplayCursor | null;
}

/** A batch of the log, and the position of its feed in the request. */
interface Place {
  readonly feed: number;
  readonly batch: LoggedBatch;
}

async function* batchesLeft(request: ReplayRequest, log: EventLog): AsyncGenerator<Place, void> {
  const { connection, feeds, from, to, after } = request;
  for (const [feed, name] of feeds.entries()) {
    if (after !== null && feed < after.feed) continue;
    const begin = after?.feed === feed ? Math.max(from, after.committedAt) : from;
    for await (const batch of log.read({ connection, feed: name }, { from: begin, to })) {
      if (!isDone(after, feed, batch.pointer)) yield { feed, batch };
    }
  }
}

interface Replaying {
  readonly request: ReplayRequest;
  readonly ports: ReplayPorts;
  readonly startedAt: number;
}

async function replayBatch({ feed, batch }: Place, progress: Progress, replaying: Replaying): Promise<void> {
  const { request, ports } = replaying;
  const selected = selectedOf(batch.texts, request);
  if (!request.dryRun && selected.length > 0) {
    const { published, unpublished } = await ports.publisher.publish(selected.map(({ text }) => text));
    progress.published += published;
    progress.unpublished += unpublished.length;
    if (progress.unpublished > 0) return;
    await ports.sleep(restOf(progress.published, replaying));
  }
  for (const { type } of selected) progress.matched[type] = (progress.matched[type] ?? 0) + 1;
  progress.next = { feed, committedAt: batch.committedAt, pointer: batch.pointer };
}

/** Milliseconds until so many events may have been published. */
function restOf(published: number, { request, ports, startedAt }: Replaying): number {
  return Math.max(0, startedAt + (published / request.perSecond) * 1_000 - ports.clock.now());
}

function lineOf(
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
