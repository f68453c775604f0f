/** What came of an attempt, as far as it decides what happens next. */
export type EndpointAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** What `Retry-After` asks for, in milliseconds from now. */
      readonly retryAfterMs: number | null;
    }
  | { readonly outcome: 'unanswered'; readonly reason: string };

export type DeliveryVerdict =
  | { readonly verdict: 'delivered' }
  /** The endpoint wants no events any more, this one included. */
  | { readonly verdict: 'disabled'; readonly reason: string }
  /** To be tried again. `reason`: the HTTP status, or why there was none. */
  | { readonly verdict: 'failed'; readonly reason: string; readonly retryAfterMs: number | null };

const GONE = 410;
/** Answers whose `Retry-After` is about when to come back. With a redirect it means something else. */
const BUSY = new Set([429, 503]);
const UNAUTHENTICATED = new Set([401, 403]);

/**
 * Whether an endpoint took an event (Standard Webhooks): any 2xx. A redirect is a failure, since following one would
 * send events where the config does not say.
 */
export function judgeAnswer(answer: EndpointAnswer): DeliveryVerdict {
  if (answer.outcome === 'unanswered')
    return { verdict: 'failed', reason: answer.reason, retryAfterMs: null };
  const { status, retryAfterMs } = answer;
  const reason = String(status);
  if (status >= 200 && status < 300) return { verdict: 'delivered' };
  if (status === GONE) return { verdict: 'disabled', reason };
  return { verdict: 'failed', reason, retryAfterMs: BUSY.has(status) ? retryAfterMs : null };
}

/** Whether the endpoint may have refused the signature: it may know a newer secret than we do. */
export function mayHaveRefusedSignature(answer: EndpointAnswer): boolean {
  return answer.outcome === 'answered' && UNAUTHENTICATED.has(answer.status);
}
