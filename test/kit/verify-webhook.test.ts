import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from 'workforce-change-notifier';
import { NotifierError } from '#shared/core/errors.ts';
import { CODE_POINT } from '#test/support/code-point.ts';
import { exampleEvent } from '#test/support/example-event.ts';

const SECRET = `whsec_${Buffer.from('now'.padEnd(32, '.')).toString('base64')}`;
const NOW = Date.parse('2026-11-16T09:00:00.000Z');
const BODY = JSON.stringify(exampleEvent('workforce.pay_period.closed'));
const EVENT = JSON.parse(BODY);
const KEYS = fc.uint8Array({ minLength: 24, maxLength: 64 });

/** Rotation, ages, other secrets, ids and versions: `examples/webhook-vectors.json`, which `test/examples` plays to it. */

describe('a valid webhook', () => {
  it('gives its event', () => {
    expect(verify({})).toEqual({ outcome: 'event', event: EVENT });
  });

  it.each([
    ['names in any case', (headers: Sent) => withNames(headers, (name) => name.toUpperCase())],
    ['headers of fetch', (headers: Sent) => new Headers(headers)],
    ['lists of one', (headers: Sent) => mapValues(headers, (value) => [value])],
    ['other headers beside', (headers: Sent) => ({ ...headers, host: 'x', accept: undefined })],
  ])('may come with %s', (_, shape) => {
    const headers = shape(signed(BODY));
    expect(verifyWebhook({ headers, body: BODY }, SECRET, { now: NOW }).outcome).toBe('event');
  });

  it.each<[string, { body: string | Uint8Array; isBase64Encoded?: boolean }]>([
    ['bytes', { body: new TextEncoder().encode(BODY) }],
    ['a Buffer', { body: Buffer.from(BODY) }],
    ['base64, as AWS gives it', { body: Buffer.from(BODY).toString('base64'), isBase64Encoded: true }],
  ])('may come as %s', (_, body) => {
    expect(verifyWebhook({ headers: signed(BODY), ...body }, SECRET, { now: NOW }).outcome).toBe('event');
  });

  it('is verified by its bytes, a byte order mark included', () => {
    const body = `\ufeff${BODY}`;
    expect(verify({ headers: signed(body), body: new TextEncoder().encode(body) })).toEqual({
      outcome: 'invalid',
      issues: ['the text is not JSON'],
    });
  });

  it('may be of an unknown type, an example, or not an event at all', () => {
    const later = BODY.replaceAll('pay_period.closed', 'pay_period.archived');
    expect(verify({ headers: signed(later), body: later }).outcome).toBe('unknown_type');
    expect(verify({ headers: signed('[]'), body: '[]' }).outcome).toBe('invalid');
    expect(verify({ headers: signed(''), body: '' }).outcome).toBe('invalid');
    const example = JSON.stringify({ ...EVENT, id: 'example-7b0f' });
    expect(verify({ headers: signed(example), body: example }).outcome).toBe('example');
  });
});

