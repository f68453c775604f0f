import type { ReplayReport, ReplayRequest } from '#shared/config/requests/replay-request.ts';
import type { LookReceipt } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { countEventsDone, type ReplayCursor } from '../cursor.ts';
import { computeChunkSize } from '../pace.ts';
import { selectEvents } from '../selection.ts';
import { countSent, type SendingPorts, type SendingProgress, sendChunk } from './send-chunk.ts';

/** The log of committed events. */
export interface EventLog {
  /**
   * Batches of a feed committed at `from` or later and before `to` (ms since 1970), in the order of their commits. A
   * text is one CloudEvent as JSON, byte for byte as published.
   */
  read(
    feed: FeedKey,
    between: { readonly from: number; readonly to: number },
  ): AsyncGenerator<LoggedBatch, void>;
}

/** The events of one commit. Instants in milliseconds since 1970. */
export interface LoggedBatch {
  readonly pointer: string;
  readonly committedAt: number;
  readonly receipt?: LookReceipt;
  readonly texts: readonly string[];
}

/** Events are marked as a replay. */
export interface ReplayPorts extends SendingPorts {
  readonly log: EventLog;
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
  const progress: ReplayRun['progress'] = { matched: {}, published: 0, unpublished: 0, next: request.after };
  const run: ReplayRun = { ...order, ports, startedAt: ports.clock.now(), progress };
  let done = true;
  for await (const place of iterateRemaining(request, ports.log)) {
    done = await replayBatch(place, run);
    if (!done) break;
  }
  const report = { ...progress, done };
  const { connection, target, dryRun } = request;
  const sent = countSent(report);
  ports.telemetry.report({ outcome: 'replay.ended', connection, target: target.kind, dryRun, ...sent });
  return report;
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
  readonly progress: SendingProgress<ReplayCursor>;
}

/** Publishes the selected events of a batch in chunks. False when one could not be published, or at the deadline. */
async function replayBatch(place: ReplayPosition, run: ReplayRun): Promise<boolean> {
  const { feed, batch } = place;
  const { request, ports, deadline, progress } = run;
  const selected = selectEvents(batch.texts, request);
  const size = request.dryRun ? selected.length : computeChunkSize(request.perSecond);
  let { sent } = place;
  do {
    const chunk = selected.slice(sent, sent + size);
    if (!(await sendChunk(chunk, run))) return false;
    sent += chunk.length;
    const events = sent < selected.length ? sent : null;
    progress.next = { feed, committedAt: batch.committedAt, pointer: batch.pointer, events };
    if (ports.clock.now() >= deadline) return false;
  } while (sent < selected.length);
  return true;
}
