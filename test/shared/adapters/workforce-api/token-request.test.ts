import { describe, expect, test } from 'vitest';
import { createCredential } from '#shared/adapters/credential/credential.ts';
import { createTokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import { type CredentialParts, createFakeSource, json, type Respond, status } from './fake-source.ts';

const TOKEN_PATH = '/oauth/token';

describe('a request for a token', () => {
  test('posts the form beside the API, without a token', async () => {
    const { requests, bodies } = await read(() => json({ access_token: 'abc' }), {
      baseUrl: 'https://acme.example/base/api/v1',
    });
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
      code: 'source_unauthorised',
      status: code,
      message: `the source gave no token (${code}) at https://acme.example/oauth/token; check clientId, clientSecret and tokenPath in the secret "acme/token"`,
      said: '"[masked] is wrong"',
    });
  });

  test.each([
    ['429', () => status(429, '', { 'retry-after': '30' }), 30_000],
    ['500', () => status(500), 1],
  ])('is tried again after %s in its turn, like any request', async (_, refuse, afterMs) => {
    const { error, times } = await read((_request, nth) =>
      nth < 3 ? refuse() : json({ access_token: 'abc' }),
    );

    expect(error).toBeNull();
    expect(times).toHaveLength(4);
    expect(times[2]).toBeGreaterThanOrEqual(2 * afterMs);
  });

  test.each(['https://evil.example/token', '//evil.example/token'])(
    'the client secret does not go to %s',
    async (tokenPath) => {
      const { error, requests } = await read(() => json({}), { tokenPath });

      expect(error).toMatchObject({ code: 'source_redirected' });
      expect(requests).toEqual([]);
    },
  );
});

test('an ended token is replaced without the poll noticing', async () => {
  let issued = 0;
  const { answers, paths, counts } = await read(
    ({ url, headers }) => {
      if (!url.endsWith(TOKEN_PATH))
        return headers.get('authorization') === 'Bearer token-2' ? json('hello') : status(401);
      issued += 1;
      return json({ access_token: `token-${issued}`, expires_in: 3_600 });
    },
    { polls: 2 },
  );

  expect(answers).toEqual(['hello', 'hello']);
  const greeting = '/api/v1/helloworld';
  expect(paths).toEqual([TOKEN_PATH, greeting, TOKEN_PATH, greeting, greeting]);
  // Of the second poll.
  expect(counts).toEqual({ requests: 1, throttled: 0 });
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
  ])('with %i is asked %i times in a poll, whatever wants a token', async (code, asked) => {
    const { paths } = await read(() => status(code), { reads: 6, rounds: 3 });
    expect(paths).toEqual(Array(asked).fill(TOKEN_PATH));
  });

  test('is asked again by the next poll', async () => {
    const { paths } = await read(() => status(403), { reads: 6, polls: 3 });
    expect(paths).toEqual(Array(3).fill(TOKEN_PATH));
  });

  test('when a refused token is to be renewed is asked once for all that used it', async () => {
    let issued = 0;
    const { error, paths } = await read(
      ({ url }) => {
        if (!url.endsWith(TOKEN_PATH)) return status(401);
        issued += 1;
        return issued === 1 ? json({ access_token: 'old' }) : status(403);
      },
      { reads: 4, rounds: 3 },
    );

    expect(error).toMatchObject({ code: 'source_unauthorised' });
    expect(paths.filter((path) => path === TOKEN_PATH)).toHaveLength(2);
    expect(paths.filter((path) => path !== TOKEN_PATH)).toHaveLength(4);
  });
});

interface Reading {
  readonly baseUrl?: string | undefined;
  readonly tokenPath?: string | undefined;
  readonly polls?: number;
  /** Times in a poll that so many greetings are asked for at once. */
  readonly rounds?: number;
  readonly reads?: number;
}

/** Greetings of a source that wants client credentials: 200 to all but requests for a token, unless it says otherwise. */
async function read(
  respond: Respond,
  { polls = 1, rounds = 1, reads = 1, tokenPath, baseUrl }: Reading = {},
) {
  const bodies: string[] = [];
  const fake = createFakeSource(
    async (request, nth) => {
      bodies.push(await request.clone().text());
      const answer = await respond(request, nth);
      const isGood = answer.ok && !request.url.endsWith(TOKEN_PATH);
      return isGood ? json('hello') : answer;
    },
    {
      ...(baseUrl === undefined ? {} : { baseUrl }),
      credential: (parts) => openCredential(parts, { tokenPath, baseUrl }),
    },
  );
  const { open, time, requests, times } = fake;
  const answers: unknown[] = [];
  let error: unknown = null;
  let client = fake.client;
  for (let round = 0; round < polls * rounds; round += 1) {
    if (round % rounds === 0) client = open();
    const asked = Array.from({ length: reads }, () => client.read({ path: '/helloworld' }));
    for (const result of await time.run(Promise.allSettled(asked)))
      if (result.status === 'fulfilled') answers.push(result.value.value);
      else error = result.reason;
  }
  const paths = requests.map(({ url }) => new URL(url).pathname);
  return { answers, error, paths, requests, bodies, times, counts: client.counts() };
}

/** As functions make it, beside the client. */
function openCredential(
  { queue, now, fetch }: CredentialParts,
  { tokenPath, baseUrl = 'https://acme.example' }: Pick<Reading, 'tokenPath' | 'baseUrl'>,
) {
  const deadline = () => now() + 3_600_000;
  const secretName = 'acme/token';
  const secret = JSON.stringify({ clientId: 'night client', clientSecret: 'canary-s3cret', tokenPath });
  return createCredential({
    secretName,
    readSecret: async () => secret,
    requestToken: createTokenRequest({ baseUrl, secretName, queue, now, deadline, fetch }),
    now,
  });
}
