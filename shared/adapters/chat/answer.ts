import { isTimeoutError } from 'ky';
import type { ChatAnswer } from '#shared/alerts/flow/paced-chat.ts';
import { parseRetryAfter } from '#shared/core/fetch/retry-after.ts';

/** Bytes of an answer of a webhook that are read: Slack says `ok`, or in one word why not. */
const MAX_ANSWER_BYTES = 1_000;
/** For the body: it comes with the status, and does not change what the status means. */
const BODY_MS = 2_000;
/** A reason that Slack gives, such as `invalid_payload` or `channel_is_archived`. */
const SLACK_REASON = /^[a-z][a-z0-9_]{0,60}$/;
/** 4xx statuses that a later try may not meet. */
const TRANSIENT_STATUSES: readonly number[] = [408, 425, 429];

/** What Slack answered. */
export interface HookResponse {
  readonly status: number;
  /** The first bytes of the body, or what came of them. */
  readonly text: string;
  readonly retryAfterMs: number | null;
}

/** Reads the start of an answer. Never throws: the status says what matters. `now` is milliseconds since 1970. */
export async function readResponse(
  response: Response,
  now: number,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<HookResponse> {
  const retryAfter = parseRetryAfter(response.headers.get('retry-after') ?? '', now);
  return { status: response.status, text: await readStart(response, maxBytes), retryAfterMs: retryAfter };
}

/** What an answer means. Nothing of its text is passed on, except for a reason of one word. */
export function toChatAnswer({ status, text, retryAfterMs: afterMs }: HookResponse): ChatAnswer {
  const said = text.trim();
  const reason = status >= 400 && SLACK_REASON.test(said) ? said : `http_${status}`;
  if (status >= 500 || TRANSIENT_STATUSES.includes(status)) return { outcome: 'later', afterMs, reason };
  if (status < 200 || status >= 300) return { outcome: 'refused', reason };
  // A web page comes from an address that is no incoming webhook.
  return said.startsWith('<') ? { outcome: 'refused', reason: 'answer_unexpected' } : { outcome: 'taken' };
}

/** Whether the webhook behind the address is gone, so that the secret may hold another one by now. */
export function rejectsAddress({ status }: HookResponse): boolean {
  return [401, 403, 404, 410].includes(status) || (status >= 300 && status < 400);
}

/** Why there was no answer, as a stable code. Nothing of the error is kept: it holds the address. */
export function toNoAnswer(error: unknown): Extract<ChatAnswer, { outcome: 'later' }> {
  const reason = isTimeoutError(error) ? 'timeout' : classifyNetworkError(error);
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

async function readStart({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  // Also closes the connection if more would come.
  const stop = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(stop, BODY_MS);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < maxBytes) {
      const { value } = await reader.read();
      if (value === undefined) break;
      chunks.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // It broke after its status, and what came is enough.
  } finally {
    clearTimeout(timer);
    stop();
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxBytes);
}
