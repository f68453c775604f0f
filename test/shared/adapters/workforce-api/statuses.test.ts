import { inspect } from 'node:util';
import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, test, vi } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import { catchError, createFakeSource, json, type Respond, status, TOKEN } from './fake-source.ts';

const CANARIES = new RegExp(`Jane Doe|${TOKEN}`);
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl';

test('a request asks for JSON, says who asks, and follows no redirect', async () => {
  const { api, time, requests } = createFakeSource(() => json('hello'));

  expect(await time.run(api.helloWorld())).toBe('hello');
  expect(requests.map(({ method, url, redirect }) => ({ method, url, redirect }))).toEqual([
    { method: 'GET', url: 'https://acme.example/api/v1/helloworld', redirect: 'manual' },
  ]);
  expect(Object.fromEntries(requests[0]?.headers ?? [])).toEqual({
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': USER_AGENT,
    authorization: `Bearer ${TOKEN}`,
  });
});

describe('a status', () => {
  test.each([
    ...[201, 204, 304].map((code) => [code, 'source_bad_response', 2] as const),
    ...[301, 302, 307].map((code) => [code, 'source_redirected', 1] as const),
    ...[400, 405, 413, 422].map((code) => [code, 'source_bad_request', 1] as const),
    [401, 'source_unauthorised', 1] as const,
    [403, 'source_forbidden', 1] as const,
    [404, 'source_not_found', 1] as const,
    [407, 'source_bad_response', 1] as const,
    [409, 'source_conflict', 2] as const,
    [429, 'source_throttled', 3] as const,
    ...[408, 500, 502, 503, 504].map((code) => [code, 'source_failed', 3] as const),
  ])('%i is %s after %i requests in all', async (code, expected, asked) => {
    const { error, requests } = await failing(() => status(code));

    expect(error).toBeInstanceOf(SourceError);
    // What may pass is tried again, here and in the next poll.
    expect(error).toMatchObject({ code: expected, status: code, retryable: asked > 1 });
    expect(error.message).toMatch(
      /^[a-z].* (?:at|from) https:\/\/acme\.example\/api\/v1\/timesheets; .*[^.]$/,
    );
    expect(requests).toHaveLength(asked);
  });

  test.each([408, 409, 429, 500, 503])('%i once is mended by asking again', async (code) => {
    const { api, time } = createFakeSource((_request, nth) => (nth === 1 ? status(code) : json('hello')));

    expect(await time.run(api.helloWorld())).toBe('hello');
  });

  test('a network that fails is tried again, and then the source is unreachable', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const { error, requests } = await failing(() => {
      throw new TypeError('fetch failed', { cause });
    });

    expect(error).toMatchObject({ code: 'source_unreachable', status: null, retryable: true });
    expect(error.message).toContain('(ECONNREFUSED)');
    expect(requests).toHaveLength(3);
  });

  test('a failing source does not get several times the requests of a healthy one', async () => {
    const { api, time, requests } = createFakeSource(() => status(500));
    for (let nth = 0; nth < 50; nth += 1) await time.run(catchError(api.helloWorld()));

    // 50 requests, 10 retries at first, and one for five requests.
    expect(requests.length).toBeLessThanOrEqual(50 + 10 + 10);
  });
});

describe('a rejected token', () => {
  test.each([
    ['is renewed once, and the request repeated once', 'new-token', 200],
    ['stays rejected when the new one is rejected too', 'new-token', 401],
    ['is not sent again when there is no other', 'old-token', 401],
  ])('%s', async (_what, renewed, code) => {
    const { api, time, requests } = createFakeSource(
      (request) => (bearer(request) === 'old-token' || code === 401 ? status(401) : json('hello')),
      { credential: { secretName: 'a', token: async () => 'old-token', renew: async () => renewed } },
    );
    const result = await time.run(api.helloWorld().catch((error: unknown) => error));

    if (code === 200) expect(result).toBe('hello');
    else expect(result).toMatchObject({ code: 'source_unauthorised', status: 401, credentialRejected: true });
    expect(requests.map(bearer)).toEqual([...new Set(['old-token', renewed])]);
  });
});

