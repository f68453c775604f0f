import ky, { type KyInstance } from 'ky';
import { USER_AGENT } from '#shared/core/user-agent.ts';

/** For the status of an answer; Slack takes less than a second. */
const TIMEOUT_MS = 8_000;

export interface ChatClientOptions {
  readonly timeoutMs?: number;
  /** Replaces Node's fetch in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** One try, without redirects, whose status is an answer and not an error: what follows from it its caller decides. */
export function createChatClient({ fetch, timeoutMs = TIMEOUT_MS }: ChatClientOptions): KyInstance {
  return ky.create({
    headers: { 'user-agent': USER_AGENT },
    retry: 0,
    timeout: timeoutMs,
    throwHttpErrors: false,
    redirect: 'manual',
    ...(fetch === undefined ? {} : { fetch: (input, init) => fetch(input, init) }),
  });
}
