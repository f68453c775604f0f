import { describe, expect, test } from 'vitest';
import { createCredential, toSourceSecretReader } from '#shared/adapters/credential/credential.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';

const START = Date.parse('2026-03-02T10:00:00Z');
const CLIENT = '{"clientId":"canary-client","clientSecret":"canary-secret"}';

describe('a secret that is a token', () => {
  test.each([
    ['by itself', 'abc.def'],
    ['with the line end an editor left', '  abc.def\r\n'],
    ['with the scheme before it', 'Bearer abc.def'],
    ['as JSON', '{"token": "abc.def"}'],
  ])('%s', async (_how, text) => {
    expect(await worldOf(text).credential.token()).toBe('abc.def');
  });

  test('is read again once the source refuses it, and may be the same', async () => {
    const world = worldOf('old-token');
    expect(await world.credential.token()).toBe('old-token');
    expect(await world.credential.renew('old-token')).toBe('old-token');
    world.secret = 'new-token';
    expect(await world.credential.renew('old-token')).toBe('new-token');
    expect(world.reads).toEqual([false, true, true]);
  });
});

describe('a secret that gets tokens', () => {
  const named = { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' };
  test.each<[string, object, string, object]>([
    ['in the body at the usual place', {}, '/oauth/token', named],
    ['elsewhere', { tokenPath: '/auth/v2/token' }, '/auth/v2/token', named],
    ['with a scope', { scope: 'read:all' }, '/oauth/token', { ...named, scope: 'read:all' }],
    ['for an audience', { audience: 'https://x' }, '/oauth/token', { ...named, audience: 'https://x' }],
  ])('asks for them %s', async (_how, more, path, form) => {
    const secret = JSON.stringify({ clientId: 'a', clientSecret: 'b', ...more });
    const world = worldOf(secret, () => ({ access_token: 'abc' }));

    expect(await world.credential.token()).toBe('abc');
    expect(world.asked).toEqual([[path, form, {}]]);
  });

  test.each<[string, (nth: number) => unknown, number | null]>([
    ['expires_in', (nth) => ({ access_token: `t${nth}`, expires_in: 3_600 }), 3_540],
    ['expires_in as a text', (nth) => ({ access_token: `t${nth}`, expires_in: '3600' }), 3_540],
    ['a short expires_in', (nth) => ({ access_token: `t${nth}`, expires_in: 100 }), 90],
    ['an expires_in that is over at once', (nth) => ({ access_token: `t${nth}`, expires_in: 1 }), 10],
    ['the exp of a JWT', () => ({ access_token: jwt({ exp: START / 1_000 + 1_800 }) }), 1_740],
    ['an exp in the past', () => ({ access_token: jwt({ exp: 5 }) }), 10],
    ['nothing', (nth) => ({ access_token: `t${nth}` }), null],
    ['a JWT without exp', () => ({ access_token: jwt({ sub: 'somebody' }) }), null],
  ])('keeps one as %s allows', async (_what, answer, seconds) => {
    const world = worldOf(CLIENT, answer);
    const askedAfter = async (afterSeconds: number) => {
      world.now = START + afterSeconds * 1_000;
      await world.credential.token();
      return world.asked.length;
    };

    expect(await askedAfter(0)).toBe(1);
    expect(await askedAfter((seconds ?? 1e9) - 1)).toBe(1);
    if (seconds !== null) expect(await askedAfter(seconds)).toBe(2);
  });

  test('asks once for all who wait, and once for all who were refused the same one', async () => {
    const { credential, asked } = worldOf(CLIENT, (nth) => ({ access_token: `t${nth}` }));

    expect(await Promise.all([1, 2, 3].map(() => credential.token()))).toEqual(['t1', 't1', 't1']);
    expect(await Promise.all([1, 2].map(() => credential.renew('t1')))).toEqual(['t2', 't2']);
    expect(await credential.renew('t1')).toBe('t2');
    expect(await credential.token()).toBe('t2');
    expect(asked).toHaveLength(2);
  });

  test('is read again when the source refuses the client', async () => {
    const world = worldOf(CLIENT, (nth) => {
      if (nth > 2) return { access_token: 'abc' };
      world.secret = '{"clientId":"canary-client","clientSecret":"rotated"}';
      throw refuse(401);
    });
    expect(await world.credential.token()).toBe('abc');
    const sent = world.asked.map(([, form]) => form.client_secret);
    expect(sent).toEqual(['canary-secret', undefined, 'rotated']);
  });

  test('is read again when the cached one cannot be used', async () => {
    const world = worldOf(CLIENT, () => ({ access_token: 'abc' }));
    world.cached = '{"clientId":"a","clientSecret":"b","note":"c"}';

    expect(await world.credential.token()).toBe('abc');
    expect(world.reads).toEqual([false, true]);
  });

  const hostile = { access_token: 'canary\r\nx: y' };
  test.each([null, 'canary', {}, { access_token: 5 }, { access_token: '' }, hostile, { token: 'canary' }])(
    'an answer of another shape is said without its contents: %j',
    async (answer) => {
      const error = await refusalOf(worldOf(CLIENT, () => answer));
      expect(error).toMatchObject({ code: 'source_bad_response' });
      expect(String(error)).not.toContain('canary');
    },
  );
});

/** RFC 6749, section 2.3.1: each part form-encoded, then both in base64. */
describe('a token endpoint that takes the client by Basic alone', () => {
  const SECRET = JSON.stringify({ clientId: 'night client:1', clientSecret: 'p+s %s*é', scope: 'read' });
  const BASIC = `Basic ${Buffer.from('night+client%3A1:p%2Bs+%25s*%C3%A9').toString('base64')}`;

  test.each([
    ['401', refuse(401)],
    ['400 and invalid_client', refuse(400, '{"error":"invalid_client"}')],
    ['400 and invalid_request', refuse(400, '{"error": "invalid_request", "more": "no client"}')],
  ])('answers %s to the body, and is asked by Basic from then on', async (_, refusal) => {
    const world = worldOf(SECRET, (nth, headers) => {
      if (headers.authorization === BASIC) return { access_token: `t${nth}` };
      throw refusal;
    });

    expect(await world.credential.token()).toBe('t2');
    expect(await world.credential.renew('t2')).toBe('t3');
    const form = { grant_type: 'client_credentials', scope: 'read' };
    const byBasic = ['/oauth/token', form, { authorization: BASIC }];
    expect(world.asked.slice(1)).toEqual([byBasic, byBasic]);
  });

  test('may go back to the body', async () => {
    let takesBasic = true;
    const world = worldOf(SECRET, (nth, { authorization }) => {
      if ((authorization === BASIC) === takesBasic) return { access_token: `t${nth}` };
      throw refuse(401);
    });
    expect(await world.credential.token()).toBe('t2');
    takesBasic = false;

    expect(await world.credential.renew('t2')).toBe('t4');
    expect(await world.credential.renew('t4')).toBe('t5');
  });

  const down = new SourceError('source_failed', 'down', { status: 503, retryable: true });
  const first = refuse(401);
  test.each([
    ['400 for another reason', [refuse(400, '{"error":"invalid_scope"}')], 0],
    ['403', [refuse(403)], 0],
    ['503', [down], 0],
    ['401, and to Basic 400: the first one is said', [first, refuse(400, 'invalid_request')], 0],
    ['401, and to Basic 503: that is no refusal', [first, down], 1],
  ])('is not assumed at %s', async (_what, answers, said) => {
    const world = worldOf(SECRET, (nth) => {
      throw answers[nth - 1];
    });

    await expect(world.credential.token()).rejects.toBe(answers[said]);
    expect(world.asked).toHaveLength(answers.length);
  });
});

const NONE =
  'holds no credential; put a token into it, or {"token": ...}, or {"clientId": ..., "clientSecret": ...}';
const unknown = (name: string) =>
  `has an unknown member "${name}"; remove it, or rename it to one of token, clientId, clientSecret, tokenPath, scope, audience`;
const PAIR = '"clientId": "canary", "clientSecret": "canary"';

test.each([
  ['{"token": "canary", "note": "canary"}', unknown('note')],
  ['{"Token": "canary"}', unknown('Token')],
  [`{${PAIR}, "client_secret": "canary"}`, unknown('client_secret')],
  [`{${PAIR}, "__proto__": {"canary": 1}}`, unknown('__proto__')],
  ['', NONE],
  ['   ', NONE],
  ['{', NONE],
  ['{"token": ""}', NONE],
  ['{"token": 5}', NONE],
  ['{}', NONE],
  ['{"clientId": "canary"}', NONE],
  [`{"token": "canary", ${PAIR}}`, NONE],
  [`{${PAIR}, "scope": ""}`, NONE],
  [`{${PAIR}, "audience": ["canary"]}`, NONE],
  ['{"clientId": "canary", "clientSecret": ""}', NONE],
  ['canary with spaces', NONE],
  ['canary\nx: y', NONE],
  ['{"token": "canary\\r\\nx: y"}', NONE],
])('a secret is refused, without its contents: %j', async (text, says) => {
  const error = await refusalOf(worldOf(text));
  expect(error).toMatchObject({
    ...{ code: 'source_unauthorised', credentialRejected: true },
    message: `the secret "acme/token" ${says}`,
  });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
});

describe('the secret of a source', () => {
  test('is what was read, as fresh as it was asked for', async () => {
    const read = toSourceSecretReader(async ({ fresh }) => `abc ${fresh}`);
    expect([await read({ fresh: false }), await read({ fresh: true })]).toEqual(['abc false', 'abc true']);
  });

  test.each([
    ['is for a person to mend', false, 'source_unauthorised'],
    ['may pass', true, 'source_unreachable'],
  ])('that cannot be read counts as a failure of the source: %s', async (_, retryable, code) => {
    const cause = new NotifierError('secret_unreadable', 'says how to mend it', { retryable });
    const read = toSourceSecretReader(() => Promise.reject(cause));
    const expected = { code, retryable, message: 'says how to mend it', cause };
    await expect(read({ fresh: false })).rejects.toMatchObject(expected);
  });

  test('is not at fault where the program is', async () => {
    const fault = new TypeError('no');
    await expect(toSourceSecretReader(() => Promise.reject(fault))({ fresh: false })).rejects.toBe(fault);
  });
});

type Form = Readonly<Record<string, string>>;
type World = ReturnType<typeof worldOf>;

function worldOf(secret: string, answer: (nth: number, headers: Form) => unknown = () => null) {
  const state: { secret: string; cached?: string; now: number } = { secret, now: START };
  const reads: boolean[] = [];
  const asked: [string, Form, Form][] = [];
  const credential = createCredential({
    secretName: 'acme/token',
    readSecret: async ({ fresh }) => {
      reads.push(fresh);
      return fresh ? state.secret : (state.cached ?? state.secret);
    },
    requestToken: async (path, { form, headers }) => answer(asked.push([path, form, headers]), headers),
    now: () => state.now,
  });
  return Object.assign(state, { reads, asked, credential });
}

async function refusalOf({ credential }: World): Promise<unknown> {
  return await credential.token().catch((thrown: unknown) => thrown);
}

function refuse(status: number, said?: string): SourceError {
  return new SourceError('source_unauthorised', 'refused', {
    status,
    ...(said === undefined ? {} : { said }),
  });
}

function jwt(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.c2lnbmF0dXJl`;
}
