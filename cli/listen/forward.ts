import type { ReceiverAnswer, Send } from '#kit/conform/sender.ts';
import { type SigningKey, signed } from '#kit/conform/signing.ts';
import { isPlainHttp } from '#shared/config/schema/plain-http.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { computeBackoff } from '#shared/core/waits.ts';

const GONE = 410;
/** A receiver that is being restarted should not be waited for long. */
const RETRY = { firstMs: 1_000, maxMs: 30_000 };

/** An attempt. `retryMs`: pause until the next one; null when there is none. */
export interface Attempt {
  readonly text: string;
  readonly answer: ReceiverAnswer;
  readonly attempt: number;
  readonly retryMs: number | null;
}

export interface ForwardOptions {
  readonly url: string;
  readonly key: SigningKey;
  readonly send: Send;
  /** Whether to try again until it is accepted. */
  readonly retry: boolean;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The real time, milliseconds since 1970: receivers compare with it. */
  readonly now: () => number;
  readonly onAttempt: (attempt: Attempt) => void;
}

/**
 * Sends an event, signed, until it is accepted. Throws a `NotifierError`: `forward_refused` after 410, `forward_failed`
 * when it was not accepted and is not to be tried again.
 */
export async function forward(text: string, options: ForwardOptions): Promise<void> {
  const { url, key, send, retry, sleep, now, onAttempt } = options;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(signed(text, key)(now()));
    const isDone = isAccepted(answer);
    const isGone = answer.outcome === 'answered' && answer.status === GONE;
    const retryMs = isDone || isGone || !retry ? null : computeBackoff(attempt, RETRY);
    onAttempt({ text, answer, attempt, retryMs });
    if (isDone) return;
    if (isGone) {
      throw new NotifierError(
        'forward_refused',
        `${url} answered 410, which means that it wants no more events; run the command again to resume with this one`,
      );
    }
    if (retryMs === null) {
      throw new NotifierError(
        'forward_failed',
        `${url} did not accept an event (${describeAnswer(answer)}); see the log of your receiver, then run the command again: it resumes with this one`,
      );
    }
    await sleep(retryMs);
  }
}

/** `204`, or why there is no status. */
export function describeAnswer(answer: ReceiverAnswer): string {
  return answer.outcome === 'answered' ? String(answer.status) : answer.reason;
}

function isAccepted(answer: ReceiverAnswer): boolean {
  return answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300;
}

/** The address of a receiver. Throws a `NotifierError` (`url_invalid`) unless it is https or on this machine. */
export function parseForwardAddress(text: string): string {
  const url = URL.parse(text);
  const advice = 'use an https address, or one of this machine such as http://localhost:3000/hook';
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new NotifierError('url_invalid', `--forward is ${JSON.stringify(text)}; ${advice}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new NotifierError(
      'url_invalid',
      '--forward contains a password; leave it out: requests are authenticated by their signature',
    );
  }
  if (!isPlainHttp(url.href)) return url.href;
  throw new NotifierError(
    'url_invalid',
    `--forward is ${JSON.stringify(text)}, and http to another machine would send events in clear; ${advice}`,
  );
}
