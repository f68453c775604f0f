import { describe, expect, test } from 'vitest';
import { createCredential } from '#shared/adapters/credential/credential.ts';
import { createTokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import { SourceError } from '#shared/core/errors.ts';
import { catchError, createFakeSource, json, status } from './fake-source.ts';

const FORM = {
  grant_type: 'client_credentials',
  client_id: 'night client',
  client_secret: 'canary-s3cret',
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
    expect(await requests[0]?.text()).toBe(
      'grant_type=client_credentials&client_id=night+client&client_secret=canary-s3cret',
    );
  });

  test.each([400, 401, 403, 404])('%i means that the client is refused', async (code) => {
    const { error } = await request(() => status(code, 'canary-s3cret is wrong'), '/oauth/token');

    expect(error).toMatchObject({
      code: 'source_unauthorised',
      status: code,
      message: `the source gave no token (${code}) at https://acme.example/base/oauth/token; check clientId, clientSecret and tokenPath in the secret "acme/token"`,
      said: '[masked] is wrong',
    });
  });

  test.each([
    [429, 'source_throttled'],
    [500, 'source_failed'],
    [503, 'source_failed'],
    [302, 'source_redirected'],
  ])('%i is %s', async (code, expected) => {
    expect((await request(() => status(code), '/oauth/token')).error).toMatchObject({ code: expected });
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

    expect(await catchError(silent('/oauth/token', FORM))).toMatchObject({ code: 'source_unreachable' });
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
  const credential = createCredential({
    secretName: 'acme/token',
    readSecret: async () => '{"clientId":"a","clientSecret":"b"}',
    requestToken: createTokenRequest({
      ...OPTIONS,
      baseUrl: 'https://acme.example',
      fetch: fetchOf(respond),
    }),
    now: () => 0,
  });
  const { api, time } = createFakeSource(respond, { credential });

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
  requests: { pageSize: 2, timeoutMs: 1_000, maxResponseBytes: 1_000, maxPerSecond: 20 },
  now: () => 0,
  deadline: () => 60_000,
};

function fetchOf(respond: (request: Request) => Response | Promise<Response>): typeof globalThis.fetch {
  return async (input, init) => respond(new Request(input, init));
}

async function request(respond: (request: Request) => Response, path: string) {
  const requests: Request[] = [];
  const ask = createTokenRequest({
    ...OPTIONS,
    baseUrl: 'https://acme.example/base/api/v1',
    fetch: fetchOf((incoming) => {
      requests.push(incoming);
      return respond(incoming);
    }),
  });
  const result = await ask(path, FORM).then(
    (value) => ({ value, error: null }),
    (error: unknown) => ({ value: null, error }),
  );
  return { ...result, requests };
}
