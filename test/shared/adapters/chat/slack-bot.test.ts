import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseBotToken } from '#shared/adapters/chat/secret-text.ts';
import { createSlackBot, type SlackBotOptions } from '#shared/adapters/chat/slack-bot.ts';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { message } from '#test/shared/people/sample-message.ts';
import { createFetchClient } from '#test/support/fetch-client.ts';

/** The Web API of Slack, on loopback. */

const NOW = Date.parse('2026-11-16T00:00:00.000Z');
const TOKEN = 'xoxb-1111-canary';
const NEW_TOKEN = 'xoxb-2222-canary';
const PAYLOAD = buildSlackPayload(message());
const IN_CHANNEL = null;

interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** JSON, or text as it is; null resets the connection. */
  readonly body: object | string | null;
}

let server: Server;
let apiUrl: string;
let requests: Request[];
let replies: Reply[];
let secrets: string[];
let reads: boolean[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    requests.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
    const { status = 200, headers = {}, body: said } = replies.shift() ?? { body: { ok: true, ts: '7.1' } };
    if (said === null) return request.socket.resetAndDestroy();
    const answer = typeof said === 'string' ? said : JSON.stringify(said);
    return response.writeHead(status, headers).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  requests = [];
  replies = [];
  secrets = [TOKEN];
  reads = [];
});

