import { findErrorCode } from '../../shared/core/errors.ts';
import type { OutgoingRequest } from './signing.ts';

const MAX_ANSWER_BYTES = 64 * 1024;

/** The result of one request. Durations in milliseconds. */
export type ReceiverAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly durationMs: number }
  /** The system's code of a failure, such as `ECONNREFUSED`, or `timeout`. */
  | { readonly outcome: 'unanswered'; readonly reason: string; readonly durationMs: number };

export interface SenderOptions {
  readonly url: string;
  readonly timeoutMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Sends one request without following redirects. Never throws for a failure of the receiver or the network. */
export type Send = (message: OutgoingRequest) => Promise<ReceiverAnswer>;

export function createSender({ url, timeoutMs, now }: SenderOptions): Send {
  return async ({ method, headers, body }) => {
    const startedAt = now();
    try {
      const response = await fetch(url, {
        method,
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(method === 'POST' ? { body } : {}),
      });
      await drainBody(response);
      return { outcome: 'answered', status: response.status, durationMs: now() - startedAt };
    } catch (error) {
      return { outcome: 'unanswered', reason: findErrorCode(error), durationMs: now() - startedAt };
    }
  };
}

/** Reads an answer to its end, or to the limit: an endless one does not hang the check. */
async function drainBody(response: Response): Promise<void> {
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
}
