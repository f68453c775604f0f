import type { ChatAnswer, ChatWebhook } from '#shared/people/flow/paced-chat.ts';
import type { WebhookAnswer, WebhookClient } from '#shared/systems/flow/webhook-run.ts';
import { readTold, rejectsAddress, toHookAnswer, toNoAnswer } from './answer.ts';
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
  const send = async (url: string, payload: object): Promise<WebhookAnswer> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(payload);
    const answer = await options.client.post({ url, headers, body, readsAnswer: true });
    return answer.outcome === 'unanswered' ? answer : readTold(answer);
  };
  const judge = (answer: WebhookAnswer): ChatAnswer =>
    answer.outcome === 'unanswered' ? toNoAnswer(answer) : toHookAnswer(answer, options.kind);
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
