export type EndpointAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** `Retry-After`, in milliseconds from now. */
      readonly retryAfterMs: number | null;
    }
  | { readonly outcome: 'unanswered'; readonly reason: string };

export type DeliveryVerdict =
  | { readonly verdict: 'delivered' }
  /** The endpoint wants no more events. */
  | { readonly verdict: 'disabled'; readonly reason: string }
  /** `reason`: the HTTP status, or why there was none. */
  | {
      readonly verdict: 'failed';
      readonly reason: string;
      readonly retryAfterMs: number | null;
    };

const GONE = 410;
/** Statuses whose `Retry-After` says when to retry; on a redirect it means something else. */
const BUSY = new Set([429, 503]);
const UNAUTHENTICATED = new Set([401, 403]);

/**
 * Judges an answer after the Standard Webhooks specification: any 2xx is success. A redirect is a failure, since
 * following it would send events to an address that is not in the config.
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

/** Whether the endpoint may have rejected the signature, because its secret was rotated. */
export function mayHaveRefusedSignature(answer: EndpointAnswer): boolean {
  return answer.outcome === 'answered' && UNAUTHENTICATED.has(answer.status);
}
