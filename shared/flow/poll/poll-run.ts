import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { computeNextCommitAt } from '#shared/core/commit/commit-order.ts';
import type { PublishFailure } from '#shared/core/commit/publish-failures.ts';
import type { ApproximateIdSet } from '#shared/core/compare/approximate-id-set.ts';
import type { MassChange } from '#shared/core/compare/mass-change.ts';
import type { FormChange } from '#shared/core/compare/source-form.ts';
import type { SourceError, SourceErrorCode } from '#shared/core/errors.ts';
import type { EventContext } from '#shared/core/events/events.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { BadRecord } from '#shared/core/fetch/scan.ts';
import type { AgendaInput } from '#shared/core/plan/agenda.ts';
import type { ChangeRates } from '#shared/core/plan/change-rates.ts';
import type { PaceMeter } from '#shared/core/plan/pace-meter.ts';
import type { ListingFailure } from '#shared/core/plan/unreadable-dates.ts';
import type { FeedDefinition } from '#shared/core/records/feed-definition.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { PublishState } from '#shared/core/snapshot/held-events.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { EventPublisher, SnapshotStore, SourceApi } from '#shared/ports/poll.ts';
import type { Clock, Telemetry } from '#shared/ports/system.ts';

/** What a poll needs from the world. */
export interface PollPorts {
  readonly source: SourceApi;
  readonly store: SnapshotStore;
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Milliseconds. Without it a poll looks once and ends. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

/** What a poll may look at: everything, or yesterday to tomorrow while another poll is busy with the rest. */
export type Extent = 'everything' | 'hot';

/** What a poll has claimed. */
export interface Claim {
  readonly extent: Extent;
  /** Until when, once the lease is taken. */
  readonly expiresAt: number;
  /** Whether the lease is to be given back. */
  isLeased: boolean;
}

/** One poll of one feed: what it is about, what it knows, and what it has found so far. */
export interface PollRun {
  readonly ports: PollPorts;
  readonly feed: FeedKey;
  readonly connection: Connection;
  readonly definition: FeedDefinition;
  /** Unique to this poll. */
  readonly id: string;
  readonly claim: Claim;
  readonly startedAt: number;
  /** Instant after which nothing new is fetched, so that there is time to commit and to publish (rule 12). */
  readonly fetchUntil: number;
  readonly retentionMs: number;
  /** The feed's state before this poll. */
  readonly state: FeedState;
  readonly expectedStateRevision: number | null;
  /** Heads as last committed, kept up to date by this poll's own commits. */
  readonly heads: Map<string, SliceHead>;
  payPeriods: readonly PayPeriodHint[];
  /** Instant of the look that saw them; null when it is not known. */
  payPeriodsAt: number | null;
  /** What was learned of when changes come. */
  readonly rates: ChangeRates;
  readonly scope: PollRequest['scope'];
  /** Until when busy hot dates are looked at again. */
  readonly repeatUntil: number;
  /** How fast the source answers. */
  readonly pace: PaceMeter;
  readonly eventContext: EventContext;
  readonly tally: PollTally;
  readonly publishMemory: PublishState;
  /** Instant after which nothing more is published, so that there is time to save what is known. */
  readonly publishUntil: number;
}

/** What a poll found out on its way. */
export interface PollTally {
  readonly looks: Map<string, { at: number; unseen: Readonly<Record<string, number | null>> }>;
  readonly shrunk: Map<string, number>;
  readonly lingering: Set<string>;
  readonly compared: Set<string>;
  /** Slices of which a look, complete or not, was committed with all it found. */
  readonly looked: Set<string>;
  /** Facts that most records of a slice lost at once. */
  readonly massChanges: MassChange[];
  /** Facts that records lost, as far as it was told. */
  readonly lossesTold: { slice: string; field: string; records: number; at: number }[];
  /** Scans of which so much was bad that the source must have changed its form. */
  readonly formChanges: FormChange[];
  readonly bad: BadRecord[];
  payPeriods: PayPeriodHint[] | null;
  /** Dates on which records were approved for payroll or processed in this poll. */
  readonly sweptOn: string[];
  /** Changes that were committed, by slice. */
  readonly changesOn: Map<string, number>;
  /** Slices that were looked at because their pay period moved. */
  readonly pulled: Set<string>;
  /** Slices that were looked at, whether they were seen whole or not. */
  readonly tried: Set<string>;
  /** Slices whose list was read to its end. */
  readonly listed: Set<string>;
  /** Slices that failed alone, and why. */
  readonly failed: Map<string, ListingFailure>;
  /** Failures in a row, one that got no answer counting as several. */
  failures: number;
  lastFailure: SourceError | null;
  /** A date that could be read when everything else had failed. */
  readable: string | null;
  /** Whether the source wants no more requests now. */
  mustStop: boolean;
  readonly reasons: Set<string>;
  /** Null: not asked. */
  sourceAnswered: boolean | null;
  /** What went wrong last with the source. */
  errorCode: SourceErrorCode | null;
  refused: boolean;
  remainingSlices: number;
  /** Which class of dates has its turn next; null when nothing was taken. */
  turn: number | null;
  lookUps: number;
  /** While the baseline is installed: who may stand in some slice. Null: not needed yet. */
  approximateIds: ApproximateIdSet | null;
  readonly publishFailures: PublishFailure[];
  /** Instant of the latest commit whose events may still wait, of whichever poll. */
  lastCommitAt: number;
  readonly counts: { -readonly [Name in Exclude<keyof PollReport['counts'], 'publishFailed'>]: number };
}

export function emptyTally(): PollTally {
  return {
    looks: new Map(),
    shrunk: new Map(),
    lingering: new Set(),
    compared: new Set(),
    looked: new Set(),
    massChanges: [],
    lossesTold: [],
    formChanges: [],
    bad: [],
    payPeriods: null,
    sweptOn: [],
    changesOn: new Map(),
    pulled: new Set(),
    tried: new Set(),
    listed: new Set(),
    failed: new Map(),
    failures: 0,
    lastFailure: null,
    readable: null,
    mustStop: false,
    reasons: new Set(),
    sourceAnswered: null,
    errorCode: null,
    refused: false,
    remainingSlices: 0,
    turn: null,
    lookUps: 0,
    approximateIds: null,
    publishFailures: [],
    lastCommitAt: 0,
    counts: {
      slices: 0,
      records: 0,
      requests: 0,
      throttled: 0,
      changes: 0,
      quarantined: 0,
      conflicts: 0,
      eventsCommitted: 0,
      eventsPublished: 0,
      eventsWaiting: 0,
    },
  };
}

/** Dates a commit: now, but after every one that may still wait to be published. */
export function assignCommitTime({ ports, tally }: PollRun): number {
  tally.lastCommitAt = computeNextCommitAt(ports.clock.now(), tally.lastCommitAt);
  return tally.lastCommitAt;
}

/** What the planner needs to know, at an instant. */
export function buildAgendaInput(run: PollRun, now: number): AgendaInput {
  const { feed, scope, connection, state, heads, payPeriods, rates, pace } = run;
  const { timeZone, window } = connection;
  const pageSize = pace.cost.size;
  return { feed: feed.feed, scope, now, timeZone, window, state, heads, payPeriods, rates, pageSize };
}

/** Whether there is still time to fetch something. */
export function hasTimeLeft({ ports, fetchUntil }: PollRun): boolean {
  return ports.clock.now() < fetchUntil;
}

/** Of the time to fetch, the part that may still be used to commit after it: the rest is for publishing and saving. */
const COMMIT_SHARE = 0.2;

/** Whether there is still time to commit something large. */
export function hasTimeToCommit({ ports, startedAt, fetchUntil }: PollRun): boolean {
  return ports.clock.now() < fetchUntil + (fetchUntil - startedAt) * COMMIT_SHARE;
}
