import type { SnapshotReport, SnapshotRequest } from '#shared/config/requests/replay-request.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  dropOutdated,
  findSharing,
  findTimesheetPeriods,
  type PeriodFinder,
} from '#shared/membership/learn-membership.ts';
import { NO_MEMBERSHIP } from '#shared/membership/membership.ts';
import {
  countSent,
  type SendingPorts,
  type SendingProgress,
  sendChunk,
} from '#shared/replay/flow/send-chunk.ts';
import { computeChunkSize } from '#shared/replay/pace.ts';
import { selectEvents } from '#shared/replay/selection.ts';
import { buildSnapshotEvent } from '../snapshot-events.ts';
import { type RecordCursor, selectRecords } from '../stored-records.ts';
import { type LeafPlace, type RecordStore, walkRecords } from './walk-records.ts';

export interface SnapshotPorts extends SendingPorts {
  readonly store: RecordStore & Pick<SnapshotStore, 'loadFeedState' | 'loadMembership'>;
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
  const progress: SnapshotRun['progress'] = {
    matched: {},
    published: 0,
    unpublished: 0,
    next: request.after,
  };
  const findPeriods = await learnPeriods(request.connection, ports);
  const run: SnapshotRun = { ...order, ports, startedAt: ports.clock.now(), progress, findPeriods };
  let done = true;
  for await (const place of walkRecords(request, ports.store)) {
    done = await sendLeaf(place, run);
    if (!done) break;
  }
  const report = { ...progress, done };
  const { connection, dryRun } = request;
  ports.telemetry.report({ outcome: 'snapshots.sent', connection, dryRun, ...countSent(report) });
  return report;
}

interface SnapshotRun extends SnapshotOrder {
  readonly ports: SnapshotPorts;
  readonly startedAt: number;
  readonly progress: SendingProgress<RecordCursor>;
  readonly findPeriods: PeriodFinder;
}

/** The pay periods of timesheets as their feed has seen them last. */
async function learnPeriods(connection: string, { store }: SnapshotPorts): Promise<PeriodFinder> {
  const stored = await store.loadFeedState({ connection, feed: 'pay-periods' });
  if (stored?.state.payPeriodsAt === undefined) return () => null;
  const periods = stored.state.payPeriods;
  const isShared = periods.some((period) => findSharing(period, periods).length > 0);
  const membership = isShared ? dropOutdated(await store.loadMembership(connection), periods) : NO_MEMBERSHIP;
  return (timesheet) => findTimesheetPeriods(timesheet, { periods, membership });
}

/** Sends the selected records of a leaf in chunks. False when one could not be sent, or at the deadline. */
async function sendLeaf(place: LeafPlace, run: SnapshotRun): Promise<boolean> {
  const { feed, selection, index, leaf, after } = place;
  const { request, deadline, ports, progress, findPeriods } = run;
  const records = selectRecords(leaf, selection).filter(({ id }) => after === null || id > after);
  const size = request.dryRun ? Math.max(1, records.length) : computeChunkSize(request.perSecond);
  const { slice, generation, index: leafIndex } = leaf;
  const isInTime = (id: string | null) => {
    progress.next = { selection: index, slice, generation, leaf: leafIndex, id };
    return ports.clock.now() < deadline;
  };
  for (let start = 0; start < records.length; start += size) {
    const chunk = records.slice(start, start + size);
    const texts = chunk.map((record) => buildSnapshotEvent(feed, record, findPeriods));
    if (!(await sendChunk(selectEvents(texts, { interest: request.interest }), run))) return false;
    if (!isInTime(chunk.at(-1)?.id ?? after)) return false;
  }
  return isInTime(records.at(-1)?.id ?? after);
}
