import type { Alert, ChannelMessage } from '../core/alerts/alert.ts';
import type { Thread } from '../core/alerts/threads/thread.ts';
import type { CommitOutcome } from '../core/commit/commit-step.ts';
import type { QueueMessage } from './queue.ts';

/** What a channel has to send: alerts that wait, and messages made of them that may not be sent yet. */
export interface ChannelBacklog {
  /** Grows by one with every `seal`; null before the first. */
  readonly revision: number | null;
  /** In the order of observation. */
  readonly waiting: readonly Alert[];
  readonly sealed: readonly SealedMessage[];
}

/** A message with the ids of all alerts it stands for, including those that cancelled each other out. */
export interface SealedMessage {
  /** Null when there is nothing to send. */
  readonly message: ChannelMessage | null;
  readonly alertIds: readonly string[];
  /** Until this instant (ms since 1970) only the run that sealed or claimed it may send it. */
  readonly ownedUntil: number;
}

/** Alerts and sealed messages of all channels, and what is concluded about pay periods. */
export interface AlertStore {
  /** Adds the alerts that the channel never had; returns how many. `expiresAt`: when that may be forgotten. */
  add(channel: string, alerts: readonly Alert[], expiresAt: number): Promise<number>;
  /** At most `limit` waiting alerts, urgent ones before others. All reads are strongly consistent. */
  open(channel: string, limit: number): Promise<ChannelBacklog>;
  /** Moves waiting alerts into messages. A conflict when another run did since `open`. */
  seal(channel: string, revision: number | null, messages: readonly SealedMessage[]): Promise<CommitOutcome>;
  /** Takes over a sealed message; false when another run did, or when it is gone. */
  claim(channel: string, sealed: SealedMessage, ownedUntil: number): Promise<boolean>;
  /** Deletes a message that was sent, and records its alerts as delivered. */
  finish(channel: string, sealed: SealedMessage, at: { now: number; expiresAt: number }): Promise<void>;
  /** Null when nothing was concluded about the period yet. */
  loadProcessing(connection: string, payPeriodId: string): Promise<Processing | null>;
  saveProcessing(key: ProcessingKey, processing: Processing): Promise<CommitOutcome>;
}

/** `expectedRevision`: null for the first write; another one is a conflict. */
export interface ProcessingKey {
  readonly connection: string;
  readonly payPeriodId: string;
  readonly expectedRevision: number | null;
}

/** Whether a period is over with all its timesheets processed. */
export interface Processing {
  readonly revision: number;
  readonly finished: boolean;
  /** How many times it was finished. */
  readonly times: number;
}

/** Passes messages on: to the queue of a channel of Slack or Teams, or to the topic `alerts`. */
export interface ChannelSender {
  /**
   * Throws when the message was not accepted: `outlet_refused` when a retry would not help. A message sent twice under
   * one id goes out once where the medium allows it.
   */
  send(channel: string, message: ChannelMessage): Promise<void>;
}

export type ChatAnswer =
  | { readonly outcome: 'taken' }
  /** Try again, not before `afterMs` milliseconds. */
  | { readonly outcome: 'later'; readonly afterMs: number | null; readonly reason: string }
  /** A retry would not help: the channel is gone, the address is revoked, or the message is invalid. */
  | { readonly outcome: 'refused'; readonly reason: string };

export interface ChatWebhook {
  /** Never throws for what the other side or the network does. */
  post(payload: object): Promise<ChatAnswer>;
}

/** What a post through a bot came to. `threadTs`: the thread it went into; null when it stands in the channel. */
export type SlackPostAnswer =
  | { readonly outcome: 'taken'; readonly ts: string; readonly threadTs: string | null }
  | Exclude<ChatAnswer, { readonly outcome: 'taken' }>;

/** Where in a channel a message is posted. */
export interface SlackPlace {
  /** Null for a message of the channel, which a thread may follow. */
  readonly threadTs: string | null;
  /** Whether a reply is shown in the channel, too. */
  readonly isShownInChannel: boolean;
}

/** A Slack channel that a bot posts to. Neither method throws for what the other side or the network does. */
export interface SlackBot {
  post(payload: object, place: SlackPlace): Promise<SlackPostAnswer>;
  /** Replaces a message of the bot. */
  update(ts: string, payload: object): Promise<ChatAnswer>;
}

export interface StoredThread {
  readonly thread: Thread;
  readonly revision: number;
}

/** The threads of one channel. */
export interface ThreadStore {
  load(topic: string): Promise<StoredThread | null>;
  /** `expectedRevision`: null when there is none yet. `expiresAt`: when it may be forgotten (ms since 1970). */
  save(thread: Thread, at: { expectedRevision: number | null; expiresAt: number }): Promise<CommitOutcome>;
}

/** Where messages go that Slack or Teams refuses. */
export interface ChatDeadLetters {
  /** Throws when the message is not accepted; it is then still in its own queue. */
  giveUp(message: Pick<QueueMessage, 'id' | 'body'>): Promise<void>;
}
