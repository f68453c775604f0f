import type { BusEntry } from '../core/event-bus/bus-entry.ts';
import type { QueueMessage } from './queue.ts';

/**
 * What became of one entry. `refused`: it would be refused again, whenever. `busy`: it may be taken in a moment.
 * `unavailable`: not before somebody acts, such as a missing bus or permission. `reason` is a stable code.
 */
export type BusAnswer =
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'refused' | 'busy' | 'unavailable'; readonly reason: string };

export interface EventBus {
  /** Puts entries in one request. Returns an answer for each, in their order. Never throws for what AWS does. */
  put(entries: readonly BusEntry[]): Promise<readonly BusAnswer[]>;
}

export interface BusDeadLetters {
  /** Moves a message to the dead-letter queue. Throws `NotifierError` `queue_unavailable`. */
  giveUp(message: QueueMessage): Promise<void>;
}
