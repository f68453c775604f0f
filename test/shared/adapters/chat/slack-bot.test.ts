import { describe, expect, test } from 'vitest';
import { parseBotToken } from '#shared/adapters/chat/secret-text.ts';
import { createSlackBot } from '#shared/adapters/chat/slack-bot.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { message } from '#test/shared/people/sample-message.ts';
import { answer, createChatSide, later, refused } from './chat-side.ts';

const TOKEN = 'xoxb-1111-canary';
const NEW_TOKEN = 'xoxb-2222-canary';
const PAYLOAD = buildSlackPayload(message());
const IN_CHANNEL = null;

describe('a post', () => {
  test('has the token in a header, and the message with its channel as JSON', async () => {
    const { requests, post } = bot([posted({ message: { text: 'x' } })]);
    expect(await post(IN_CHANNEL)).toEqual({ outcome: 'taken', ts: '7.2', threadTs: null });
    const [request] = requests;
    expect(request?.url).toBe('https://slack.com/api/chat.postMessage');
    expect(request?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
    expect(request?.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await request?.json()).toEqual({ ...PAYLOAD, channel: 'C0123456789' });
  });

  test('in a thread is shown in the channel as well', async () => {
    const { requests, post } = bot([posted({ message: { thread_ts: '7.1' } })]);
    expect(await post('7.1')).toEqual({ outcome: 'taken', ts: '7.2', threadTs: '7.1' });
    expect(await requests[0]?.json()).toMatchObject({ thread_ts: '7.1', reply_broadcast: true });
  });

  test.each([{}, { message: { thread_ts: '7.2' } }])('to a deleted thread says so: %j', async (more) => {
    const { post } = bot([posted(more)]);
    expect(await post('7.1')).toEqual({ outcome: 'taken', ts: '7.2', threadTs: null });
  });
});

describe('an answer', () => {
  const limit = { 'retry-after': '30' };
  test.each<[string, Response | Error, object]>([
    ['a limit', answer(429, fail('ratelimited'), limit), later('ratelimited', 30_000)],
    ['a limit in another spelling', answer(429, fail('rate_limited'), limit), later('rate_limited', 30_000)],
    ['a limit with 200', answer(200, fail('ratelimited')), later('ratelimited')],
    ['a limit without a known code', answer(429, fail('made_up_today')), later('made_up_today')],
    ['a fault', answer(200, fail('internal_error')), later('internal_error')],
    ['a fault with 500', answer(500, fail('made_up_today')), later('made_up_today')],
    ['a page with 503', answer(503, '<html>canary'), later('http_503')],
    ['a page with 200', answer(200, '<html>canary'), later('answer_unexpected')],
    ['nothing', new Error('reset'), later('connection_failed')],
    ['no channel', answer(200, fail('channel_not_found')), refused('channel_not_found')],
    ['an error not heard of', answer(200, fail('made_up_today')), refused('made_up_today')],
    ['words', answer(200, fail('Something <b>canary</b>')), refused('http_200')],
    ['another place', answer(302, '', { location: 'http://canary.example' }), refused('http_302')],
  ])('of %s', async (_, reply, expected) => {
    const { requests, post } = bot([reply]);
    expect(await post(IN_CHANNEL)).toEqual(expected);
    expect(requests).toHaveLength(1);
  });
});

describe('the token', () => {
  test('that is rotated is used at once', async () => {
    const { requests, reads, post } = bot([answer(200, fail('token_revoked')), posted()], [TOKEN, NEW_TOKEN]);
    expect(await post(IN_CHANNEL)).toMatchObject({ outcome: 'taken' });
    const sent = requests.map(({ headers }) => headers.get('authorization'));
    expect(sent).toEqual([`Bearer ${TOKEN}`, `Bearer ${NEW_TOKEN}`]);
    expect(reads).toEqual([false, true]);
  });

  test('that is not valid and not replaced is refused after one request', async () => {
    const { requests, post } = bot([answer(200, fail('invalid_auth'))]);
    expect(await post(IN_CHANNEL)).toEqual(refused('invalid_auth'));
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

  const NONE = 'holds no token of a Slack bot';
  test.each([
    ['', NONE],
    ['canary', NONE],
    ['xoxp-1111-canary', NONE],
    ['xoxb-', NONE],
    ['https://hooks.slack.com/services/canary', NONE],
    ['{"token": 7}', NONE],
    [`${TOKEN}\r\nX: canary`, NONE],
    [
      JSON.stringify({ token: TOKEN, Channel: 'canary' }),
      'has an unknown member "Channel"; remove it, or rename it to one of token',
    ],
  ])('%j is none, and the error says so without it', async (text, what) => {
    const { requests, post } = bot([], [text]);
    const error = await post(IN_CHANNEL).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'NotifierError',
      code: 'secret_invalid',
      message: `the secret "slack/payroll" ${what}; put the "Bot User OAuth Token" (xoxb-...) of the app into it, or {"token": ...} with it`,
    });
    expect(String((error as Error).stack)).not.toContain('canary');
    expect(requests).toEqual([]);
  });
});

function bot(replies: readonly (Response | Error)[], secrets: readonly string[] = [TOKEN]) {
  const { options, ...side } = createChatSide(replies, secrets);
  const { post } = createSlackBot({ ...options, channelId: 'C0123456789' });
  return { ...side, post: (threadTs: string | null) => post(PAYLOAD, threadTs) };
}

function posted(more: object = {}): Response {
  return answer(200, { ok: true, channel: 'C0123456789', ts: '7.2', ...more });
}

function fail(error: string) {
  return { ok: false, error };
}
