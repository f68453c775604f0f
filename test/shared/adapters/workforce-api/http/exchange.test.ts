import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createExchange, type ExchangeOptions } from '#shared/adapters/workforce-api/http/exchange.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');
const TOKEN = 'canary-token-5f1d0b';

test('a request is sent as JSON is asked for, with its token, and follows no redirect', async () => {
  const { requests } = await exchangeWith(() => new Response('[]'));

  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ method: 'GET', url: 'https://acme.example/list', redirect: 'manual' });
  expect(Object.fromEntries(requests[0]?.headers ?? [])).toEqual({
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': USER_AGENT,
    authorization: `Bearer ${TOKEN}`,
  });
});

test.each([408, 413, 429, 500, 502, 503, 504])(
  'a request answered with %i is sent once: whether to repeat it is the decision of the rate limiter',
  async (status) => {
    const { result, requests } = await exchangeWith(
      () => new Response('busy', { status, headers: { 'retry-after': '0' } }),
    );

    expect(requests).toHaveLength(1);
    expect(result).toMatchObject({ outcome: 'failed', error: { status }, quota: { retryAfterMs: 0 } });
  },
);

test('a request that breaks is sent once, too', async () => {
  const { result, requests } = await exchangeWith(() => Promise.reject(new TypeError('fetch failed')));

  expect(requests).toHaveLength(1);
  expect(result).toMatchObject({ error: { code: 'source_unreachable' }, timedOut: false });
});

describe('when the time is over', () => {
  const answerNothing = () => new Promise<Response>(() => {});

  test('the request is aborted, and the failure says so without the token', async () => {
    const { result, requests } = await exchangeWith(answerNothing, { timeoutMs: 50 });

    expect(result).toMatchObject({ error: { code: 'source_unreachable', retryable: true }, timedOut: true });
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(inspect(result, { depth: 20, showHidden: true })).not.toContain(TOKEN);
  });

  test('of the poll before that of the request, it is the end too', async () => {
    const { result } = await exchangeWith(answerNothing, { deadline: NOW + 50 });

    expect(result).toMatchObject({ timedOut: true, error: { message: expect.stringContaining('50 ms') } });
  });

  test('before the request, nothing is sent', async () => {
    const { result, requests } = await exchangeWith(answerNothing, { deadline: NOW - 1 });

    expect(result).toMatchObject({ error: { code: 'source_unreachable' }, timedOut: true });
    expect(requests).toEqual([]);
  });

  test.each([
    [200, 'source_unreachable', true],
    [403, 'source_forbidden', undefined],
  ])('in the middle of a body with status %i, it is %s', async (status, code, timedOut) => {
    const { result } = await exchangeWith(() => new Response(new ReadableStream(), { status }), {
      timeoutMs: 50,
    });

    expect(result).toMatchObject({ error: { code } });
    expect((result as { timedOut?: boolean }).timedOut).toBe(timedOut);
  });
});

test('a token that no header can hold is in nothing that fails', async () => {
  const { result } = await exchangeWith(() => new Response('[]'), { token: `a\n${TOKEN}` });

  expect(result).toMatchObject({ error: { code: 'source_unreachable' } });
  expect(inspect(result, { depth: 20, showHidden: true })).not.toContain(TOKEN);
});

interface Setting extends Partial<ExchangeOptions> {
  readonly token?: string;
  readonly deadline?: number;
}

/** Sends one request. */
async function exchangeWith(
  respond: () => Response | Promise<Response>,
  { token = TOKEN, deadline = NOW + 60_000, ...options }: Setting = {},
) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(input instanceof Request ? input : new Request(input, init));
    return respond();
  };
  const exchange = createExchange({
    timeoutMs: 1_000,
    maxResponseBytes: 100_000,
    now: () => NOW,
    fetch,
    ...options,
  });
  const url = 'https://acme.example/list';
  const result = await exchange({
    url: new URL(url),
    asked: { purpose: 'read', place: url, secretName: 'acme/token', secrets: [token] },
    headers: { authorization: `Bearer ${token}` },
    deadline,
  });
  return { result, requests };
}
