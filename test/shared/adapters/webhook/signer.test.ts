import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEndpointTokens } from '#shared/adapters/credential/endpoint-tokens.ts';
import { createWebhookSigner, parseWebhookSecret } from '#shared/adapters/webhook/signer.ts';
import type { OutgoingWebhookRequest, WebhookAnswer } from '#shared/systems/flow/webhook-run.ts';
import { Random } from '#test/simulation/random.ts';

const AT = Date.parse('2026-03-04T22:00:00.750Z');
const CURRENT = secretOf(1);
const PREVIOUS = secretOf(2);
const OTHER = secretOf(3);
const MESSAGES = 10_000;
const MEMBERS = 'current, previous, headers, oauth';
const NO_TOKENS = {
  tokens: {
    find: async () => {
      throw new Error('no token is wanted');
    },
  },
};

beforeEach(() => {
  vi.useFakeTimers({ now: AT, toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a signature', () => {
  test('is the one of the specification', async () => {
    const key = Buffer.from(CURRENT.slice('whsec_'.length), 'base64');
    const signed = createHmac('sha256', key).update('a1.1772661600.{"a":1}').digest('base64');

    expect(await sign(CURRENT, { id: 'a1', body: '{"a":1}' })).toEqual({
      'webhook-id': 'a1',
      'webhook-timestamp': '1772661600',
      'webhook-signature': `v1,${signed}`,
    });
  });

  test(`of ${MESSAGES} messages is verified by the library, and not of any that was tampered with`, async () => {
    const random = new Random(7);
    const library = new Webhook(CURRENT);
    const other = new Webhook(OTHER);
    let verified = 0;
    let refused = 0;
    for (let index = 0; index < MESSAGES; index += 1) {
      const message = messageOf(index, random);
      const headers = { ...(await sign(CURRENT, message)) };
      expect(library.verify(message.body, headers)).toEqual(JSON.parse(message.body));
      verified += 1;
      const attempt = tampered(index, message.body, headers);
      const receiver = index % 5 === 0 ? other : library;
      expect(() => receiver.verify(attempt.body, attempt.headers)).toThrow();
      refused += 1;
    }

    expect([verified, refused]).toEqual([MESSAGES, MESSAGES]);
  });

  test(`of ${MESSAGES} messages is what the library gives for them`, async () => {
    const random = new Random(8);
    const library = new Webhook(CURRENT);
    for (let index = 0; index < MESSAGES; index += 1) {
      const message = messageOf(index, random);
      const headers = await sign(CURRENT, message);
      expect(headers['webhook-signature']).toBe(library.sign(message.id, new Date(AT), message.body));
    }
  });

  test('is given with both secrets while they rotate, so that no receiver refuses it', async () => {
    const message = { id: 'a1', body: '{"a":1}' };
    const headers = { ...(await sign(JSON.stringify({ current: CURRENT, previous: PREVIOUS }), message)) };

    expect(headers['webhook-signature']?.split(' ')).toEqual([
      new Webhook(CURRENT).sign('a1', new Date(AT), message.body),
      new Webhook(PREVIOUS).sign('a1', new Date(AT), message.body),
    ]);
    for (const secret of [CURRENT, PREVIOUS]) {
      expect(new Webhook(secret).verify(message.body, headers)).toEqual({ a: 1 });
    }
    expect(() => new Webhook(OTHER).verify(message.body, headers)).toThrow('No matching signature found');
  });

  test.each([-301_000, 301_000])('is refused by a clock that is %i ms away', async (away) => {
    const headers = { ...(await sign(CURRENT, { id: 'a1', body: '{}' })) };
    vi.setSystemTime(AT + away);

    expect(() => new Webhook(CURRENT).verify('{}', headers)).toThrow('timestamp');
  });

  test('is made with a secret read anew when that is asked for', async () => {
    const asked: boolean[] = [];
    const signer = createWebhookSigner({
      ...NO_TOKENS,
      secretName: 'acme/hook',
      readSecret: async ({ fresh }) => {
        asked.push(fresh);
        return fresh ? PREVIOUS : CURRENT;
      },
    });
    const message = { id: 'a1', at: AT, body: '{}' };

    const [first, second] = [
      await signer.sign(message, { fresh: false }),
      await signer.sign(message, { fresh: true }),
    ];

    expect(asked).toEqual([false, true]);
    expect(first['webhook-signature']).not.toBe(second['webhook-signature']);
  });
});

describe('the text of a secret', () => {
  test.each([
    [CURRENT, [CURRENT]],
    [` ${CURRENT}\n`, [CURRENT]],
    [JSON.stringify({ current: CURRENT }), [CURRENT]],
    [JSON.stringify({ current: CURRENT, previous: null }), [CURRENT]],
    [JSON.stringify({ current: CURRENT, previous: '' }), [CURRENT]],
    [JSON.stringify({ current: CURRENT, previous: PREVIOUS }), [CURRENT, PREVIOUS]],
    [JSON.stringify({ current: CURRENT, previous: CURRENT }), [CURRENT]],
  ])('%s', (text, secrets) => {
    expect(parseWebhookSecret(text, 'acme/hook')).toEqual({ signing: secrets, headers: {}, oauth: null });
  });

  test.each([
    '',
    'whsec_',
    'whsec_####################################',
    CURRENT.slice('whsec_'.length),
    'whsec_c2hvcnQ=',
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    `{"current": "${CURRENT}"`,
    JSON.stringify({ previous: PREVIOUS }),
    JSON.stringify({ current: CURRENT, previous: 'old' }),
  ])('that is none (%s) is refused without being shown', (text) => {
    const error = failureOf(() => parseWebhookSecret(text, 'acme/hook'));

    expect(error).toMatchObject({
      name: 'NotifierError',
      code: 'secret_invalid',
      retryable: false,
      message:
        'the secret "acme/hook" holds no signing secret; put whsec_ and 24 to 64 random bytes in base64 into it, or {"current": ..., "previous": ...} while it rotates',
    });
    // The parser's error quotes what it read.
    expect(error).not.toHaveProperty('cause');
  });
});

test.each([
  [{ current: CURRENT, Headers: { 'x-key': 'canary-5f1c' } }, 'has an unknown member "Headers"', MEMBERS],
  [{ secret: CURRENT }, 'has an unknown member "secret"', MEMBERS],
  [{ current: CURRENT, rotatedAt: 'canary-5f1c' }, 'has an unknown member "rotatedAt"', MEMBERS],
  [
    { current: CURRENT, oauth: { tokenUrl: 'https://canary-5f1c.example', client_id: 'canary-5f1c' } },
    'has an unknown member "client_id" in oauth',
    'tokenUrl, clientId, clientSecret, scope, audience',
  ],
  [
    { current: CURRENT, ['x'.repeat(100)]: 'canary-5f1c' },
    `has an unknown member "${'x'.repeat(40)}..."`,
    MEMBERS,
  ],
])('an unknown member of a secret is an error with its name (%#)', (secret, what, members) => {
  const error = failureOf(() => parseWebhookSecret(JSON.stringify(secret), 'acme/hook'));

  expect(error).toMatchObject({
    code: 'secret_invalid',
    retryable: false,
    message: `the secret "acme/hook" ${what}; remove it, or rename it to one of ${members}`,
  });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
});

describe('headers of a secret', () => {
  const secretWith = (headers: object) => JSON.stringify({ current: CURRENT, headers });

  test('go with every request, beside those of the signature', async () => {
    const secret = secretWith({ Authorization: 'Basic YWNtZTpob29r', 'x-tenant': 'acme' });
    expect(await sign(secret, { id: 'a1', body: '{}' })).toEqual({
      ...(await sign(CURRENT, { id: 'a1', body: '{}' })),
      authorization: 'Basic YWNtZTpob29r',
      'x-tenant': 'acme',
    });
  });

  test.each([
    ['webhook-signature', 'v1,forged'],
    ['Content-Length', '0'],
    ['host', 'elsewhere.example'],
    ['transfer-encoding', 'chunked'],
    ['x tenant', 'acme'],
    ['x-tenant\r\nx-other', 'acme'],
    ['x-tenant', 'canary-5f1c\r\nx-other: 1'],
    ['x-tenant', 'canary-5f1c \u20ac'],
  ])('that are not usable (%j: %j) are refused without their values', (name, value) => {
    const error = failureOf(() => parseWebhookSecret(secretWith({ [name]: value }), 'acme/hook'));
    expect(error).toMatchObject({ code: 'secret_invalid' });
    expect(String(error)).toContain(
      'the secret "acme/hook" holds headers that are not usable; give at most 10',
    );
    expect(JSON.stringify(error)).not.toContain('canary');
    expect(String(error)).not.toContain('canary');
  });
});

describe('client credentials of a secret', () => {
  const OAUTH = {
    tokenUrl: 'https://login.acme.example/token',
    clientId: 'notifier',
    clientSecret: 'canary-5f1c',
  };
  const message = { id: 'a1', at: AT, body: '{}' };

  function signing(answer: (request: OutgoingWebhookRequest, asked: number) => Partial<WebhookAnswer>) {
    const requests: OutgoingWebhookRequest[] = [];
    const world = { now: AT, oauth: { ...OAUTH } as object };
    const signer = createWebhookSigner({
      secretName: 'acme/hook',
      readSecret: async () => JSON.stringify({ current: CURRENT, oauth: world.oauth }),
      tokens: createEndpointTokens({
        secretName: 'acme/hook',
        now: () => world.now,
        client: {
          post: async (request) => {
            requests.push(request);
            const given = answer(request, requests.length);
            return {
              outcome: 'answered',
              status: 200,
              retryAfterMs: null,
              durationMs: 5,
              ...given,
            } as WebhookAnswer;
          },
        },
      }),
    });
    return { signer, requests, world };
  }

  const tokens = () =>
    signing((_, asked) => ({ text: JSON.stringify({ access_token: `token-${asked}`, expires_in: 600 }) }));

  test('are exchanged for a token, which is kept until it expires', async () => {
    const { signer, requests, world } = tokens();
    const first = await signer.sign(message, { fresh: false });
    const second = await signer.sign(message, { fresh: false });
    world.now += 600_000;
    const third = await signer.sign(message, { fresh: false });

    expect([first, second, third].map(({ authorization }) => authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
    expect(requests[0]).toMatchObject({ url: OAUTH.tokenUrl, readsAnswer: true });
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'notifier',
      client_secret: 'canary-5f1c',
    });
  });

  test('give another token when the endpoint refuses one, and at once when they are replaced', async () => {
    const { signer, requests, world } = tokens();
    await signer.sign(message, { fresh: false });
    expect(await signer.sign(message, { fresh: true })).toMatchObject({ authorization: 'Bearer token-2' });
    world.oauth = { ...OAUTH, clientSecret: 'canary-next', scope: 'events', audience: 'https://api.acme' };
    expect(await signer.sign(message, { fresh: false })).toMatchObject({ authorization: 'Bearer token-3' });
    expect(Object.fromEntries(new URLSearchParams(requests[2]?.body))).toMatchObject({
      client_secret: 'canary-next',
      scope: 'events',
      audience: 'https://api.acme',
    });
  });

  test.each([{ status: 401 }, { status: 400, text: '{"error":"invalid_client","hint":"canary-5f1c"}' }])(
    'go by Basic where the token server does not take them in the body: %j',
    async (refusal) => {
      const authorization = `Basic ${Buffer.from('notifier:canary-5f1c').toString('base64')}`;
      const { signer, requests } = signing(({ headers }, asked) => {
        if (headers.authorization !== authorization) return refusal;
        return { text: JSON.stringify({ access_token: `token-${asked}` }) };
      });

      expect(await signer.sign(message, { fresh: false })).toMatchObject({ authorization: 'Bearer token-2' });
      expect(await signer.sign(message, { fresh: true })).toMatchObject({ authorization: 'Bearer token-3' });
      expect(requests[1]?.body).toBe('grant_type=client_credentials');
    },
  );

  test('that get no token are not tried again for some seconds', async () => {
    const { signer, requests, world } = signing(() => ({ status: 500 }));
    const ask = () => signer.sign(message, { fresh: false });
    for (let times = 1; times <= 10; times += 1)
      await expect(ask()).rejects.toMatchObject({ code: 'token_refused' });
    expect(requests).toHaveLength(1);

    world.now += 5_000;
    await expect(ask()).rejects.toMatchObject({ code: 'token_refused' });
    expect(requests).toHaveLength(2);
  });

  test.each<[string, Partial<WebhookAnswer>]>([
    ['is refused', { status: 401, text: '{"error":"invalid_client canary-5f1c"}' } as Partial<WebhookAnswer>],
    ['gets rubbish', { text: '<html>canary-5f1c' } as Partial<WebhookAnswer>],
    ['gets no token', { text: '{}' } as Partial<WebhookAnswer>],
    ['gets no answer', { outcome: 'unanswered', reason: 'timeout' } as Partial<WebhookAnswer>],
  ])('whoever %s is told so without secrets', async (_, answer) => {
    const { signer } = signing(() => answer);
    const error = await signer.sign(message, { fresh: false }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'token_refused', retryable: true });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
  });

  test.each([{ ...OAUTH, tokenUrl: 'ftp://acme.example' }, { clientId: 'notifier' }, 'canary-5f1c'])(
    'that are not usable are refused without being shown (%#)',
    (oauth) => {
      const text = JSON.stringify({ current: CURRENT, oauth });
      const error = failureOf(() => parseWebhookSecret(text, 'acme/hook'));
      expect(String(error)).toContain(
        'the secret "acme/hook" holds unusable client credentials; give {"tokenUrl"',
      );
      expect(String(error)).not.toContain('canary');
    },
  );
});

function sign(secret: string, { id, body }: { id: string; body: string }) {
  const signer = createWebhookSigner({
    ...NO_TOKENS,
    secretName: 'acme/hook',
    readSecret: async () => secret,
  });
  return signer.sign({ id, at: AT, body }, { fresh: false });
}

/** A message with all kinds of characters in it. */
function messageOf(index: number, random: Random) {
  const text = Array.from({ length: random.between(0, 12) }, () =>
    random.pick(['a', '"', '\\', '\n', 'é', '€', '\u{1f600}', '\u0000', '.', ' ']),
  ).join('');
  return { id: `event-${index}`, body: JSON.stringify({ index, text }) };
}

/** The same request with one part changed after signing. */
function tampered(index: number, body: string, headers: Record<string, string>) {
  switch (index % 5) {
    case 1:
      return { body: `${body} `, headers };
    case 2:
      return { body, headers: { ...headers, 'webhook-id': `event-${index + 1}` } };
    case 3:
      return {
        body,
        headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
      };
    case 4:
      return {
        body,
        headers: {
          ...headers,
          'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v2,') ?? '',
        },
      };
    default:
      // As it is, for a receiver with another secret.
      return { body, headers };
  }
}

function failureOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

function secretOf(fill: number): string {
  return `whsec_${Buffer.alloc(24, fill).toString('base64')}`;
}
