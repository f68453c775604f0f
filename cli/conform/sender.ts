import type { OutgoingRequest } from './signing.ts';

/** Bytes of an answer that are read at most. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What came of one request. Durations in milliseconds. */
export type ReceiverAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly durationMs: number }
  /** The system's code of a failure, such as `ECONNREFUSED`, or `timeout`. */
  | { readonly outcome: 'unanswered'; readonly reason: string; readonly durationMs: number };

export interface SenderOptions {
  readonly url: string;
  readonly timeoutMs: number;
  /** Milliseconds since some moment. */
  readonly now: () => number;
}

/** Sends one request, follows no redirect, and never throws for what the receiver or the network does. */
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
      return { outcome: 'unanswered', reason: findFailureCode(error), durationMs: now() - startedAt };
    }
  };
}

/** An answer counts when it is whole; one without an end does not. */
async function drainBody(response: Response): Promise<void> {
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
}

/** The innermost code of a failure: fetch wraps those of the system. */
export function findFailureCode(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout';
  let reason = 'connection broken';
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string') reason = at.code;
  return reason;
}
