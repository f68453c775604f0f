import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { CommitClock } from '#shared/core/commit/commit-order.ts';
import type { KnownHeads } from '#shared/core/commit/known-heads.ts';
import type { OutboxEntry, PublishState } from '#shared/core/commit/outbox.ts';
import type { DateRange } from '#shared/core/dates.ts';
import type { EventContext } from '#shared/core/events/events.ts';
import type { FeedKey, FeedName } from '#shared/core/feeds.ts';
import type { Guards } from '#shared/core/guards.ts';
import type { PollFindings } from '#shared/core/outcome/poll-findings.ts';
import type { ChangeRates } from '#shared/core/plan/change-rates.ts';
import type { PaceMeter } from '#shared/core/plan/pace-meter.ts';
import type { AbsenceRules } from '#shared/core/records/absences.ts';
import type { FeedDefinition } from '#shared/core/records/feed-definition.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { EventPublisher, SnapshotStore, SourceApi } from '#shared/flow/poll/ports.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import type { RememberedPeriods } from '#shared/period/flow/known-periods.ts';
import type { LeafReader } from './compare/read-leaves.ts';

/** What a poll needs from the world. */
export interface PollPorts {
  readonly source: SourceApi;
  readonly store: SnapshotStore;
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Without it nothing is measured. */
  readonly measureDelays?: (feed: FeedName, seconds: readonly number[]) => void;
  /** Calls back after milliseconds unless it is stopped. Without it a poll takes its lease between two requests alone. */
  readonly after?: (milliseconds: number, action: () => void) => () => void;
}

/** What a poll is to do and how long it may take. */
export interface PollInput {
  readonly feed: FeedName;
  readonly request: Omit<PollRequest, 'repeatForSeconds'> & Partial<PollRequest>;
  /** Unique to this poll, at most 36 characters. */
  readonly runId: string;
  /** Instant at which the poll must have ended. */
  readonly deadline: number;
  /** Default: `GUARDS`. Simulated companies are smaller. */
  readonly guards?: Guards;
}

/** Which dates a poll reads. */
export interface Claim {
  /** `hot`: yesterday to tomorrow, while another poll reads the rest. */
  readonly dates: 'all' | 'hot';
  /** Until when, once the lease is taken. */
  readonly expiresAt: number;
  /** Whether the lease is to be given back. */
  isLeased: boolean;
  /** Stops taking the lease, and waits until it is taken where that has begun. */
  readonly stopLeasing?: () => Promise<void>;
}

/** What is known of a poll before the source is asked; none of it changes. */
interface LoadedPoll {
  readonly feed: FeedKey;
  readonly connection: Connection;
  readonly definition: FeedDefinition;
  /** Unique to this poll. */
  readonly id: string;
  readonly startedAt: number;
  /** The watched dates, as they are at its start. */
  readonly window: DateRange;
  /** The first slice whose head is loaded. */
  readonly firstSlice: string;
  /** Instant after which nothing new is fetched, so that there is time to commit and to publish (rule 12). */
  readonly fetchUntil: number;
  /** Whether there is still time to fetch something. */
  readonly hasTimeLeft: () => boolean;
  /** Instant after which nothing large is committed: a part of the time for publishing and saving. */
  readonly commitUntil: number;
  /** Instant after which nothing more is published, so that there is time to save what is known. */
  readonly publishUntil: number;
  /** Until when follow-ups scan busy dates again; in the past: not at all. */
  readonly repeatUntil: number;
  readonly retentionMs: number;
  /** The feed's state before this poll. */
  readonly state: FeedState;
  readonly expectedStateRevision: number | null;
  /** Events that earlier polls committed and that may not be published yet. */
  readonly backlog: readonly OutboxEntry[];
  /** What was learned of when changes come. */
  readonly rates: ChangeRates;
  readonly scope: PollRequest['scope'];
  readonly guards: Guards;
  /** By what missing clockings are judged; null where the connection never had thresholds. */
  readonly absences: AbsenceRules | null;
  /** Times of day at which channels get a daily summary. */
  readonly summaries: readonly string[];
  readonly eventContext: EventContext;
  readonly leaves: LeafReader;
}

/** What a poll remembers as it goes on. Each member changes by its own methods, or the functions of one module. */
interface PollMemory {
  readonly claim: Claim;
  readonly heads: KnownHeads;
  readonly periods: RememberedPeriods;
  readonly findings: Readonly<PollFindings>;
  /** How fast the source answers. */
  readonly pace: PaceMeter;
  readonly commitClock: CommitClock;
  readonly publishing: PublishState;
}

/** One poll of one feed. */
export interface PollRun extends LoadedPoll {
  readonly memory: PollMemory;
  readonly ports: PollPorts;
}

/** The feed that a poll is about. */
export function toFeedKey({ feed, request }: PollInput): FeedKey {
  return { connection: request.connection.name, feed };
}
