import type { Alert, ChannelMessage } from '../core/alerts/alert.ts';
import type { CommitOutcome } from '../core/commit/commit-step.ts';
import type { QueueMessage } from './queue.ts';

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
