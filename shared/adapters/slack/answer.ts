import { isNetworkError } from 'ky';
import { parseRetryAfter } from '#shared/core/fetch/retry-after.ts';
import type { SlackAnswer } from '../../ports/alerts.ts';

/** Bytes of an answer that are read: Slack says `ok`, or in one word why not. */
const MAX_ANSWER_BYTES = 1_000;
/** How Slack says why: `invalid_payload`, `channel_is_archived`. */
const SLACK_REASON = /^[a-z][a-z0-9_]{0,60}$/;
/** Statuses of 4xx that may be another one at the next try. */
const TRANSIENT_STATUSES: readonly number[] = [408, 425, 429];

/** What came back, as far as it matters. */
export interface HookResponse {
  readonly status: number;
  /** Its beginning, or what came of it before it broke. */
  readonly text: string;
  readonly retryAfterMs: number | null;
}

/** The start of an answer. Never throws: the status has already said what matters. `now`: milliseconds since 1970. */
export async function readResponse(response: Response, now: number): Promise<HookResponse> {
  const retryAfter = parseRetryAfter(response.headers.get('retry-after') ?? '', now);
  return { status: response.status, text: await readStart(response), retryAfterMs: retryAfter };
}

/** What an answer means. No part of it is passed on but a reason in one word. */
export function toSlackAnswer({ status, text, retryAfterMs: afterMs }: HookResponse): SlackAnswer {
  const said = text.trim();
  const reason = status >= 400 && SLACK_REASON.test(said) ? said : `http_${status}`;
  if (status >= 500 || TRANSIENT_STATUSES.includes(status)) return { outcome: 'later', afterMs, reason };
  if (status < 200 || status >= 300) return { outcome: 'refused', reason };
  // A page is what the address of something else gives.
  return said.startsWith('<') ? { outcome: 'refused', reason: 'answer_unexpected' } : { outcome: 'taken' };
}

/** Whether the address may have been replaced by another: this one is not a webhook of ours, or not any more. */
export function rejectsAddress({ status }: HookResponse): boolean {
  return [401, 403, 404, 410].includes(status) || (status >= 300 && status < 400);
}

/** Why there was no answer, as a stable code. Nothing of the error is kept: it holds the address. */
export function unanswered(error: unknown, timedOut: boolean): SlackAnswer {
  const reason = timedOut ? 'timeout' : classifyNetworkError(isNetworkError(error) ? error.cause : error);
  return { outcome: 'later', afterMs: null, reason };
}

function classifyNetworkError(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    if (/^(?:ENOTFOUND$|EAI_)/.test(code)) return 'name_unknown';
    if (/CERT|TLS|SSL|SIGNED|UNABLE_TO_/.test(code)) return 'tls_failed';
  }
  return 'connection_failed';
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk.subarray(0, MAX_ANSWER_BYTES - bytes));
      bytes += chunk.byteLength;
      // Leaving the loop cancels the stream.
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // It broke after its status, and what came is enough.
  }
  return Buffer.concat(chunks).toString('utf8');
}
