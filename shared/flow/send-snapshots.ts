import type { SnapshotReport, SnapshotRequest } from '../config/requests/snapshot-request.ts';
import { buildSnapshotEvent } from '../core/events/snapshot-events.ts';
import { computeChunkSize, computePauseMs } from '../core/replay/pace.ts';
import { type SelectedEvent, selectEvents } from '../core/replay/selection.ts';
import { type RecordCursor, selectRecords } from '../core/replay/stored-records.ts';
import type { EventPublisher } from '../ports/poll.ts';
import type { Clock, OutcomeLine, Telemetry } from '../ports/system.ts';
import { type LeafPlace, type RecordStore, walkRecords } from './replay/walk-records.ts';

export interface SnapshotPorts {
  readonly store: RecordStore;
  /** Sends to the queue of the request. */
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly telemetry: Telemetry;
}

export interface SnapshotOrder {
  readonly request: SnapshotRequest;
  /** When it must have ended, in milliseconds since 1970. */
  readonly deadline: number;
}

/**
 * Sends the state of stored records to one queue, each once, in the order of slices and leaves. Stores nothing. At the
 * deadline, or when an event cannot be sent, it returns a cursor to continue from: a few may be sent twice then, with
 * the same ids, and none is left out. What changes meanwhile reaches the receiver as an event of its own.
 */
export async function sendSnapshots(order: SnapshotOrder, ports: SnapshotPorts): Promise<SnapshotReport> {
  const { request } = order;
  const progress: Progress = { matched: {}, published: 0, unpublished: 0, next: request.after };
  const run: SnapshotRun = { ...order, ports, startedAt: ports.clock.now(), progress };
  let done = true;
  for await (const place of walkRecords(request, ports.store)) {
    done = await sendLeaf(place, run);
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
  next: RecordCursor | null;
}

interface SnapshotRun extends SnapshotOrder {
  readonly ports: SnapshotPorts;
  readonly startedAt: number;
  readonly progress: Progress;
}

/** Sends the selected records of a leaf in chunks. False when one could not be sent, or at the deadline. */
async function sendLeaf(place: LeafPlace, run: SnapshotRun): Promise<boolean> {
  const { feed, selection, index, leaf, after } = place;
  const { request, deadline, ports, progress } = run;
  const records = selectRecords(leaf, selection).filter(({ id }) => after === null || id > after);
  const size = request.dryRun ? Math.max(1, records.length) : computeChunkSize(request.perSecond);
  const { slice, generation, index: leafIndex } = leaf;
  const isInTime = (id: string | null) => {
    progress.next = { selection: index, slice, generation, leaf: leafIndex, id };
    return ports.clock.now() < deadline;
  };
  for (let start = 0; start < records.length; start += size) {
    const chunk = records.slice(start, start + size);
    const texts = chunk.map((record) => buildSnapshotEvent(feed, record));
    if (!(await sendChunk(selectEvents(texts, { interest: request.interest }), run))) return false;
    if (!isInTime(chunk.at(-1)?.id ?? after)) return false;
  }
  return isInTime(records.at(-1)?.id ?? after);
}

async function sendChunk(chunk: readonly SelectedEvent[], run: SnapshotRun): Promise<boolean> {
  const { request, ports, progress, startedAt } = run;
  if (!request.dryRun && chunk.length > 0) {
    const { published, unpublished } = await ports.publisher.publish(chunk.map(({ text }) => text));
    progress.published += published;
    progress.unpublished += unpublished.length;
    if (progress.unpublished > 0) return false;
    const { perSecond } = request;
    const now = ports.clock.now();
    await ports.sleep(computePauseMs(progress.published, { perSecond, startedAt, now }));
  }
  for (const { type } of chunk) progress.matched[type] = (progress.matched[type] ?? 0) + 1;
  return true;
}

function buildLogLine(
  { matched, published, unpublished, done }: SnapshotReport,
  { connection, dryRun }: SnapshotRequest,
): OutcomeLine {
  return {
    outcome: 'snapshots.sent',
    connection,
    dryRun,
    matched: Object.values(matched).reduce((sum, count) => sum + count, 0),
    published,
    unpublished,
    done,
  };
}
