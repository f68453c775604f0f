import type { Style } from './output.ts';

/** One line of a message, before wrapping. */
export interface MessageLine {
  readonly text: string;
  readonly style?: Style;
}

/** A message as a person got it. */
export interface ReceivedMessage {
  readonly kind: 'message';
  /** Such as `slack #payroll`. */
  readonly channel: string;
  /** Its heading, and what follows it. */
  readonly lines: readonly MessageLine[];
}

/** What a system did with an event. */
export interface ReceivedEvent {
  readonly kind: 'delivery';
  readonly webhook: string;
  /** `took`, `refused (500)`. */
  readonly did: string;
  /** Type of the event without its prefix; empty for what is no event. */
  readonly type: string;
  /** `101206_1, sequence 2`, and what else tells it from others of its type. */
  readonly which: string;
  readonly isRefused: boolean;
}

/** What people and systems got. */
export type Receipt = ReceivedMessage | ReceivedEvent;
