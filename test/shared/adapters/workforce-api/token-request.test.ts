import { describe, expect, test } from 'vitest';
import { createCredential } from '#shared/adapters/credential/credential.ts';
import type { Try } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { createTokenRequest, type TokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import { SourceError } from '#shared/core/errors.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import { type CredentialParts, catchError, createFakeSource, json, status } from './fake-source.ts';

const CLIENT = {
  form: {
    grant_type: 'client_credentials',
    client_id: 'night client',
    client_secret: 'canary-s3cret',
  },
  headers: {},
  secrets: ['canary-s3cret', 'Y2FuYXJ5'],
};

describe('a request for a token', () => {
  test('posts the form beside the API, without a token', async () => {
    const { value, requests } = await request(() => json({ access_token: 'abc' }), '/oauth/token');

    expect(value).toEqual({ access_token: 'abc' });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://acme.example/base/oauth/token',
    ]);
    expect(requests[0]?.headers.get('content-type')).toContain('application/x-www-form-urlencoded');
    expect(requests[0]?.headers.get('authorization')).toBe(null);
    expect(requests[0]?.headers.get('user-agent')).toBe(USER_AGENT);
    expect(await requests[0]?.text()).toBe(
      'grant_type=client_credentials&client_id=night+client&client_secret=canary-s3cret',
    );
  });

  test('may name the client in a header', async () => {
    const headers = { authorization: 'Basic Y2FuYXJ5' };
    const byBasic = { ...CLIENT, form: { grant_type: 'client_credentials' }, headers };
    const { requests } = await request(() => json({ access_token: 'abc' }), '/oauth/token', byBasic);

    expect(requests[0]?.headers.get('authorization')).toBe('Basic Y2FuYXJ5');
    expect(await requests[0]?.text()).toBe('grant_type=client_credentials');
  });

  test.each([400, 401, 403, 404])('%i means that the client is refused', async (code) => {
    const body = JSON.stringify('canary-s3cret (Y2FuYXJ5) is wrong');
    const { error } = await request(() => status(code, body), '/oauth/token');

    expect(error).toMatchObject({
      code: 'source_unauthorised',
      status: code,
      message: `the source gave no token (${code}) at https://acme.example/base/oauth/token; check clientId, clientSecret and tokenPath in the secret "acme/token"`,
      said: '"[masked] ([masked]) is wrong"',
    });
  });

  test('that is refused with 403 without a word is blamed on both', async () => {
    const { error } = await request(() => status(403), '/oauth/token');

    expect((error as Error).message).toMatch(/check clientId, .* through a firewall or proxy between$/);
  });

  test('that a firewall refuses is not blamed on the client', async () => {
    const { error } = await request(() => status(403, '<html>403 Forbidden'), '/oauth/token');

    expect(error).toMatchObject({ code: 'source_bad_response', status: 403 });
    expect((error as Error).message).toMatch(/^a firewall or proxy between refused it \(403\)/);
    expect((error as Error).message).not.toMatch(/clientId|clientSecret/);
  });

  test.each([
    [429, 'source_throttled'],
    [500, 'source_failed'],
    [503, 'source_failed'],
    [302, 'source_redirected'],
  ])('%i is %s', async (code, expected) => {
    expect((await request(() => status(code), '/oauth/token')).error).toMatchObject({ code: expected });
  });

  test.each([
    ['429', () => status(429, '', { 'retry-after': '30' }), 30_000],
    ['500', () => status(500), 1],
  ])('is tried again after %s in its turn, like any request', async (_, refuse, afterMs) => {
    const { api, time, times } = createFakeSource(
      ({ url }, nth) => {
        if (!url.endsWith('/oauth/token')) return json('hello');
        return nth < 3 ? refuse() : json({ access_token: 'abc' });
      },
      { credential: credentialOf },
    );

    expect(await time.run(api.helloWorld())).toBe('hello');
    expect(times).toHaveLength(4);
    expect(times[2]).toBeGreaterThanOrEqual(2 * afterMs);
  });

  test('is not waited for after the deadline', async () => {
    // A request that is garbage-collected takes its signal with it.
    const held: Request[] = [];
    const silent = createTokenRequest({
      ...OPTIONS,
      baseUrl: 'https://acme.example',
      deadline: () => 20,
      fetch: (input, init) =>
        new Promise((_resolve, reject) => {
          const asked = new Request(input, init);
          held.push(asked);
          asked.signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    });

    expect(await catchError(silent('/oauth/token', CLIENT))).toMatchObject({ code: 'source_unreachable' });
  });

  test.each(['https://evil.example/token', '//evil.example/token'])(
    'the client secret does not go to %s',
    async (path) => {
      const { error, requests } = await request(() => json({}), path);

      expect(error).toMatchObject({ code: 'source_redirected' });
      expect(requests).toEqual([]);
    },
  );
});

test('client credentials, from the secret to the answer: an ended token is replaced without the poll noticing', async () => {
  let issued = 0;
  const requests: string[] = [];
  const respond = async (incoming: Request) => {
    const { pathname } = new URL(incoming.url);
    requests.push(pathname);
    if (pathname === '/oauth/token') {
      issued += 1;
      return json({ access_token: `token-${issued}`, expires_in: 3_600 });
    }
    return incoming.headers.get('authorization') === 'Bearer token-2' ? json('hello') : status(401);
  };
  const { api, time } = createFakeSource(respond, { credential: credentialOf });

  expect(await time.run(api.helloWorld())).toBe('hello');
  expect(await time.run(api.helloWorld())).toBe('hello');
  expect(requests).toEqual([
    '/oauth/token',
    '/api/v1/helloworld',
    '/oauth/token',
    '/api/v1/helloworld',
    '/api/v1/helloworld',
  ]);
  expect(api.counts()).toEqual({ requests: 3, throttled: 0 });
});

test.each([
  [500, 5],
  [503, 5],
  [429, 5],
  // In the body, and by Basic.
  [401, 2],
  [403, 1],
  // Not an answer that a token endpoint gives.
  [204, 2],
])(
  'a token endpoint that answers %i is asked %i times for all that wants a token at once',
  async (code, asked) => {
    const { api, time, requests } = createFakeSource(() => status(code), { credential: credentialOf });

    for (let poll = 1; poll <= 3; poll += 1) {
      const reads = Array.from({ length: 6 }, () => catchError(api.helloWorld()));
      expect(await time.run(Promise.all(reads))).toMatchObject(Array(6).fill({ name: 'SourceError' }));
    }
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(Array(asked).fill('/oauth/token'));
  },
);

test('a token that the source refuses is renewed once for all that used it, and its renewal fails once', async () => {
  let issued = 0;
  const paths: string[] = [];
  const { api, time } = createFakeSource(
    ({ url }) => {
      const { pathname } = new URL(url);
      paths.push(pathname);
      if (pathname !== '/oauth/token') return status(401);
      issued += 1;
      return issued === 1 ? json({ access_token: 'old' }) : status(500);
    },
    { credential: credentialOf },
  );
  for (let times = 1; times <= 4; times += 1)
    expect(await time.run(catchError(api.helloWorld()))).toMatchObject({ code: 'source_failed' });

  expect(paths.filter((path) => path === '/oauth/token')).toHaveLength(1 + 5);
  expect(paths.filter((path) => path !== '/oauth/token')).toHaveLength(1);
});

test('a token endpoint that refuses makes every operation refused', async () => {
  const refusing = async (): Promise<string> => {
    throw new SourceError('source_unauthorised', 'refused', { status: 401 });
  };
  const { api, time, requests } = createFakeSource(() => json('hello'), {
    credential: { secretName: 'acme/token', token: refusing, renew: refusing },
  });

  expect(await time.run(catchError(api.helloWorld()))).toMatchObject({ credentialRejected: true });
  expect(requests).toEqual([]);
});

const OPTIONS = {
  secretName: 'acme/token',
  bounds: { timeoutMs: 1_000, maxResponseBytes: 1_000 },
  now: () => 0,
  deadline: () => 60_000,
  /** Once, in its turn. */
  rateLimiter: {
    ask: async <T>(send: () => Promise<Try<T>>): Promise<T> => {
      const result = await send();
      if (result.outcome === 'failed') throw result.error;
      return result.answer;
    },
  },
};

/** As functions make it, beside the client. */
function credentialOf({ rateLimiter, now, fetch }: CredentialParts) {
  const deadline = () => now() + 3_600_000;
  const { bounds } = OPTIONS;
  const baseUrl = 'https://acme.example';
  const secretName = 'acme/token';
  return createCredential({
    secretName,
    readSecret: async () => '{"clientId":"a","clientSecret":"b"}',
    requestToken: createTokenRequest({ baseUrl, secretName, bounds, rateLimiter, now, deadline, fetch }),
    now,
  });
}

function fetchOf(respond: (request: Request) => Response): typeof globalThis.fetch {
  return async (input, init) => respond(new Request(input, init));
}

type TokenForm = Parameters<TokenRequest>[1];

async function request(respond: (request: Request) => Response, path: string, client: TokenForm = CLIENT) {
  const requests: Request[] = [];
  const ask = createTokenRequest({
    ...OPTIONS,
    baseUrl: 'https://acme.example/base/api/v1',
    fetch: fetchOf((incoming) => {
      requests.push(incoming);
      return respond(incoming);
    }),
  });
  const result = await ask(path, client).then(
    (value) => ({ value, error: null }),
    (error: unknown) => ({ value: null, error }),
  );
  return { ...result, requests };
}
