import type { SourceErrorCode } from '../errors.ts';
import type { EventTopic } from '../event-types.ts';
import type { FeedName } from '../feeds.ts';
import type { LookReason } from '../outcome/look-reasons.ts';
import type { TroubleKind } from '../trouble-kinds.ts';

/** The log of a topic: the last item that was committed, and the last that SNS has. Sort keys of the log; empty for none. */
export interface TopicLog {
  readonly logged: string;
  readonly published: string;
}

/** A slice whose last look was not complete. Instants in milliseconds since 1970. */
export interface FailingSlice {
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
  readonly code: LookReason;
}

/** A trouble that was told and has not ended. */
export interface OpenTrouble {
  readonly kind: TroubleKind;
  readonly feed: FeedName;
  readonly subject: string;
  readonly about: readonly string[];
  readonly since: number;
}

/** Of the events of a feed since its last watermark: how many, and their ids added up by exclusive or (32 hex digits). */
export interface WatermarkState {
  readonly id: string | null;
  readonly at: number;
  readonly count: number;
  readonly digest: string;
}

/**
 * What a connection remembers, in one item (docs/architecture.md). Instants in milliseconds since 1970. Names of slices
 * are those of `nameSlice`.
 */
export interface ConnectionState {
  /** Raised by each poll that takes the lease: whoever has another one can commit nothing. */
  readonly token: number;
  /** The table that this state was written to; another id means that it was restored (rule 16). */
  readonly tableId: string;
  /** A clock that never goes back: epochs and the keys of the log are made of it. */
  readonly clock: number;
  /** Since when the connection is followed, or since its table was restored: epoch of what the notifier says of itself. */
  readonly epoch: number;
  /** By feed: events about the watching of it within that epoch. */
  readonly sequences: Readonly<Partial<Record<FeedName, number>>>;
  /** When a restored table was recognised; null for never. */
  readonly restoredAt: number | null;
  readonly topics: Readonly<Partial<Record<EventTopic, TopicLog>>>;
  /** By slice: start of its last complete look. */
  readonly lookedAt: Readonly<Record<string, number>>;
  readonly failing: Readonly<Record<string, FailingSlice>>;
  /** Feeds whose baseline is whole: since when. */
  readonly baselined: Readonly<Partial<Record<FeedName, number>>>;
  /** Polls in a row that could read nothing, and since when; null when the last one could. */
  readonly unreachable: {
    readonly polls: number;
    readonly since: number;
    readonly code: SourceErrorCode;
  } | null;
  readonly troubles: readonly OpenTrouble[];
  readonly watermarks: Readonly<Partial<Record<FeedName, WatermarkState>>>;
  /** Reminders and daily summaries due up to this instant are done; null before the first. */
  readonly remindedUntil: number | null;
  /** Requests a second that the source takes; null before anything was learned. */
  readonly pace: number | null;
  /** Records on a page that the source takes where the configured size failed (null: as many as it likes), and since when. */
  readonly smallPages: { readonly size: number | null; readonly since: number } | null;
}

/** The state of a connection that was never polled. */
export const EMPTY_STATE: ConnectionState = {
  token: 0,
  tableId: '',
  clock: 0,
  epoch: 0,
  sequences: {},
  restoredAt: null,
  topics: {},
  lookedAt: {},
  failing: {},
  baselined: {},
  unreachable: null,
  troubles: [],
  watermarks: {},
  remindedUntil: null,
  pace: null,
  smallPages: null,
};
