import ky from 'ky';
import type { ChatAnswer, ChatWebhook } from '#shared/ports/alerts.ts';
import { type HookResponse, readResponse, rejectsAddress, toChatAnswer, toNoAnswer } from './answer.ts';
import { type AddressRules, parseWebhookAddress } from './webhook-address.ts';

/** For the status of an answer; Slack takes less than a second. */
const TIMEOUT_MS = 8_000;

export interface ChatWebhookOptions extends AddressRules {
  /** Reads the text of the secret; `fresh` bypasses the cache. */
  readonly readSecret: (ask: { readonly fresh: boolean }) => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timeoutMs?: number;
  /** Replaces Node's fetch in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

type Attempt =
  | { readonly outcome: 'answered'; readonly response: HookResponse }
  | { readonly outcome: 'unanswered'; readonly answer: ChatAnswer };

/**
 * An incoming webhook of Slack whose address is a secret. If Slack does not know the address any more, the secret is
 * read again, and tried once more with another address. Throws `NotifierError` only for the secret: `secret_invalid`,
 * and what reading it throws.
 */
export function createChatWebhook(options: ChatWebhookOptions): ChatWebhook {
  const send = createSender(options);
  const loadAddress = async (fresh: boolean) =>
    parseWebhookAddress(await options.readSecret({ fresh }), options);
  return {
    async post(payload) {
      const address = await loadAddress(false);
      const first = await send(address, payload);
      if (first.outcome === 'unanswered') return first.answer;
      if (!rejectsAddress(first.response)) return toChatAnswer(first.response);
      const replaced = await loadAddress(true);
      if (replaced === address) return toChatAnswer(first.response);
      const second = await send(replaced, payload);
      return second.outcome === 'unanswered' ? second.answer : toChatAnswer(second.response);
    },
  };
}

/** One try, without redirects, whose status is an answer and not an error: what follows from it is decided here. */
function createSender({ fetch, now, timeoutMs = TIMEOUT_MS }: ChatWebhookOptions) {
  const client = ky.create({
    retry: 0,
    timeout: timeoutMs,
    throwHttpErrors: false,
    redirect: 'manual',
    ...(fetch === undefined ? {} : { fetch: (input, init) => fetch(input, init) }),
  });
  return async (address: string, payload: object): Promise<Attempt> => {
    try {
      const response = await client.post(address, { json: payload });
      return { outcome: 'answered', response: await readResponse(response, now()) };
    } catch (error) {
      return { outcome: 'unanswered', answer: toNoAnswer(error) };
    }
  };
}
