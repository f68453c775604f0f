import type { ChatKind } from '#shared/config/schema/chat-kind.ts';
import type { ChatAnswer } from '#shared/people/flow/paced-chat.ts';
import type { WebhookAnswer } from '#shared/systems/flow/webhook-run.ts';

/** A reason that Slack gives, such as `invalid_payload` or `channel_is_archived`. */
const SLACK_REASON = /^[a-z][a-z0-9_]{0,60}$/;
/** 4xx statuses that a later try may not meet. */
const TRANSIENT_STATUSES: readonly number[] = [408, 425, 429];

type Answered = Extract<WebhookAnswer, { outcome: 'answered' }>;
/** What Slack or Teams answered, with the start of the text. */
export type HookResponse = Pick<Answered, 'status' | 'text' | 'retryAfterMs'>;

/** What an incoming webhook says of a message that it took; an answer without text counts by its status. */
const SUCCESS: Readonly<Record<ChatKind, string>> = { slack: 'ok', teams: '1' };
/** Connectors of Teams answer 200, and say in words what Teams answered them. */
const TOLD_STATUS = /\bHTTP (?:error|status)\D{0,10}(\d{3})\b/i;

/** An answer of an incoming webhook, with the status that it tells in words, if it does. */
export function readTold<Response extends HookResponse>(response: Response): Response {
  const told = isGood(response.status) ? TOLD_STATUS.exec(response.text ?? '')?.[1] : undefined;
  return told === undefined ? response : { ...response, status: Number(told) };
}

/** What an answer of an incoming webhook means: success is only what Slack or Teams calls so. */
export function toHookAnswer(response: HookResponse, kind: ChatKind): ChatAnswer {
  const answer = toChatAnswer(response);
  const said = response.text?.trim() ?? '';
  if (answer.outcome !== 'taken' || said === '' || said === SUCCESS[kind]) return answer;
  return { outcome: 'refused', reason: 'answer_unexpected' };
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What an answer means. Nothing of its text is passed on, except for a reason of one word. */
export function toChatAnswer({ status, text = '', retryAfterMs: afterMs }: HookResponse): ChatAnswer {
  const said = text.trim();
  const reason = status >= 400 && SLACK_REASON.test(said) ? said : `http_${status}`;
  if (status >= 500 || TRANSIENT_STATUSES.includes(status)) return { outcome: 'later', afterMs, reason };
  if (!isGood(status)) return { outcome: 'refused', reason };
  // A web page comes from an address that is no incoming webhook.
  return said.startsWith('<') ? { outcome: 'refused', reason: 'answer_unexpected' } : { outcome: 'taken' };
}

/** Whether the webhook behind the address is gone, so that the secret may hold another one by now. */
export function rejectsAddress({ status }: HookResponse): boolean {
  return [401, 403, 404, 410].includes(status) || (status >= 300 && status < 400);
}

/** Why there was no answer, as a stable code. */
export function toNoAnswer({
  reason,
}: Extract<WebhookAnswer, { outcome: 'unanswered' }>): Extract<ChatAnswer, { outcome: 'later' }> {
  return { outcome: 'later', afterMs: null, reason };
}
