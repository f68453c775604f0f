import { toShortType } from '../../shared/core/event-types.ts';
import { checkReceiver, parseAddress } from '../conform/check-receiver.ts';
import type { Judged } from '../conform/judge.ts';
import { parseSigningKey } from '../conform/signing.ts';
import { exampleEvents } from './example-event.ts';

export interface ConformOptions {
  /** Where your receiver listens, such as `http://localhost:3000/hook`. */
  readonly url: string;
  /** The signing secret of your receiver, `whsec_...`. */
  readonly secret: string;
  /** The secret before it, to test a rotation. */
  readonly previousSecret?: string;
  /**
   * Where your receiver reports, for this test only, which event it applied last: a JSON object of sequences by `subject`,
   * such as `{"910001_4711": 3}`. Without it, nothing checks that repeats are dropped and order is kept.
   */
  readonly probe?: string;
}

/** What came of the checks. */
export interface Conformance {
  readonly checks: readonly Judged[];
  /** Those of `checks` that failed, each with how to fix it. */
  readonly wrong: readonly Judged[];
  /** Checks that were not run, by what they send: there is no probe, or the receiver went away. */
  readonly skipped: readonly string[];
}

/**
 * Sends your own webhook receiver everything that it will meet: every type, repeats, wrong order, unknown fields, forged
 * and old messages. As `notifier conform` does, for a test of yours: `expect((await conform(mine)).wrong).toEqual([])`.
 * Throws `NotifierError`: `address_invalid`, `secret_invalid`, `receiver_unreachable`, `probe_unreachable`.
 */
export async function conform({ url, secret, previousSecret, probe }: ConformOptions): Promise<Conformance> {
  const receiver = {
    url: parseAddress(url, 'url'),
    probe: probe === undefined ? null : parseAddress(probe, 'probe'),
    key: parseSigningKey(secret, 'secret'),
    previousKey: previousSecret === undefined ? null : parseSigningKey(previousSecret, 'previousSecret'),
  };
  const examples = new Map(exampleEvents().map((event) => [toShortType(event.type), JSON.stringify(event)]));
  const checks: Judged[] = [];
  const skipped: string[] = [];
  for await (const verdict of checkReceiver(receiver, examples)) {
    if (verdict.outcome === 'skipped') skipped.push(verdict.sent);
    else checks.push(verdict);
  }
  return { checks, wrong: checks.filter(({ outcome }) => outcome === 'wrong'), skipped };
}
