import type { ChatAnswer, ChatWebhook } from '#shared/alerts/flow/paced-chat.ts';
import type { WebhookAnswer, WebhookClient } from '#shared/webhooks/flow/webhook-run.ts';
import { rejectsAddress, toChatAnswer, toNoAnswer } from './answer.ts';
import { type AddressRules, parseWebhookAddress } from './secret-text.ts';

export interface ChatWebhookOptions extends AddressRules {
  /** Reads the text of the secret; `fresh` bypasses the cache. */
  readonly readSecret: (ask: { readonly fresh: boolean }) => Promise<string>;
  readonly client: WebhookClient;
}

/**
 * An incoming webhook of Slack or Teams whose address is a secret. If the address is not known any more, the secret is
 * read again, and tried once more with another address. Throws `NotifierError` only for the secret: `secret_invalid`,
 * and what reading it throws.
 */
export function createChatWebhook(options: ChatWebhookOptions): ChatWebhook {
  const send = (url: string, payload: object) =>
    options.client.post({
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
      readsAnswer: true,
    });
  const loadAddress = async (fresh: boolean) =>
    parseWebhookAddress(await options.readSecret({ fresh }), options);
  return {
    async post(payload) {
      const address = await loadAddress(false);
      const first = await send(address, payload);
      if (first.outcome === 'unanswered' || !rejectsAddress(first)) return judge(first);
      const replaced = await loadAddress(true);
      return judge(replaced === address ? first : await send(replaced, payload));
    },
  };
}

function judge(answer: WebhookAnswer): ChatAnswer {
  return answer.outcome === 'unanswered' ? toNoAnswer(answer) : toChatAnswer(answer);
}
