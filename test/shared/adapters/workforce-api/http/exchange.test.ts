import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createExchange, type ExchangeOptions } from '#shared/adapters/workforce-api/http/exchange.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');
const TOKEN = 'canary-token-5f1d0b';

test('a request is sent as JSON is asked for, with its token, and follows no redirect', async () => {
  const { requests } = await exchangeWith(() => new Response('[]'));

  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ method: 'GET', url: 'https://acme.example/list', redirect: 'manual' });
  expect(Object.fromEntries(requests[0]?.headers ?? [])).toEqual({
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
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
    const { result, requests } = await exchangeWith(answerNothing, { timeoutMs: 10 });

    expect(result).toMatchObject({ error: { code: 'source_unreachable', retryable: true }, timedOut: true });
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(inspect(result, { depth: 20, showHidden: true })).not.toContain(TOKEN);
  });

  test('of the poll before that of the request, it is the end too', async () => {
    const { result } = await exchangeWith(answerNothing, { deadline: NOW + 10 });

    expect(result).toMatchObject({ timedOut: true, error: { message: expect.stringContaining('10 ms') } });
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
    const { result } = await exchangeWith(null, { timeoutMs: 50, url: await startDripping(status) });

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
  readonly url?: string;
  readonly token?: string;
  readonly deadline?: number;
}

/** Sends one request, to the given source or to an address. */
async function exchangeWith(
  respond: (() => Response | Promise<Response>) | null,
  { url = 'https://acme.example/list', token = TOKEN, deadline = NOW + 60_000, ...options }: Setting = {},
) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(input instanceof Request ? input : new Request(input, init));
    return (respond ?? Response.error)();
  };
  const exchange = createExchange({
    timeoutMs: 1_000,
    maxResponseBytes: 100_000,
    now: () => NOW,
    ...(respond === null ? {} : { fetch }),
    ...options,
  });
  const result = await exchange({
    url: new URL(url),
    asked: { purpose: 'read', place: url, secretName: 'acme/token', secrets: [token] },
    headers: { authorization: `Bearer ${token}` },
    deadline,
  });
  return { result, requests };
}

/** A source whose answers begin and never end. */
async function startDripping(status: number): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status);
    const drip = setInterval(() => response.write(' '), 5);
    response.once('close', () => clearInterval(drip));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
}
