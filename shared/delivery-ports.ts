import type { Alert, ChannelMessage } from './core/alerts/alert.ts';
import type { CommitOutcome } from './core/commit/commit-step.ts';
import type { FeedKey } from './core/feeds.ts';
import type { NamedKind, Names } from './core/names/names.ts';
import type { DisabledWebhook } from './core/webhooks/disabled-webhook.ts';

/** One message of a queue, as a function gets it. */
export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What became of the messages of one batch: ids of those that are to come back. */
export interface BatchResult {
  readonly failed: readonly string[];
}

/** Alerts of a channel that wait, and messages made of them that are not known to be sent. */
export interface ChannelBacklog {
  /** Grows by one with every sealing; null before the first. */
  readonly revision: number | null;
  /** In the order in which they were seen. */
  readonly waiting: readonly Alert[];
  readonly sealed: readonly SealedMessage[];
}

/** A message with the ids of all alerts it stands for, those that cancelled each other out included. */
export interface SealedMessage {
  readonly message: ChannelMessage | null;
  readonly alertIds: readonly string[];
  /** Until this instant it is with the run that sealed or claimed it, and nobody else is to send it. */
  readonly ownedUntil: number;
}

/** Alerts on their way to people. */
export interface AlertStore {
  /** Adds those that this channel was never given before; answers how many that were. */
  add(channel: string, alerts: readonly Alert[], expiresAt: number): Promise<number>;
  /** At most `most` waiting ones, urgent ones before others. All reads are strongly consistent. */
  open(channel: string, most: number): Promise<ChannelBacklog>;
  /** Takes waiting alerts into messages, unless somebody else did meanwhile. */
  seal(channel: string, revision: number | null, messages: readonly SealedMessage[]): Promise<CommitOutcome>;
  /** Makes a sealed message one's own, unless somebody else did or it is gone. Answers whether it is. */
  claim(channel: string, sealed: SealedMessage, ownedUntil: number): Promise<boolean>;
  /** A sealed message went out: its alerts no longer wait, and are remembered as told. */
  finish(channel: string, sealed: SealedMessage, at: { now: number; expiresAt: number }): Promise<void>;
  /** How often the processing of a period was concluded to be finished, and whether it is now. */
  loadProcessing(connection: string, payPeriodId: string): Promise<Processing | null>;
  saveProcessing(key: ProcessingKey, processing: Processing): Promise<CommitOutcome>;
}

export interface ProcessingKey {
  readonly connection: string;
  readonly payPeriodId: string;
  readonly expectedRevision: number | null;
}

/** Whether a period is over with all its timesheets processed, as last concluded. */
export interface Processing {
  readonly revision: number;
  readonly finished: boolean;
  /** Times that it was. */
  readonly times: number;
}

/** Takes messages for people further: to the queue of a Slack channel, or to the topic `alerts`. */
export interface ChannelSender {
  /**
   * Throws when it was not taken: `outlet_refused` when it never will be. Given twice with the same id, it goes out once
   * where the medium allows it.
   */
  send(channel: string, message: ChannelMessage): Promise<void>;
}

/** What an incoming webhook of Slack answered. */
export type SlackAnswer =
  | { readonly outcome: 'taken' }
  /** To be tried again, not before so many milliseconds. */
  | { readonly outcome: 'later'; readonly afterMs: number | null; readonly reason: string }
  /** Refused for good: the channel is gone, the address is revoked, the message is invalid. */
  | { readonly outcome: 'refused'; readonly reason: string };

export interface SlackWebhook {
  /** Never throws for what Slack or the network does. */
  post(payload: object): Promise<SlackAnswer>;
}

/** Where messages go that Slack does not take. */
export interface SlackDeadLetters {
  /** Throws when the message is not taken: it is then still in its own queue. */
  giveUp(message: Pick<QueueMessage, 'id' | 'body'>): Promise<void>;
}

/** One attempt to hand an event to a webhook. Headers are in lower case. */
export interface OutgoingWebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of an attempt. Durations in milliseconds. */
export type WebhookAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** What `Retry-After` asks for, from now. */
      readonly retryAfterMs: number | null;
      readonly durationMs: number;
    }
  | {
      readonly outcome: 'unanswered';
      /**
       * Stable code: `timeout`, `connection_failed`, `tls_failed`, `name_unknown`, `target_forbidden`,
       * `answer_too_long`, `answer_invalid`.
       */
      readonly reason: string;
      readonly durationMs: number;
    };

