import type { RequestFactory } from '../signing.ts';

/**
 * What a receiver must answer. `accept`: any 2xx. `refuse`: 4xx, but never 410, which disables a webhook. `survive`:
 * anything but a failure of its own.
 */
export type Expectation = 'accept' | 'refuse' | 'survive';

interface Sent {
  /** In words: what is sent. */
  readonly sent: string;
  readonly requests: readonly RequestFactory[];
  /** Sent without waiting for each other's answers. */
  readonly atOnce?: true;
  /** How to mend a receiver that does otherwise. */
  readonly mend: string;
  /** That says it too to one who takes the message for badly signed; else he is told to look at his verifying. */
  readonly mendsRefusal?: true;
}

/** Something that is sent, and what every answer to it must be. */
export interface AnswerCheck extends Sent {
  readonly kind: 'answers';
  readonly expect: Expectation;
}

/** Something that is sent, and what the receiver must then hold of a record. */
export interface StateCheck extends Sent {
  readonly kind: 'state';
  readonly record: string;
  /** Of the last event of the record that counts. */
  readonly sequence: number;
}

export type Check = AnswerCheck | StateCheck;
