/** Slack's Web API, as far as a bot that posts to a channel needs it. */
export interface SlackCalls {
  /** Keeps a call for a channel, and returns the answer. */
  take(call: { readonly channel: string; readonly method: string; readonly body: string }): string;
}

interface Message {
  readonly text: string;
  readonly ts?: string;
  readonly thread_ts?: string;
}

/**
 * Timestamps are numbers in the order of the calls, which no two runs share: so a call is kept with the first text of
 * the message that it replaces, and of the head of its thread.
 */
export function createSlackCalls(keep: (place: string, body: string) => void): SlackCalls {
  const firstTexts = new Map<string, string>();
  const describe = (ts: string | undefined) =>
    ts === undefined ? undefined : (firstTexts.get(ts) ?? 'unknown');
  return {
    take: ({ channel, method, body }) => {
      const { ts, thread_ts: thread, ...message } = JSON.parse(body) as Message;
      if (method === 'auth.test') return JSON.stringify({ ok: true });
      if (method !== 'chat.postMessage' && method !== 'chat.update')
        return JSON.stringify({ ok: false, error: 'unknown_method' });
      keep(
        `slack ${channel}`,
        JSON.stringify({ method, replaces: describe(ts), thread: describe(thread), ...message }),
      );
      const own = ts ?? `${firstTexts.size + 1}.000000`;
      if (ts === undefined) firstTexts.set(own, message.text);
      return JSON.stringify({
        ok: true,
        ts: own,
        message: thread === undefined ? {} : { thread_ts: thread },
      });
    },
  };
}
