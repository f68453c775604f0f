import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { listDates } from '#shared/core/dates.ts';
import { beginWatermark, planWatermark } from '#shared/core/events/watermark.ts';
import { type FeedName, isDirectoryFeed } from '#shared/core/feeds.ts';
import { type PollReason, REASONS } from '#shared/core/outcome/reasons.ts';
import { CADENCE_MS, isHotDate } from '#shared/core/plan/cadence.ts';
import {
  FOLLOW_UPS_FOR_MS,
  findFollowUp,
  findOverdue,
  type PlannedSlice,
  planSlices,
} from '#shared/core/plan/plan.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import { findTroubles, tellTroubles, type Watched } from '#shared/core/trouble/find-troubles.ts';
import type { Unstarted } from './open.ts';
import {
  isSilent,
  listFeeds,
  type PollInput,
  type PollPorts,
  type PollRun,
  toPlanInput,
  topicOfFeed,
} from './run.ts';
import { tellOperations } from './tell-operations.ts';

/** A message is delayed by whole seconds, at least one. */
const MIN_WAIT_MS = 1_000;

/** Tells of troubles and of silence, gives the lease back with what was learned, and reports. */
export async function finishPoll(run: PollRun): Promise<PollReport> {
  const { memory, ports } = run;
  noteReachability(run);
  const slices = planSlices({ ...toPlanInput(run), feeds: listFeeds(run) });
  await tellOfTroubles(slices, run);
  for (const feed of listFeeds(run)) await tellOfSilence(feed, slices, run);
  // Where nobody wants to know, nothing is counted: the next watermark begins anew.
  const watermarks = run.connection.watermark ? memory.state.watermarks : {};
  memory.state = { ...memory.state, watermarks, pace: ports.source.learnedPace() };
  const { token: _token, clock: _clock, ...state } = memory.state;
  await ports.store.giveBack(run.lease, state);
  return report(slices, run);
}

/** Polls in a row that could read nothing. */
function noteReachability({ memory, ports, failingBefore }: PollRun): void {
  const { lastFailure } = memory;
  const { unreachable } = memory.state;
  if (memory.counts.slices > 0) memory.state = { ...memory.state, unreachable: null };
  else if (lastFailure !== null) {
    const since = unreachable?.since ?? ports.clock.now();
    const polls = (unreachable?.polls ?? 0) + 1;
    memory.state = {
      ...memory.state,
      // Not these slices failed but the source: they are read as soon as it answers.
      ...(memory.ended === null ? {} : { failing: failingBefore }),
      unreachable: { polls, since, code: lastFailure.code },
    };
  }
}

async function tellOfTroubles(slices: readonly PlannedSlice[], run: PollRun): Promise<void> {
  const { memory, ports } = run;
  const troubles = findTroubles({
    now: ports.clock.now(),
    state: memory.state,
    heads: memory.heads.values(),
    slices,
    refused: listRefused(run),
  });
  const { told, open } = tellTroubles(troubles, memory.state.troubles);
  memory.state = { ...memory.state, troubles: open };
  await tellOperations(told, () => ({ troubles: open }), run);
}

/** An event that was refused for good is told for so long at most: nobody may have anything to say to its topic since. */
const MAX_REFUSED_MS = 3_600_000;

/** Topics that refused events in this poll, or a while ago, and have taken none since. */
function listRefused(run: PollRun): Watched['refused'] {
  const { ports, memory } = run;
  const { refused, accepting, state } = memory;
  const feeds = new Map(listFeeds(run).map((feed) => [topicOfFeed(feed), feed]));
  return [...feeds].flatMap(([topic, feed]) => {
    const ids = refused.get(topic) ?? [];
    const before = state.troubles.find(({ kind, subject }) => kind === 'publish_failed' && subject === topic);
    if (ids.length > 0) return [{ feed, topic, ids }];
    if (before === undefined || accepting.has(topic)) return [];
    const isOver = ports.clock.now() - before.since >= MAX_REFUSED_MS;
    return isOver ? [] : [{ feed: before.feed, topic, ids: before.about }];
  });
}

/** Up to when everything of a feed that pay follows from is published, where the connection wants to know (rule 19). */
async function tellOfSilence(feed: FeedName, slices: readonly PlannedSlice[], run: PollRun): Promise<void> {
  const { connection, memory, ports, today, window } = run;
  const isWaiting = memory.waiting.has(topicOfFeed(feed));
  if (!connection.watermark || isDirectoryFeed(feed)) return;
  if (isWaiting || memory.state.baselined[feed] === undefined) return;
  const now = ports.clock.now();
  const dates = feed === 'timesheets' ? listDates(window) : [WHOLE_LIST];
  const late = findOverdue(slices, now).filter((each) => each.feed === feed);
  const operation = planWatermark({
    ...{ feed, now, window: dates, heads: memory.heads, state: memory.state },
    hot: dates.filter((date) => feed === 'timesheets' && isHotDate(date, today)),
    overdue: new Set(late.map(({ slice }) => slice)),
    last: memory.state.watermarks[feed] ?? null,
  });
  if (operation === null) return;
  const next = (id: string | undefined) => ({
    watermarks: { ...memory.state.watermarks, [feed]: beginWatermark(id ?? null, now) },
  });
  await tellOperations([{ feed, operation }], ([id]) => next(id), run);
}

