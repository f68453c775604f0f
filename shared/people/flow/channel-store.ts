import type { Message } from '../message.ts';
import type { WaitingEvent } from '../waiting-event.ts';

/** What a channel has to send: events that wait, and messages made of them that may not be sent yet. */
export interface ChannelBacklog {
  /** Grows by one with every `seal`; null before the first. */
  readonly revision: number | null;
  /** In the order in which they were seen; those of one instant in any order. */
  readonly waiting: readonly WaitingEvent[];
  readonly sealed: readonly SealedMessage[];
}

/** A message with the ids of all events that it stands for, including those that undo each other. */
export interface SealedMessage {
  /** Null when there is nothing to send. */
  readonly message: Message | null;
  readonly eventIds: readonly string[];
  /** Until this instant (ms since 1970) only the run that sealed or claimed it may send it. */
  readonly ownedUntil: number;
}

/** Waiting events and sealed messages of all channels. */
export interface ChannelStore {
  /** Adds the events that the channel never had; returns how many. `expiresAt`: when that may be forgotten. */
  add(channel: string, events: readonly WaitingEvent[], expiresAt: number): Promise<number>;
  /** At most `limit` waiting events, urgent ones before others. All reads are strongly consistent. */
  open(channel: string, limit: number): Promise<ChannelBacklog>;
  /** Moves waiting events into messages. A conflict when another run did since `open`. */
  seal(
    channel: string,
    revision: number | null,
    messages: readonly SealedMessage[],
  ): Promise<'committed' | 'conflict'>;
  /** Takes over a sealed message; false when another run did, or when it is gone. */
  claim(channel: string, sealed: SealedMessage, ownedUntil: number): Promise<boolean>;
  /** Deletes a message that was sent, and records its events as delivered. */
  finish(channel: string, sealed: SealedMessage, at: { now: number; expiresAt: number }): Promise<void>;
}
