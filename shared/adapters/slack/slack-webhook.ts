import ky from 'ky';
import type { SlackAnswer, SlackWebhook } from '../../ports/alerts.ts';
import { type HookResponse, readResponse, rejectsAddress, toSlackAnswer, unanswered } from './answer.ts';
import { type AddressRules, parseWebhookAddress } from './webhook-address.ts';

/** Slack answers within a second; after this nobody waits any longer for headers and body together. */
const TIMEOUT_MS = 8_000;

export interface SlackWebhookOptions extends AddressRules {
  /** Gives the text of the secret; `fresh` asks past what is kept. */
  readonly readSecret: (ask: { readonly fresh: boolean }) => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timeoutMs?: number;
  /** Replaces Node's fetch in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

type Attempt =
  | { readonly outcome: 'answered'; readonly response: HookResponse }
  | { readonly outcome: 'unanswered'; readonly answer: SlackAnswer };

/**
 * An incoming webhook of Slack whose address is a secret. When the address is not known there any more the secret is
 * read anew, and another address is tried once. Throws `NotifierError` for the secret alone: `secret_invalid`, and
 * whatever reading it throws.
 */
export function createSlackWebhook(options: SlackWebhookOptions): SlackWebhook {
  const send = createSender(options);
  const loadAddress = async (fresh: boolean) =>
    parseWebhookAddress(await options.readSecret({ fresh }), options);
  return {
    async post(payload) {
      const address = await loadAddress(false);
      const first = await send(address, payload);
      if (first.outcome === 'unanswered') return first.answer;
      if (!rejectsAddress(first.response)) return toSlackAnswer(first.response);
      const replaced = await loadAddress(true);
      if (replaced === address) return toSlackAnswer(first.response);
      const second = await send(replaced, payload);
      return second.outcome === 'unanswered' ? second.answer : toSlackAnswer(second.response);
    },
  };
}

/** HTTP through ky, of which only the request building is used: one try, no redirects, our own timeout. */
function createSender({ fetch, now, timeoutMs = TIMEOUT_MS }: SlackWebhookOptions) {
  const client = ky.create({
    retry: { limit: 0 },
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    ...(fetch === undefined ? {} : { fetch: (input, init) => fetch(input, init) }),
  });
  return async (address: string, payload: object): Promise<Attempt> => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const response = await client.post(address, { json: payload, signal: abort.signal });
      return { outcome: 'answered', response: await readResponse(response, now()) };
    } catch (error) {
      return { outcome: 'unanswered', answer: unanswered(error, abort.signal.aborted) };
    } finally {
      clearTimeout(timer);
      // An answer that was not read to its end would hold its connection.
      abort.abort();
    }
  };
}
