import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { checkWebhook, type SignedRequest } from '#local/receivers/server.ts';

/** Stands in for Slack, for Teams and for the receivers of webhooks, on loopback. */
export interface Receiver {
  readonly port: number;
  /** Of the webhook of a channel; methods of the Web API stand below it, for a bot. */
  slackAddress(channel: string): string;
  teamsAddress(channel: string): string;
  webhookAddress(webhook: string): string;
  /** What came since the last call, by `slack {channel}`, `teams {channel}` or `webhook {name}`, in its order. */
  take(): ReadonlyMap<string, readonly string[]>;
  /** Requests whose signature did not hold, since the start. */
  readonly refused: readonly string[];
  /** From now on a webhook checks signatures by this secret. */
  trust(webhook: string, secret: string): void;
  /** The status that a webhook answers from now on; 204 at first. */
  answer(webhook: string, status: number): void;
  stop(): Promise<void>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

export interface ReceiverOptions {
  /** Signing secret of every webhook at first. */
  readonly secret: string;
}

export async function startReceiver({ secret }: ReceiverOptions): Promise<Receiver> {
  let received = new Map<string, string[]>();
  const refused: string[] = [];
  const statuses = new Map<string, number>();
  const secrets = new Map<string, string>();
  const keep = (place: string, body: string) => {
    received.set(place, [...(received.get(place) ?? []), body]);
  };
  const calls = createSlackCalls(keep);
  const judge = ([kind, name = '']: readonly string[], { headers, body }: SignedRequest) => {
    if (kind === 'slack' || kind === 'teams') {
      keep(`${kind} ${name}`, body);
      return 200;
    }
    const status = statuses.get(name) ?? 204;
    const verdict = checkWebhook({ headers, body }, secrets.get(name) ?? secret);
    if (verdict.outcome === 'refused') refused.push(`${name}: ${verdict.reason}`);
    else if (status === 204) keep(`webhook ${name}`, body);
    return verdict.outcome === 'refused' ? 401 : status;
  };
  const { port, stop } = await serveOnLoopback((request, response) => {
    const path = (request.url ?? '').slice(1).split('/');
    const headers = request.headers as Record<string, string>;
    void text(request).then((body) => {
      const [kind, channel = '', method] = path;
      if (kind === 'slack' && method !== undefined) {
        response.writeHead(200, JSON_TYPE).end(calls.take({ channel, method, body }));
      } else response.writeHead(judge(path, { headers, body })).end();
    });
  });
  const address = (kind: string, name: string) => `http://127.0.0.1:${port}/${kind}/${name}`;
  return {
    port,
    slackAddress: (channel) => address('slack', channel),
    teamsAddress: (channel) => address('teams', channel),
    webhookAddress: (webhook) => address('webhooks', webhook),
    take: () => {
      const taken = received;
      received = new Map();
      return taken;
    },
    refused,
    trust: (webhook, trusted) => void secrets.set(webhook, trusted),
    answer: (webhook, status) => void statuses.set(webhook, status),
    stop,
  };
}

interface SlackCall {
  readonly channel: string;
  readonly method: string;
  readonly body: string;
}

/** Slack's Web API, as far as a bot that posts to a channel needs it. */
interface SlackCalls {
  /** Keeps a call for a channel, and returns the answer. */
  take(call: SlackCall): string;
}

interface Message {
  readonly text: string;
  readonly thread_ts?: string;
}

/**
 * Timestamps are numbers in the order of the calls, which no two runs share: so a reply is kept with the text of the
 * first message of its thread.
 */
function createSlackCalls(keep: (place: string, body: string) => void): SlackCalls {
  const texts = new Map<string, string>();
  return {
    take: ({ channel, method, body }) => {
      if (method === 'auth.test') return JSON.stringify({ ok: true });
      if (method !== 'chat.postMessage') return JSON.stringify({ ok: false, error: 'unknown_method' });
      const { thread_ts, ...message } = JSON.parse(body) as Message;
      const thread = thread_ts === undefined ? undefined : (texts.get(thread_ts) ?? 'unknown');
      keep(`slack ${channel}`, JSON.stringify({ method, thread, ...message }));
      const ts = `${texts.size + 1}.000000`;
      texts.set(ts, message.text);
      return JSON.stringify({ ok: true, ts, message: thread_ts === undefined ? {} : { thread_ts } });
    },
  };
}