export interface WebhookClient {
  /** Never throws for what the endpoint or the network does. */
  post(request: OutgoingWebhookRequest): Promise<WebhookAnswer>;
}

/** Headers that prove where a request comes from, after the Standard Webhooks specification. */
export type SignedHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;

export interface WebhookSigner {
  /**
   * Signs with every secret that lives; `fresh` reads them anew. `at`: milliseconds since 1970. Throws `NotifierError`
   * `secret_unreadable` or `secret_invalid`.
   */
  sign(
    message: { readonly id: string; readonly at: number; readonly body: string },
    ask: { readonly fresh: boolean },
  ): Promise<SignedHeaders>;
}

/** The queue of one webhook, and the one for what is given up. */
export interface WebhookQueue {
  /** Sends a message that comes back after so many seconds, at most 900. */
  sendLater(body: string, delaySeconds: number): Promise<void>;
  giveUp(body: string): Promise<void>;
}

/** Where an event went and what became of it. */
export interface Delivery {
  readonly eventId: string;
  /** `webhook/{name}`, `slack/{name}` or `email/{name}`. */
  readonly destination: string;
  /** `filtered`: not sent, since the destination does not want such events. */
  readonly outcome: 'waiting' | 'delivered' | 'failed' | 'filtered';
  /** Instant of the outcome, in milliseconds since 1970. */
  readonly at: number;
  readonly attempts: number;
  /** Last HTTP status or reason; null when there is nothing to say. */
  readonly detail: string | null;
}

/** Remembers deliveries for as long as events are kept. */
export interface DeliveryLedger {
  load(eventId: string, destination: string): Promise<Delivery | null>;
  save(delivery: Delivery, expiresAt: number): Promise<void>;
  /** All deliveries of an event, in order of their destinations. */
  loadByEvent(eventId: string): Promise<readonly Delivery[]>;
}

/** What is remembered of a webhook besides its messages. */
export interface WebhookStateStore {
  loadDisabled(webhook: string): Promise<DisabledWebhook | null>;
  saveDisabled(webhook: string, disabled: DisabledWebhook | null): Promise<void>;
  /** Saves it where nothing is saved yet. Answers what is then there: this, or what somebody else saved before. */
  saveDisabledIfAbsent(webhook: string, disabled: DisabledWebhook): Promise<DisabledWebhook>;
  /**
   * Sequence of the last event of a record, in one epoch of it, that the endpoint took, or that was given up; null before
   * the first.
   */
  loadCursor(webhook: string, record: string): Promise<number | null>;
  /** Moves the cursor forward; a cursor that is further on already stays. */
  advanceCursor(webhook: string, record: string, to: { sequence: number; expiresAt: number }): Promise<void>;
}

/** Events as committed, for looking back. */
export interface EventLog {
  /**
   * Batches of a feed committed from one instant on and before another, in the order of their commits. A text is one
   * CloudEvent as JSON, byte for byte as published.
   */
  read(
    feed: FeedKey,
    between: { readonly from: number; readonly to: number },
  ): AsyncGenerator<LoggedBatch, void>;
}

export interface LoggedBatch {
  readonly pointer: string;
  readonly committedAt: number;
  readonly texts: readonly string[];
}

/** Names of records, refreshed daily. Those that nobody saves again are forgotten after two weeks. */
export interface NameStore {
  load(connection: string, kinds: readonly NamedKind[]): Promise<Names>;
  /** Replaces the names of a kind. Saved daily, they stay; they outlive ten days without being saved. */
  save(connection: string, kind: NamedKind, names: ReadonlyMap<string, string>): Promise<void>;
}

/** The lists of the source that have names in them. */
export interface NameSource {
  /** The records of a list, unchecked, none of them left out. Throws `SourceError` for everything but a whole list. */
  list(kind: NamedKind): Promise<readonly unknown[]>;
  /** Requests sent and 429s received since the adapter was made. */
  counts(): { readonly requests: number; readonly throttled: number };
}
