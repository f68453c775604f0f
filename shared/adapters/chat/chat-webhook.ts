import type { ChatAnswer, ChatWebhook } from '#shared/alerts/flow/paced-chat.ts';
import { type HookResponse, readResponse, rejectsAddress, toChatAnswer, toNoAnswer } from './answer.ts';
import { type ChatClientOptions, createChatClient } from './chat-client.ts';
import { type AddressRules, parseWebhookAddress } from './secret-text.ts';

export interface ChatWebhookOptions extends AddressRules, ChatClientOptions {
  /** Reads the text of the secret; `fresh` bypasses the cache. */
  readonly readSecret: (ask: { readonly fresh: boolean }) => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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

function createSender({ now, ...options }: ChatWebhookOptions) {
  const client = createChatClient(options);
  return async (address: string, payload: object): Promise<Attempt> => {
    try {
      const response = await client.post(address, { json: payload });
      return { outcome: 'answered', response: await readResponse(response, now()) };
    } catch (error) {
      return { outcome: 'unanswered', answer: toNoAnswer(error) };
    }
  };
}