describe('a refused webhook', () => {
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('lacks %s', (name) => {
    const { [name]: _, ...headers } = signed(BODY);
    expect(verify({ headers })).toEqual({ outcome: 'refused', reason: 'header_missing' });
    expect(verify({ headers: { ...headers, [name]: '' } }).outcome).toBe('refused');
    expect(verify({ headers: { ...headers, [name]: ['a', 'b'] } }).outcome).toBe('refused');
  });

  it.each([
    [301, 'timestamp_too_old', {}],
    [-301, 'timestamp_too_new', {}],
    [31, 'timestamp_too_old', { toleranceSeconds: 30 }],
  ])('was signed %i seconds ago: %s with %j', (age, reason, options) => {
    const headers = signed(BODY, NOW - age * 1_000);
    const verified = verifyWebhook({ headers, body: BODY }, SECRET, { now: NOW, ...options });
    expect(verified).toEqual({ outcome: 'refused', reason });
  });

  it.each(['yesterday', '1.5', '0x10', '-1', '1763283600abc', ' 1763283600'])(
    'has the time %j',
    (timestamp) => {
      const headers = { ...signed(BODY), 'webhook-timestamp': timestamp };
      expect(verify({ headers })).toEqual({ outcome: 'refused', reason: 'timestamp_invalid' });
    },
  );

  it.each([
    ['now', { now: Number.NaN }],
    ['now', { now: Number.POSITIVE_INFINITY }],
    ['toleranceSeconds', { now: NOW, toleranceSeconds: Number.NaN }],
    ['toleranceSeconds', { now: NOW, toleranceSeconds: Number.POSITIVE_INFINITY }],
    ['toleranceSeconds', { now: NOW, toleranceSeconds: -1 }],
    ['toleranceSeconds', { now: NOW, toleranceSeconds: 'soon' as unknown as number }],
  ])('is never judged by an option that is no time: %s of %j', (name, options) => {
    const headers = signed(BODY, NOW - 86_400_000);
    const verifying = () => verifyWebhook({ headers, body: BODY }, SECRET, options);
    expect(verifying).toThrow(expect.objectContaining({ code: 'options_wrong' }));
    expect(verifying).toThrow(new RegExp(`^${name} is `));
  });

  it('was changed anywhere', () => {
    fc.assert(
      fc.property(fc.nat(BODY.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, letter) => {
        const body = BODY.slice(0, at) + letter + BODY.slice(at + 1);
        if (body !== BODY)
          expect(verify({ body })).toEqual({ outcome: 'refused', reason: 'signature_wrong' });
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});

it('agrees with the standardwebhooks library in both directions', () => {
  const check = fc.property(fc.string({ unit: CODE_POINT }), fc.uuid(), KEYS, (body, id, key) => {
    const secret = `whsec_${Buffer.from(key).toString('base64')}`;
    const now = Date.now();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, new Date(now), body),
    };
    expect(() => new Webhook(secret).verify(body, headers, { jsonParse: false })).not.toThrow();
    expect(verifyWebhook({ headers, body }, secret).outcome).toBe('invalid');
  });
  fc.assert(check, { numRuns: 300, seed: 11 });
});

describe('an invalid secret', () => {
  it.each<[string, string | string[]]>([
    ['nothing', ''],
    ['no secret at all', []],
    ['a password', 'correct horse'],
    ['a secret without its prefix', SECRET.slice('whsec_'.length)],
    ['too short a secret', 'whsec_c2hvcnQ='],
    ['one good secret and one bad', [SECRET, 'whsec_']],
  ])('throws: %s', (_, secrets) => {
    const error = errorOf(() => verify({}, secrets));
    expect(error).toBeInstanceOf(NotifierError);
    expect(error).toMatchObject({ code: 'secret_invalid' });
  });

  it('is not shown', () => {
    expect(errorOf(() => verify({}, 'correct horse'))?.message).toBe(
      'a signing secret is whsec_ followed by 24 to 64 bytes in base64; pass the secret that the sender signs with, and both during a rotation',
    );
  });

  it('may have white space around it, as files do', () => {
    expect(verify({}, `${SECRET}\n`).outcome).toBe('event');
  });
});

type Sent = Record<string, string>;
type Request = Parameters<typeof verifyWebhook>[0];

function verify(
  { headers = signed(BODY), body = BODY }: Partial<Request>,
  secrets: string | string[] = SECRET,
) {
  return verifyWebhook({ headers, body }, secrets, { now: NOW });
}

function signed(body: string, at = NOW): Sent {
  const id = 'msg_1';
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at / 1_000),
    'webhook-signature': new Webhook(SECRET).sign(id, new Date(at), body),
  };
}

function withNames(headers: Sent, change: (name: string) => string): Sent {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));
}

function mapValues<Value>(headers: Sent, change: (value: string) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
}

function errorOf(work: () => unknown): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
