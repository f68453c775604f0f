import { classifyFailure } from '#shared/adapters/webhook/client.ts';
import { parseRetryAfter } from '#shared/core/retry-after.ts';
import type { WebhookClient } from '#shared/systems/flow/webhook-run.ts';

/** A client whose other side is a function: what that throws is no answer. `now`: milliseconds since 1970. */
export function createFetchClient(
  answer: (request: Request) => Promise<Response>,
  now: () => number,
): WebhookClient {
  return {
    async post({ url, headers, body }) {
      try {
        const response = await answer(new Request(url, { method: 'POST', headers, body }));
        const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', now());
        const text = await response.text();
        return { outcome: 'answered', status: response.status, retryAfterMs, text, durationMs: 0 };
      } catch (error) {
        return { outcome: 'unanswered', reason: classifyFailure(error), durationMs: 0 };
      }
    },
  };
}
