import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { ChatAnswer } from '#shared/people/flow/paced-chat.ts';
import type { SlackBot, SlackPostAnswer } from '#shared/people/flow/post-in-threads.ts';
import type { WebhookClient } from '#shared/systems/flow/webhook-run.ts';
import { type HookResponse, toChatAnswer, toNoAnswer } from './answer.ts';
import { parseBotToken } from './secret-text.ts';

const SLACK_API = 'https://slack.com/api/';
/** A code that Slack gives, such as `channel_not_found`. */
const CODE = /^[a-z][a-z0-9_]{0,60}$/;

/** Errors that a later try may not meet. Both spellings of the first occur. */
const TRANSIENT: readonly string[] = [
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'message_limit_exceeded',
];
/** Errors about the token, which the secret may have replaced by now. */
const TOKEN_ERRORS: readonly string[] = [
  'invalid_auth',
  'not_authed',
  'token_revoked',
  'token_expired',
  'account_inactive',
];

const answerSchema = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  ts: z.string().optional(),
  message: z.looseObject({ thread_ts: z.string().optional() }).optional(),
});
type Answer = z.output<typeof answerSchema>;

export interface SlackBotOptions {
  /** Reads the text of the secret; `fresh` bypasses the cache. */
  readonly readSecret: (ask: { readonly fresh: boolean }) => Promise<string>;
  /** For error messages. */
  readonly secretName: string;
  readonly channelId: string;
  readonly client: WebhookClient;
  /** Only for a run on one machine; default: Slack. */
  readonly apiUrl?: string | undefined;
}

/** What a call came to: an answer of Slack's, or none that says anything. */
type Called =
  | { readonly outcome: 'answered'; readonly answer: Answer; readonly response: HookResponse }
  | { readonly outcome: 'unanswered'; readonly answer: Exclude<ChatAnswer, { outcome: 'taken' }> };

/**
 * A Slack bot that posts to one channel, with a token that is a secret. If Slack does not take the token any more, the
 * secret is read again, and tried once more with another one. Throws `NotifierError` only for the secret:
 * `secret_invalid`, and what reading it throws.
 */
export function createSlackBot(options: SlackBotOptions): SlackBot {
  const call = createCaller(options);
  const { channelId } = options;
  return {
    async post(payload, threadTs) {
      // Slack notifies of a reply only those who wrote in its thread, so it is shown in the channel as well.
      const reply = threadTs === null ? {} : { thread_ts: threadTs, reply_broadcast: true };
      return toPostAnswer(await call('chat.postMessage', { ...payload, ...reply, channel: channelId }));
    },
  };
}

/** Whether Slack takes the token. Needs no scope, and posts nothing. */
export async function testSlackToken(options: Omit<SlackBotOptions, 'channelId'>): Promise<ChatAnswer> {
  return toAnswer(await createCaller(options)('auth.test', {}));
}

function createCaller({
  readSecret,
  secretName,
  client,
  apiUrl = SLACK_API,
}: Omit<SlackBotOptions, 'channelId'>) {
  const loadToken = async (fresh: boolean) => parseBotToken(await readSecret({ fresh }), secretName);
  const send = async (token: string, method: string, payload: object): Promise<Called> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' };
    const body = JSON.stringify(payload);
    const url = new URL(method, apiUrl).href;
    const response = await client.post({ url, headers, body, readsAnswer: true });
    if (response.outcome === 'answered') return readCalled(response);
    return { outcome: 'unanswered', answer: toNoAnswer(response) };
  };
  return async (method: string, payload: object): Promise<Called> => {
    const token = await loadToken(false);
    const first = await send(token, method, payload);
    if (first.outcome === 'unanswered' || !TOKEN_ERRORS.includes(first.answer.error ?? '')) return first;
    const replaced = await loadToken(true);
    return replaced === token ? first : await send(replaced, method, payload);
  };
}

/** An answer that is not Slack's, or cut off, says nothing of the message: it is tried again, unless the status says no. */
function readCalled(response: HookResponse): Called {
  const parsed = answerSchema.safeParse(parseJsonOrNull(response.text ?? ''));
  if (parsed.success) return { outcome: 'answered', answer: parsed.data, response };
  const answer = toChatAnswer({ ...response, text: '' });
  const unread = { outcome: 'later', afterMs: null, reason: 'answer_unexpected' } as const;
  return { outcome: 'unanswered', answer: answer.outcome === 'taken' ? unread : answer };
}

function toPostAnswer(called: Called): SlackPostAnswer {
  if (called.outcome === 'unanswered') return called.answer;
  const answer = toAnswer(called);
  if (answer.outcome !== 'taken') return answer;
  const { ts = '', message } = called.answer;
  const threadTs = message?.thread_ts ?? null;
  return { outcome: 'taken', ts, threadTs: threadTs === ts ? null : threadTs };
}

/** Slack says with 200 that it took nothing. Nothing of the answer is passed on but a code. */
function toAnswer(called: Called): ChatAnswer {
  if (called.outcome === 'unanswered') return called.answer;
  const { ok, error = '' } = called.answer;
  if (ok) return { outcome: 'taken' };
  const { status, retryAfterMs: afterMs } = called.response;
  const reason = CODE.test(error) ? error : `http_${status}`;
  const isTransient = TRANSIENT.includes(error) || status === 429 || status >= 500;
  return isTransient ? { outcome: 'later', afterMs, reason } : { outcome: 'refused', reason };
}
