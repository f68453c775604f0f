import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createWebhookSigner, parseWebhookSecret } from '#shared/adapters/webhook/signer.ts';
import { CODE_POINT } from '#test/support/code-point.ts';

const AT = Date.parse('2026-03-04T22:00:00.750Z');
const CURRENT = secretOf(1);
const PREVIOUS = secretOf(2);
const NO_SECRET =
  'holds no signing secret; put whsec_ and 24 to 64 random bytes in base64 into it, or {"current": ..., "previous": ...} while it rotates';
const RENAME = 'remove it, or rename it to one of';
const MEMBERS = `${RENAME} current, previous, headers, oauth`;
const HEADERS =
  'holds headers that are not usable; give at most 10, with names of a-z, 0-9 and - that are not its own (webhook-*, content-*, host and the like) and printable ASCII as values';
const OAUTH =
  'holds unusable client credentials; give {"tokenUrl": "https://...", "clientId": ..., "clientSecret": ..., "scope"?: ..., "audience"?: ...} as oauth';

describe('a signature', () => {
  test('is the one of the specification', async () => {
    const key = Buffer.from(CURRENT.slice('whsec_'.length), 'base64');
    const signed = createHmac('sha256', key).update('a1.1772661600.{"a":1}').digest('base64');

    expect(await sign(CURRENT, '{"a":1}')).toEqual({
      'webhook-id': 'a1',
      'webhook-timestamp': '1772661600',
      'webhook-signature': `v1,${signed}`,
    });
  });

  test('of any body is what the library of receivers gives for it, with both secrets while they rotate', async () => {
    const secret = JSON.stringify({ current: CURRENT, previous: PREVIOUS });
    const libraries = [new Webhook(CURRENT), new Webhook(PREVIOUS)];
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: CODE_POINT }), async (text) => {
        const body = JSON.stringify({ text });
        const signatures = (await sign(secret, body))['webhook-signature']?.split(' ');
        expect(signatures).toEqual(libraries.map((library) => library.sign('a1', new Date(AT), body)));
      }),
    );
  });

  test('is made with a secret read anew when that is asked for', async () => {
    const signer = createWebhookSigner({
      ...{ secretName: 'acme/hook', tokens: NO_TOKENS },
      readSecret: async ({ fresh }) => (fresh ? PREVIOUS : CURRENT),
    });
    const message = { id: 'a1', at: AT, body: '{}' };
    expect(await signer.sign(message, { fresh: false })).toEqual(await sign(CURRENT));
    expect(await signer.sign(message, { fresh: true })).toEqual(await sign(PREVIOUS));
  });

  test('goes with the headers of the secret', async () => {
    const headers = { Authorization: 'Basic YWNtZTpob29r', 'x-tenant': 'acme' };
    expect(await sign(JSON.stringify({ current: CURRENT, headers }))).toEqual({
      ...(await sign(CURRENT)),
      authorization: 'Basic YWNtZTpob29r',
      'x-tenant': 'acme',
    });
  });

  test('goes with the token for the client credentials of the secret, and another one when that is asked for', async () => {
    const client = {
      clientId: 'notifier',
      clientSecret: 'secret',
      scope: 'events',
      audience: 'https://a.example',
    };
    const oauth = { tokenUrl: 'https://login.acme.example/token', ...client };
    const signer = createWebhookSigner({
      secretName: 'acme/hook',
      readSecret: async () => JSON.stringify({ current: CURRENT, oauth }),
      tokens: { find: async (credentials, ask) => JSON.stringify([credentials, ask]) },
    });
    for (const fresh of [false, true])
      expect(await signer.sign({ id: 'a1', at: AT, body: '{}' }, { fresh })).toEqual({
        ...(await sign(CURRENT)),
        authorization: `Bearer ${JSON.stringify([oauth, { fresh }])}`,
      });
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
  ])('%s', (text, signing) => {
    expect(parseWebhookSecret(text, 'acme/hook')).toEqual({ signing, headers: {}, oauth: null });
  });

  const oauth = { tokenUrl: 'https://canary.example', clientId: 'canary', clientSecret: 'canary' };
  const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x-${index}`, 'a']));
  test.each<[string | object, string]>([
    ['', NO_SECRET],
    ['whsec_', NO_SECRET],
    ['whsec_####################################', NO_SECRET],
    [CURRENT.slice('whsec_'.length), NO_SECRET],
    ['whsec_c2hvcnQ=', NO_SECRET],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, NO_SECRET],
    [`{"current": "${CURRENT}"`, NO_SECRET],
    [JSON.stringify({ previous: PREVIOUS }), NO_SECRET],
    [{ previous: 'old' }, NO_SECRET],
    [{ Headers: { 'x-key': 'canary' } }, `has an unknown member "Headers"; ${MEMBERS}`],
    [{ rotatedAt: 'canary' }, `has an unknown member "rotatedAt"; ${MEMBERS}`],
    [{ ['x'.repeat(100)]: 'canary' }, `has an unknown member "${'x'.repeat(40)}..."; ${MEMBERS}`],
    [
      { oauth: { ...oauth, client_id: 'canary' } },
      `has an unknown member "client_id" in oauth; ${RENAME} tokenUrl, clientId, clientSecret, scope, audience`,
    ],
    [{ headers: { 'webhook-signature': 'v1,canary' } }, HEADERS],
    [{ headers: { 'Content-Length': '0' } }, HEADERS],
    [{ headers: { host: 'canary.example' } }, HEADERS],
    [{ headers: { 'transfer-encoding': 'chunked' } }, HEADERS],
    [{ headers: { 'x tenant': 'acme' } }, HEADERS],
    [{ headers: { 'x-tenant\r\nx-other': 'acme' } }, HEADERS],
    [{ headers: { 'x-tenant': 'canary\r\nx-other: 1' } }, HEADERS],
    [{ headers: { 'x-tenant': 'canary \u20ac' } }, HEADERS],
    [{ headers: eleven }, HEADERS],
    [{ oauth: { ...oauth, tokenUrl: 'ftp://canary.example' } }, OAUTH],
    [{ oauth: { clientId: 'canary' } }, OAUTH],
    [{ oauth: 'canary' }, OAUTH],
  ])('that is not usable is refused without being shown: %j', (members, what) => {
    const text = typeof members === 'string' ? members : JSON.stringify({ current: CURRENT, ...members });
    const read = () => parseWebhookSecret(text, 'acme/hook');
    const expected = { name: 'NotifierError', code: 'secret_invalid', retryable: false };
    expect(read).toThrow(expect.objectContaining({ ...expected, message: `the secret "acme/hook" ${what}` }));
    // The parser's error quotes what it read.
    expect(read).toThrow(expect.not.objectContaining({ cause: expect.anything() }));
  });
});

const NO_TOKENS = {
  find: async () => {
    throw new Error('no token is wanted');
  },
};

async function sign(secret: string, body = '{}') {
  const readSecret = async () => secret;
  const signer = createWebhookSigner({ secretName: 'acme/hook', tokens: NO_TOKENS, readSecret });
  return await signer.sign({ id: 'a1', at: AT, body }, { fresh: false });
}

function secretOf(fill: number): string {
  return `whsec_${Buffer.alloc(24, fill).toString('base64')}`;
}
