import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { checkWebhook, type SignedRequest } from '#local/receivers/server.ts';
import { takeFileCall } from '#local/receivers/slack-files.ts';

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
        const base = address('slack', channel);
        response.writeHead(200, JSON_TYPE).end(calls.take({ channel, method, body, base }));
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
  /** Address below which the methods for the channel stand. */
  readonly base: string;
}

/** Slack's Web API, as far as a bot that posts to a channel needs it. */
interface SlackCalls {
  /** Keeps a call for a channel, and returns the answer. */
  take(call: SlackCall): string;
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
function createSlackCalls(keep: (place: string, body: string) => void): SlackCalls {
  const firstTexts = new Map<string, string>();
  const describe = (ts: string | undefined) =>
    ts === undefined ? undefined : (firstTexts.get(ts) ?? 'unknown');
  const takeMessage = ({ channel, method, body }: SlackCall): string => {
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
    return JSON.stringify({ ok: true, ts: own, message: thread === undefined ? {} : { thread_ts: thread } });
  };
  return {
    take: (call) => {
      const { channel, method, body, base } = call;
      const file = takeFileCall(method, body, base);
      if (file === null) return takeMessage(call);
      const thread = describe(new URLSearchParams(body).get('thread_ts') ?? undefined);
      const lines = file.lines.map((line) => line.text);
      if (lines.length > 0) keep(`slack ${channel}`, JSON.stringify({ method, thread, lines }));
      return JSON.stringify(file.answer);
    },
  };
}