describe('a post', () => {
  test('has the token in a header, and the message with its channel as JSON', async () => {
    replies = [{ body: { ok: true, channel: 'C0123456789', ts: '7.1', message: { text: 'x' } } }];
    expect(await bot().post(PAYLOAD, IN_CHANNEL)).toEqual({ outcome: 'taken', ts: '7.1', threadTs: null });
    const [request] = requests;
    expect(request?.path).toBe('/api/chat.postMessage');
    expect(request?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(request?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(request?.body).toEqual({ ...PAYLOAD, channel: 'C0123456789' });
  });

  test('in a thread is shown in the channel as well', async () => {
    replies = [{ body: { ok: true, ts: '7.2', message: { thread_ts: '7.1' } } }];
    const answer = await bot().post(PAYLOAD, '7.1');
    expect(answer).toEqual({ outcome: 'taken', ts: '7.2', threadTs: '7.1' });
    expect(requests[0]?.body).toMatchObject({ thread_ts: '7.1', reply_broadcast: true });
  });

  test('to a deleted thread says that it went into the channel', async () => {
    replies = [{ body: { ok: true, ts: '7.2', message: { text: 'x' } } }];
    const answer = await bot().post(PAYLOAD, '7.1');
    expect(answer).toEqual({ outcome: 'taken', ts: '7.2', threadTs: null });
  });

  test('whose answer repeats a large message is read to its end', async () => {
    replies = [{ body: { ok: true, message: { text: 'x'.repeat(150_000), thread_ts: '7.1' }, ts: '7.2' } }];
    const answer = await bot().post(PAYLOAD, '7.1');
    expect(answer).toEqual({ outcome: 'taken', ts: '7.2', threadTs: '7.1' });
  });
});

describe('an answer', () => {
  const LIMITED = { outcome: 'later', afterMs: 30_000 };
  test.each<[string, Reply, object]>([
    ['a limit', limited('ratelimited'), { ...LIMITED, reason: 'ratelimited' }],
    ['a limit in another spelling', limited('rate_limited'), { ...LIMITED, reason: 'rate_limited' }],
    ['a limit with 200', { body: fail('ratelimited') }, later('ratelimited')],
    ['a fault', { body: fail('internal_error') }, later('internal_error')],
    ['a fault with 500', { status: 500, body: fail('fatal_error') }, later('fatal_error')],
    ['a page with 503', { status: 503, body: '<html>canary' }, later('http_503')],
    ['a page with 200', { body: '<html>canary' }, later('answer_unexpected')],
    ['nothing', { body: null }, later('connection_failed')],
    ['no channel', { body: fail('channel_not_found') }, refused('channel_not_found')],
    ['no member', { body: fail('not_in_channel') }, refused('not_in_channel')],
    ['an archive', { body: fail('is_archived') }, refused('is_archived')],
    ['a missing scope', { body: fail('missing_scope') }, refused('missing_scope')],
    ['no such message', { body: fail('message_not_found') }, refused('message_not_found')],
    ['an error not heard of', { body: fail('made_up_today') }, refused('made_up_today')],
    ['words', { body: fail('Something <b>canary</b>') }, refused('http_200')],
    [
      'another place',
      { status: 302, headers: { location: 'http://canary.example' }, body: '' },
      refused('http_302'),
    ],
  ])('of %s', async (_, reply, expected) => {
    replies = [reply];
    expect(await bot().post(PAYLOAD, IN_CHANNEL)).toEqual(expected);
    expect(requests).toHaveLength(1);
  });
});

describe('the token', () => {
  test('that is rotated is used at once', async () => {
    secrets = [TOKEN, NEW_TOKEN];
    replies = [{ body: fail('token_revoked') }, { body: { ok: true, ts: '7.1' } }];
    expect(await bot().post(PAYLOAD, IN_CHANNEL)).toMatchObject({ outcome: 'taken' });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${TOKEN}`,
      `Bearer ${NEW_TOKEN}`,
    ]);
    expect(reads).toEqual([false, true]);
  });

  test('that is not valid and not replaced is refused after one request', async () => {
    replies = [{ body: fail('invalid_auth') }];
    expect(await bot().post(PAYLOAD, IN_CHANNEL)).toEqual(refused('invalid_auth'));
    expect(requests).toHaveLength(1);
  });

  test.each([
    [TOKEN, TOKEN],
    [` ${TOKEN}\n`, TOKEN],
    ['xoxe.xoxb-1-rotated-canary', 'xoxe.xoxb-1-rotated-canary'],
    [JSON.stringify({ token: TOKEN }), TOKEN],
  ])('%j is one', (text, token) => {
    expect(parseBotToken(text, 's')).toBe(token);
  });

  test('with an unknown member beside it is refused by the name of that', () => {
    const parse = () => parseBotToken(JSON.stringify({ token: TOKEN, Channel: 'canary' }), 's');
    expect(parse).toThrow(
      'the secret "s" has an unknown member "Channel"; remove it, or rename it to one of token; put the "Bot User OAuth Token"',
    );
    expect(parse).not.toThrow('canary');
  });

  test.each([
    '',
    'canary',
    'xoxp-1111-canary',
    'xoxb-',
    'https://hooks.slack.com/services/canary',
    '{"token": 7}',
    `${TOKEN}\r\nX: canary`,
  ])('%j is none, and the error says so without it', async (text) => {
    secrets = [text];
    const error = await bot()
      .post(PAYLOAD, IN_CHANNEL)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotifierError);
    expect(error).toMatchObject({
      code: 'secret_invalid',
      message:
        'the secret "slack/payroll" holds no token of a Slack bot; put the "Bot User OAuth Token" (xoxb-...) of the app into it, or {"token": ...} with it',
    });
    expect(String((error as Error).stack)).not.toContain('canary');
    expect(requests).toEqual([]);
  });
});

test('without an address for this machine Slack is asked, and no other host', async () => {
  const asked: string[] = [];
  const answer = async ({ url }: globalThis.Request) => {
    asked.push(url);
    return new Response('{"ok":true,"ts":"7.1"}');
  };
  const client = createFetchClient(answer, () => NOW);
  const { post } = createSlackBot({ ...options(), apiUrl: undefined, client });
  await post(PAYLOAD, IN_CHANNEL);
  expect(asked).toEqual(['https://slack.com/api/chat.postMessage']);
});

function bot() {
  return createSlackBot(options());
}

function options(): SlackBotOptions {
  const allow = { http: true, privateAddresses: true };
  return {
    apiUrl,
    secretName: 'slack/payroll',
    channelId: 'C0123456789',
    client: createWebhookClient({ timeoutMs: 15_000, allow, now: () => NOW, maxAnswerBytes: 200_000 }),
    readSecret: async ({ fresh }) => {
      const secret = secrets[Math.min(reads.length, secrets.length - 1)] ?? '';
      reads.push(fresh);
      return secret;
    },
  };
}

function fail(error: string) {
  return { ok: false, error };
}

function limited(error: string): Reply {
  return { status: 429, headers: { 'retry-after': '30' }, body: fail(error) };
}

function later(reason: string) {
  return { outcome: 'later', afterMs: null, reason };
}

function refused(reason: string) {
  return { outcome: 'refused', reason };
}
