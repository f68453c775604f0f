import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { Guards } from '#shared/core/compare/doubt.ts';
import { computeWindow, type DateRange, toLocalDate } from '#shared/core/dates.ts';
import type { SourceError } from '#shared/core/errors.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { PollReason } from '#shared/core/outcome/reasons.ts';
import type { PlanInput } from '#shared/core/plan/plan.ts';
import type { AbsenceRules } from '#shared/core/records/absences.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import { type Head, nameSlice, type SliceKey } from '#shared/core/snapshot/head.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { EventPublisher, Lease, SourceApi, StateWrite, Store } from '#shared/flow/poll/ports.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import type { PeriodsOfPoll } from '#shared/period/flow/periods-of-poll.ts';

/** What a poll needs from the world. */
export interface PollPorts {
  readonly source: SourceApi;
  readonly store: Store;
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Without it nothing is measured. */
  readonly measureDelays?: (feed: FeedName, seconds: readonly number[]) => void;
}

/** What a poll is to do and how long it may take. */
export interface PollInput {
  readonly request: PollRequest;
  /** Instant at which the poll must have ended, in milliseconds since 1970. */
  readonly deadline: number;
  /** Default: `GUARDS`. Simulated companies are smaller. */
  readonly guards?: Guards;
}

/** What a poll learns as it goes on. */
interface PollMemory {
  /** As it is given back in the end. */
  state: ConnectionState;
  /** Members of the state that began with this poll, until its first commit stores them. */
  begun: StateWrite;
  /** By the names of their slices. */
  readonly heads: Map<string, Head>;
  /** Names of heads that were stored by a wrong clock: they are written as they are believed. */
  readonly mended: Set<string>;
  leaseUntil: number;
  /** Of the list of pay periods as this poll saw it: the source's own totals. */
  totals: ReadonlyMap<string, PayPeriodTotals | null>;
  /** What is known of pay periods, read when it is needed. */
  readonly periods: PeriodsOfPoll;
  /** Topics that did not take everything, with how many events wait. */
  readonly waiting: Map<EventTopic, number>;
  /** Ids of events that SNS refuses for good, by topic. */
  readonly refused: Map<EventTopic, string[]>;
  /** Topics that took something. */
  readonly accepting: Set<EventTopic>;
  /** Why something was not read or told, with its dates and lists. */
  readonly reasons: Map<PollReason, Set<string>>;
  /** The error that ended the reading; null while it goes on. */
  ended: SourceError | null;
  /** Requests for slices that failed since one succeeded, and the last error of them. */
  failuresInRow: number;
  lastFailure: SourceError | null;
  readonly counts: PollCounts;
}

interface PollCounts {
  slices: number;
  records: number;
  changes: number;
  quarantined: number;
  eventsCommitted: number;
  eventsPublished: number;
}

/** One poll of a connection: what does not change, and its memory. Instants in milliseconds since 1970. */
export interface PollRun {
  readonly connection: Connection;
  readonly request: PollRequest;
  readonly ports: PollPorts;
  readonly guards: Guards;
  readonly lease: Lease;
  readonly startedAt: number;
  readonly today: string;
  /** The watched dates. */
  readonly window: DateRange;
  /** Nothing new is asked for after it, so that there is time to commit and to publish (rule 12). */
  readonly fetchUntil: number;
  /** Nothing is published after it, so that there is time to save what is known. */
  readonly publishUntil: number;
  /** By what missing clockings are judged; null where the connection wants none. */
  readonly absences: AbsenceRules | null;
  /** Slices that failed before this poll. */
  readonly failingBefore: ConnectionState['failing'];
  readonly memory: PollMemory;
}

/** Of the time a poll has, the shares kept for committing and publishing, and for saving. */
const RESERVED_SHARE = 0.25;
const SAVING_SHARE = 0.05;

export function describeRun({ request, deadline }: PollInput, startedAt: number) {
  const { connection } = request;
  const { timeZone, absences } = connection;
  const span = Math.max(0, deadline - startedAt);
  return {
    ...{ connection, request, startedAt },
    today: toLocalDate(startedAt, timeZone),
    window: computeWindow(startedAt, timeZone, connection.window),
    fetchUntil: deadline - span * RESERVED_SHARE,
    publishUntil: deadline - span * SAVING_SHARE,
    absences: absences === undefined ? null : toRules(absences, timeZone),
  };
}

function toRules(
  { clockInMinutes, clockOutHours }: NonNullable<Connection['absences']>,
  timeZone: string,
): AbsenceRules {
  return {
    clockInMs: clockInMinutes === undefined ? undefined : clockInMinutes * 60_000,
    clockOutMs: clockOutHours === undefined ? undefined : clockOutHours * 3_600_000,
    timeZone,
  };
}

/** Whether there is still time to ask the source for something. */
export function hasTimeLeft({ ports, fetchUntil, memory }: PollRun): boolean {
  return memory.ended === null && ports.clock.now() < fetchUntil;
}

/** An instant by the connection's clock, later than that of every commit before. */
export function tick({ ports, memory }: PollRun): number {
  return Math.max(ports.clock.now(), memory.state.clock + 1);
}

export function listFeeds({ request }: Pick<PollRun, 'request'>): FeedName[] {
  return request.feeds.map(({ name }) => name);
}

export function isSilent({ request }: Pick<PollRun, 'request'>, feed: FeedName): boolean {
  return request.feeds.some(({ name, silent }) => name === feed && silent);
}

/** What the plan is made of, as it is now. */
export function toPlanInput(run: PollRun): PlanInput {
  const { memory, ports, window, today } = run;
  const list = memory.heads.get(nameSlice({ feed: 'pay-periods', slice: WHOLE_LIST }));
  const { lookedAt, failing } = memory.state;
  return {
    now: ports.clock.now(),
    ...{ today, window },
    feeds: listFeeds(run).filter((feed) => !isHeldBack(run, feed)),
    heads: memory.heads,
    state: { lookedAt, failing },
    pending: list?.pending ?? [],
    openDates: list?.openDates ?? [],
    ...(run.request.freshSince === undefined
      ? {}
      : { freshSince: Math.min(run.request.freshSince, run.startedAt) }),
  };
}

/** Events of a topic that wait: with more of them its slices are not read until they are published (rule 3). */
const MAX_WAITING_EVENTS = 20_000;

function isHeldBack({ memory }: PollRun, feed: FeedName): boolean {
  return isFull(memory.waiting.get(topicOfFeed(feed)));
}

/** Whether so many events of a topic wait that nothing more is read for it. */
export function isFull(waiting: number | undefined): boolean {
  return waiting !== undefined && waiting > MAX_WAITING_EVENTS;
}

/** Where the events of a feed are published. */
export function topicOfFeed(feed: FeedName): EventTopic {
  return feed === 'timesheets' || feed === 'pay-periods' ? feed : 'directory';
}

/**
 * Start of the last look that showed a slice as it is stored; null without one. What waits for a second look is not: the
 * first one showed it already.
 */
export function findSeenAt(key: SliceKey, { memory }: PollRun): number | null {
  const name = nameSlice(key);
  const doubt = memory.heads.get(name)?.doubt ?? null;
  return doubt === null ? (memory.state.lookedAt[name] ?? null) : doubt.after;
}

/** Notes why something of a slice was not read or told. */
export function noteReason({ memory }: PollRun, reason: PollReason, { feed, slice }: SliceKey): void {
  const slices = memory.reasons.get(reason) ?? new Set();
  memory.reasons.set(reason, slices.add(feed === 'timesheets' ? slice : feed));
}
