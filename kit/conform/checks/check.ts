import type { RequestFactory } from '../signing.ts';

/**
 * What a receiver must answer. `accept`: 2xx. `refuse`: 4xx except 410, which disables a webhook. `survive`: anything
 * below 500 except 410.
 */
export type Expectation = 'accept' | 'refuse' | 'survive';

interface Sent {
  /** What is sent, in words. */
  readonly sent: string;
  readonly requests: readonly RequestFactory[];
  /** Sent concurrently. */
  readonly atOnce?: true;
  /** How to fix a receiver that fails the check. */
  readonly mend: string;
  /** `mend` also explains a 401 or 403; otherwise the general advice on signatures is given. */
  readonly mendsRefusal?: true;
}

/** Requests, and what every answer must be. */
export interface AnswerCheck extends Sent {
  readonly kind: 'answers';
  readonly expect: Expectation;
}

/** Requests, and the sequence that the probe must then report for a record. */
export interface StateCheck extends Sent {
  readonly kind: 'state';
  readonly record: string;
  readonly sequence: number;
}

export type Check = AnswerCheck | StateCheck;
