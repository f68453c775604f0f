import { describe, expect, test } from 'vitest';
import { createCredential } from '#shared/adapters/credential/credential.ts';
import { createTokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import type { SourceError } from '#shared/core/errors.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import { createFakeSource, json, type Respond, status } from './fake-source.ts';

const TOKEN_PATH = '/oauth/token';
const TOKEN = () => json({ access_token: 'abc' });

describe('a request for a token', () => {
  test('posts the form beside the API, without a token', async () => {
    const { requests, bodies } = await read(TOKEN, { baseUrl: 'https://acme.example/base/api/v1' });
    const [asked] = requests;
    expect(`${asked?.method} ${asked?.url}`).toBe('POST https://acme.example/base/oauth/token');
    expect(asked?.headers.get('content-type')).toContain('application/x-www-form-urlencoded');
    expect(asked?.headers.get('authorization')).toBe(null);
    expect(asked?.headers.get('user-agent')).toBe(USER_AGENT);
    expect(bodies[0]).toBe(
      'grant_type=client_credentials&client_id=night+client&client_secret=canary-s3cret',
    );
  });

  test.each([400, 401, 403, 404])('%i means that the client is refused', async (code) => {
    const { error } = await read(() => status(code, JSON.stringify('canary-s3cret is wrong')));
    expect(error).toMatchObject({
      ...{ code: 'source_unauthorised', status: code, said: '"[masked] is wrong"' },
      message: `the source gave no token (${code}) at https://acme.example/oauth/token; check clientId, clientSecret and tokenPath in the secret "acme/token"`,
    });
  });

  test.each([
    ['429', () => status(429, '', { 'retry-after': '30' }), 30_000],
    ['500', () => status(500), 1],
  ])('is tried again after %s in its turn, like any request', async (_, refuse, afterMs) => {
    const { error, times } = await read((_request, nth) => (nth < 3 ? refuse() : TOKEN()));
    expect([error, times.length]).toEqual([null, 4]);
    expect(times[2]).toBeGreaterThanOrEqual(2 * afterMs);
  });

  test.each(['https://evil.example/token', '//evil.example/token'])(
    'does not take the client secret to %s',
    async (tokenPath) => {
      const { error, requests } = await read(TOKEN, { tokenPath });
      expect(error).toMatchObject({ code: 'source_redirected' });
      expect(requests).toEqual([]);
    },
  );
});

test('an ended token is replaced without the poll noticing', async () => {
  let issued = 0;
  const { error, paths, counts } = await read(({ url, headers }) => {
    if (!url.endsWith(TOKEN_PATH))
      return headers.get('authorization') === 'Bearer token-2' ? json('hello') : status(401);
    issued += 1;
    return json({ access_token: `token-${issued}`, expires_in: 3_600 });
  });
  const greeting = '/api/v1/helloworld';
  expect([error, paths]).toEqual([null, [TOKEN_PATH, greeting, TOKEN_PATH, greeting]]);
  expect(counts).toEqual({ requests: 2, throttled: 0 });
});

describe('a token endpoint that fails', () => {
  test.each([
    [500, 3],
    [503, 3],
    [429, 3],
    // In the body, and by Basic.
    [401, 2],
    [403, 1],
    // Not an answer that a token endpoint gives.
    [204, 2],
  ])(
    'with %i is asked %i times in a poll, whatever wants a token, and again in the next',
    async (code, asked) => {
      const { paths } = await read(() => status(code), { reads: 6, polls: 2 });
      expect(paths).toEqual(Array(2 * asked).fill(TOKEN_PATH));
    },
  );

  test('when a refused token is to be renewed is asked once for all that used it', async () => {
    let issued = 0;
    const { error, paths } = await read(
      ({ url }) => {
        if (!url.endsWith(TOKEN_PATH)) return status(401);
        issued += 1;
        return issued === 1 ? TOKEN() : status(403);
      },
      { reads: 4 },
    );
    expect(error).toMatchObject({ code: 'source_unauthorised' });
    expect(paths.filter((path) => path === TOKEN_PATH)).toHaveLength(2);
    expect(paths.filter((path) => path !== TOKEN_PATH)).toHaveLength(4);
  });
});

interface Reading {
  readonly baseUrl?: string;
  readonly tokenPath?: string;
  readonly polls?: number;
  /** Greetings that a poll asks for at once, three times. */
  readonly reads?: number;
}

/** Greetings of a source that wants client credentials: 200 to all but requests for a token, unless it says otherwise. */
async function read(respond: Respond, { polls = 1, reads = 1, tokenPath, baseUrl }: Reading = {}) {
  const bodies: string[] = [];
  const place = { baseUrl: baseUrl ?? 'https://acme.example' };
  const secretName = 'acme/token';
  const secret = JSON.stringify({ clientId: 'night client', clientSecret: 'canary-s3cret', tokenPath });
  const fake = createFakeSource(
    async (request, nth) => {
      bodies.push(await request.clone().text());
      const answer = await respond(request, nth);
      return answer.ok && !request.url.endsWith(TOKEN_PATH) ? json('hello') : answer;
    },
    {
      ...place,
      credential: ({ queue, now, fetch }) => {
        const deadline = () => now() + 3_600_000;
        const requestToken = createTokenRequest({ ...place, secretName, queue, now, deadline, fetch });
        return createCredential({ secretName, readSecret: async () => secret, requestToken, now });
      },
    },
  );
  let error: SourceError | null = null;
  let client = fake.client;
  for (let poll = 0; poll < polls; poll += 1) {
    client = fake.open();
    for (let round = 0; round < (reads === 1 ? 1 : 3); round += 1) {
      const asked = Array.from({ length: reads }, () => client.read({ path: '/helloworld' }));
      for (const result of await fake.time.run(Promise.allSettled(asked)))
        if (result.status === 'rejected') error = result.reason;
    }
  }
  const { requests, times } = fake;
  const paths = requests.map(({ url }) => new URL(url).pathname);
  return { error, paths, requests, bodies, times, counts: client.counts() };
}