function report(slices: readonly PlannedSlice[], run: PollRun): PollReport {
  const { memory, ports, startedAt, lease } = run;
  const now = ports.clock.now();
  // What was read once and is due again is no remainder.
  const isRead = (slice: PlannedSlice) => (memory.state.lookedAt[nameSlice(slice)] ?? 0) >= startedAt;
  const due = slices.filter((slice) => slice.dueAt <= now && !slice.isFailing && !isRead(slice));
  const followUpAt = findFollowUp(slices, now + MIN_WAIT_MS, findFollowUpEnd(run));
  const { reasons, ended, waiting, refused, counts } = memory;
  const told: PollReport = {
    connection: lease.connection,
    outcome: judge(due, run),
    reasons: [
      ...(ended === null ? [] : [ended.message]),
      ...[...reasons].map(([reason, of]) => describe(reason, [...of])),
      ...[...waiting].map(([topic, count]) => `${REASONS.topic_refuses.says}: ${count} for ${topic}`),
      ...[...refused].map(([topic, ids]) => `${REASONS.event_refused.says}: ${ids.length} for ${topic}`),
    ],
    remainingSlices: due.length,
    ...(followUpAt === null ? {} : { followUpAt }),
    baselined: Object.keys(memory.state.baselined) as FeedName[],
    counts: {
      ...counts,
      ...ports.source.counts(),
      eventsWaiting: [...waiting.values()].reduce((sum, count) => sum + count, 0),
      publishFailed: [...refused.values()].reduce((sum, ids) => sum + ids.length, 0),
    },
  };
  ports.telemetry.report({
    outcome: 'poll.completed',
    connection: told.connection,
    result: told.outcome,
    ...told.counts,
    worstLateSeconds: findWorstLateness(slices, now),
    doubtfulSlices: [...memory.heads.values()].filter(({ doubt }) => doubt !== null).length,
    credentialRefused: Number(told.outcome === 'refused'),
    duration_ms: now - startedAt,
    ...(ended === null ? {} : { reason: ended.code }),
  });
  return told;
}

/** A list that is read for names alone keeps nobody from a complete poll. */
function judge(due: readonly PlannedSlice[], run: PollRun): PollReport['outcome'] {
  const { reasons, ended, waiting } = run.memory;
  if (ended?.credentialRejected === true) return 'refused';
  const silent: readonly string[] = listFeeds(run).filter((feed) => isSilent(run, feed));
  const missed = [...reasons].flatMap(([reason, of]) =>
    REASONS[reason].leavesComplete === true ? [] : [...of],
  );
  const isRead =
    missed.every((name) => silent.includes(name)) && due.every(({ feed }) => silent.includes(feed));
  return isRead && ended === null && waiting.size === 0 ? 'complete' : 'incomplete';
}

/** Seconds by which the most overdue slice is beyond its cadence. */
function findWorstLateness(slices: readonly PlannedSlice[], now: number): number {
  const late = slices
    .filter(({ isNew }) => !isNew)
    .map(({ dueAt, cadence }) => now - dueAt - CADENCE_MS[cadence]);
  return Math.round(Math.max(0, ...late) / 1_000);
}

/** Slices that one reason names. */
const MAX_NAMED_SLICES = 3;

function describe(reason: PollReason, slices: readonly string[]): string {
  const named = slices.slice(0, MAX_NAMED_SLICES).join(', ');
  const more = slices.length > MAX_NAMED_SLICES ? ` and ${slices.length - MAX_NAMED_SLICES} more` : '';
  return `${REASONS[reason].says}: ${named}${more}`;
}

function findFollowUpEnd({ request, startedAt }: PollRun): number {
  return request.followUpUntil ?? startedAt + FOLLOW_UPS_FOR_MS;
}

/** A poll that did not begin. */
export function reportUnstarted(reason: Unstarted, { request }: PollInput, ports: PollPorts): PollReport {
  const { name: connection } = request.connection;
  ports.telemetry.report({ outcome: 'poll.skipped', connection, reason });
  return reportNothing(connection, reason);
}

/** A poll whose lease another one has taken. */
export function reportLost({ lease, ports }: PollRun): PollReport {
  ports.telemetry.report({ outcome: 'poll.skipped', connection: lease.connection, reason: 'lease_lost' });
  return reportNothing(lease.connection, 'lease_lost');
}

function reportNothing(connection: string, reason: PollReason): PollReport {
  return {
    connection,
    outcome: 'skipped',
    reasons: [REASONS[reason].says],
    remainingSlices: 0,
    baselined: [],
    counts: {
      ...{ slices: 0, records: 0, requests: 0, throttled: 0, changes: 0, quarantined: 0 },
      ...{ eventsCommitted: 0, eventsPublished: 0, eventsWaiting: 0, publishFailed: 0 },
    },
  };
}
