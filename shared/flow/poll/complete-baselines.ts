import { listDates, toIso } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { Operation } from '#shared/core/records/operation.ts';
import { countRecords, nameSlice } from '#shared/core/snapshot/head.ts';
import { isSilent, listFeeds, type PollRun, tick } from './run.ts';
import { tellOperations } from './tell-operations.ts';

/** A slice that cannot be read for so long does not keep the rest of its feed from being told. */
const MAX_WAIT_MS = 3_600_000;

/** Tells that a feed's first read is whole: from now on, new records are told (rule 5). */
export async function completeBaselines(run: PollRun): Promise<void> {
  for (const feed of listFeeds(run)) {
    if (run.memory.state.baselined[feed] !== undefined) continue;
    const slices = listSlices(feed, run);
    // Of a source that could not be read at all nothing is known.
    const isOpen = slices.some((slice) => isBaselined(feed, slice, run));
    if (!isOpen || !slices.every((slice) => isRead(feed, slice, run))) continue;
    const at = tick(run);
    const baselined = { ...run.memory.state.baselined, [feed]: at };
    run.memory.state = { ...run.memory.state, baselined };
    if (!isSilent(run, feed))
      await tellOperations([{ feed, operation: describe(feed, slices, run) }], () => ({ baselined }), run);
  }
}

function listSlices(feed: FeedName, { window }: PollRun): string[] {
  return feed === 'timesheets' ? listDates(window) : [WHOLE_LIST];
}

function isBaselined(feed: FeedName, slice: string, { memory }: PollRun): boolean {
  return memory.heads.get(nameSlice({ feed, slice }))?.baselinedAt != null;
}

function isRead(feed: FeedName, slice: string, run: PollRun): boolean {
  const failing = run.memory.state.failing[nameSlice({ feed, slice })];
  return (
    isBaselined(feed, slice, run) ||
    (failing !== undefined && run.ports.clock.now() - failing.since > MAX_WAIT_MS)
  );
}

function describe(feed: FeedName, slices: readonly string[], { memory, ports }: PollRun): Operation {
  const heads = slices.flatMap((slice) => memory.heads.get(nameSlice({ feed, slice })) ?? []);
  const startedAt = Math.min(...heads.map(({ baselinedAt }) => baselinedAt ?? Number.POSITIVE_INFINITY));
  const data = {
    from: slices[0] ?? '',
    to: slices.at(-1) ?? '',
    records: heads.reduce((sum, head) => sum + countRecords(head), 0),
    startedAt: toIso(startedAt),
    completedAt: toIso(ports.clock.now()),
  };
  return { type: 'baseline.completed', subject: null, data };
}