describe('messages', () => {
  test('say what, where and how to mend it', async () => {
    expect((await failing(() => status(401))).error.message).toBe(
      'the source refused the token (401) at https://acme.example/api/v1/timesheets; put a valid token into the secret "acme/token"',
    );
    const { error } = await failing(() => status(503, 'down for\r\nthe night'));
    expect(error.message).toBe(
      'the source failed (503) at https://acme.example/api/v1/timesheets; ask who runs it if this lasts',
    );
    expect(error.said).toBe('down for the night');
  });

  test.each([
    [403, '<html><h1>403 Forbidden</h1></html>', true],
    [403, '\ufeff\r\n<!DOCTYPE html>', true],
    [403, 'Request blocked. Reference #18.2d3c', true],
    [407, '{}', true],
    [403, '{"title":"Forbidden"}', false],
    [403, ' ["no"]', false],
    [403, '', false],
  ])('a %i with %j is blamed on the firewall: %s', async (code, body, isFirewall) => {
    const { error } = await failing(() => status(code, body));

    expect(error.code).toBe(isFirewall ? 'source_bad_response' : 'source_forbidden');
    if (!isFirewall) expect(error.message).toContain('let the credential in the secret "acme/token" read it');
    else expect(error.message).toMatch(/^a firewall or proxy .* let requests of workforce-change-notifier/);
  });

  test.each([
    ['our token', `token was ${TOKEN}`],
    ['our token at the edge of the excerpt', `${'x'.repeat(495)} ${TOKEN}`],
    ['a bearer token', 'Authorization: Bearer canary.of-somebody'],
    ['a JWT', `who is ${JWT}?`],
    ['a part of a JWT', `${'x '.repeat(100)}eyJhbGciOi.eyJzdWI`],
    ['a JWT as JSON', JSON.stringify({ access_token: 'canary', seen: JWT })],
    ['a client secret', 'client_secret=canary&grant_type=client_credentials'],
    ['an api key', '{"x-api-key": "canary"}'],
    ['a secret after another name', 'error: x-auth-token: canary'],
  ])('mask %s that the source repeats', async (_what, body) => {
    for (const code of [400, 401, 500])
      expect((await failing(() => status(code, body))).error.said).not.toMatch(/canary|eyJ/);
  });

  test('keep at most 500 characters of what the source said, in one line', async () => {
    const { error } = await failing(() => status(500, 'A\n\u001b[31m\u2028'.repeat(100_000)));

    expect(error.said?.length).toBeGreaterThan(400);
    expect(error.said?.length).toBeLessThanOrEqual(500);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(error.said).not.toMatch(/[\u0000-\u001f\u2028]/);
  });

  test('what the source says is in nothing that a logger prints, nor is the token', async () => {
    const parserError = Object.assign(new Error('Response does not match'), {
      ...{ code: 'HPE_INVALID_CONSTANT', data: 'Jane Doe, 12 Elm St' },
    });
    const said = '{"error":"no timesheet of Jane Doe, 12 Elm St"}';
    const responses: Respond[] = [
      ...[400, 401, 403, 404, 409, 429, 500].map((code) => () => status(code, said)),
      () => Promise.reject(new TypeError('fetch failed', { cause: parserError })),
    ];
    for (const respond of responses) {
      const { error } = await failing(respond);
      if (error.status !== null) expect(error.said).toContain('Jane Doe');
      for (const printed of printedForms(error)) expect(printed).not.toMatch(CANARIES);
    }
  });

  test('a token that no header can hold is in nothing that fails', async () => {
    const token = async () => `a\n${TOKEN}`;
    const { api, time } = createFakeSource(() => json('hello'), {
      credential: { secretName: 'a', token, renew: token },
    });
    const error = await time.run(catchError(api.helloWorld()));

    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
  });
});

async function failing(respond: Respond) {
  const { api, time, requests } = createFakeSource(respond);
  const error = await time.run(catchError(api.listTimesheets({ dateFrom: '2026-03-01' })));
  return { error: error as SourceError, requests };
}

/** An error as programs, consoles and the logger of the functions print it. */
function printedForms(error: SourceError): string[] {
  const lines: string[] = [];
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const spy = vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)));
  new Logger().error('failed', error);
  spy.mockRestore();
  vi.unstubAllEnvs();
  expect(lines).toHaveLength(1);
  const all = { depth: 20, showHidden: true };
  return [...lines, JSON.stringify(error), String(error), inspect(error, all), String(error.stack)];
}

function bearer(request: Request): string | undefined {
  return request.headers.get('authorization')?.replace('Bearer ', '');
}
