import { describe, expect, it } from 'vitest';
import { errorSchema } from '#local/source/schemas.ts';
import { makeSource } from './support.ts';

const TOKEN_SECONDS = 600;

describe('the bearer token', () => {
  const source = makeSource();

  it.each([
    '/timesheets',
    '/timesheets/100001_1',
    '/employees',
    '/departments',
    '/payperiods',
    '/activities',
    '/organisations',
    '/helloworld',
    '/nothing',
  ])('is needed for %s', async (path) => {
    for (const authorization of [undefined, 'Bearer nope', 'Bearer a.b.c', 'Basic eDp5', 'Bearer']) {
      const answer = await source.ask(`/api/v1${path}`, authorization ? { headers: { authorization } } : {});
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(errorSchema.parse(answer.body).status).toBe(401);
    }
  });

  it('has the form of a JWT and is the same after a restart', () => {
    const { token } = source.service.tokens;
    expect(token.split('.')).toHaveLength(3);
    expect(makeSource().service.tokens.token).toBe(token);
    expect(makeSource({ seed: 2 }).service.tokens.token).not.toBe(token);
  });

  it('can be set', async () => {
    const own = makeSource({ token: 'sample-token' });
    const headers = { authorization: 'Bearer sample-token' };
    expect((await own.ask('/api/v1/helloworld', { headers })).status).toBe(200);
  });

  it('can be rotated: both are valid until the old one is revoked', async () => {
    const rotated = makeSource();
    const { tokens } = rotated.service;
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await rotated.ask('/api/v1/helloworld', { headers })).status;
    };
    tokens.accept('the-new-one');
    expect([await ask(tokens.token), await ask('the-new-one')]).toEqual([200, 200]);
    tokens.revoke(tokens.token);
    expect([await ask(tokens.token), await ask('the-new-one')]).toEqual([401, 200]);
  });
});

describe('/oauth/token', () => {
  const form = (members: Record<string, string>): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(members).toString(),
  });
  const good = {
    grant_type: 'client_credentials',
    client_id: 'sample-client',
    client_secret: 'sample-secret',
  };

  it('issues a JWT that is accepted until its exp', async () => {
    const source = makeSource({ tokenLifeSeconds: TOKEN_SECONDS });
    const { status, body } = await source.ask('/oauth/token', form(good));
    expect({ status, ...body }).toMatchObject({
      status: 200,
      token_type: 'Bearer',
      expires_in: TOKEN_SECONDS,
    });
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    expect(claims.exp).toBe(source.service.realNow() / 1000 + TOKEN_SECONDS);
    const hello = () =>
      source.ask('/api/v1/helloworld', { headers: { authorization: `Bearer ${body.access_token}` } });
    source.passReal(TOKEN_SECONDS * 1000 - 1);
    expect((await hello()).status).toBe(200);
    source.passReal(1);
    expect((await hello()).status).toBe(401);
  });

  it('takes the credentials by HTTP Basic too', async () => {
    const authorization = `Basic ${Buffer.from('sample-client:sample%2Dsecret').toString('base64')}`;
    const init = form({ grant_type: 'client_credentials' });
    const answer = await makeSource().ask('/oauth/token', { ...init, headers: { authorization } });
    expect(answer.status).toBe(200);
  });

  it('refuses other credentials and other grants', async () => {
    const source = makeSource();
    const wrong = await source.ask('/oauth/token', form({ ...good, client_secret: 'other' }));
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid_client' }]);
    const grant = await source.ask('/oauth/token', form({ ...good, grant_type: 'password' }));
    expect([grant.status, grant.body]).toEqual([400, { error: 'unsupported_grant_type' }]);
  });
});

describe('the rate limit', () => {
  const limit = { capacity: 3, refillPerSecond: 0.5, retryAfter: true };

  it('answers 429 with Retry-After when the bucket is empty, and 200 when it has filled', async () => {
    const source = makeSource({ limit });
    const statuses = async (times: number): Promise<number[]> =>
      Promise.all(Array.from({ length: times }, async () => (await source.get('/helloworld')).status));
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429]);
    const refused = await source.get('/helloworld');
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(errorSchema.parse(refused.body).status).toBe(429);
    source.passReal(2000);
    expect(await statuses(2)).toEqual([200, 429]);
    source.passReal(3_600_000);
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429]);
  });

  it('can omit Retry-After', async () => {
    const source = makeSource({ limit: { ...limit, capacity: 0, retryAfter: false } });
    const refused = await source.get('/timesheets');
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, false]);
  });

  it('is set and removed by control, to which it does not apply', async () => {
    const source = makeSource();
    await source.send('POST', '/control/limit', { capacity: 1, refillPerSecond: 0 });
    expect((await source.get('/helloworld')).status).toBe(200);
    const refused = await source.get('/helloworld');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    expect((await source.send('DELETE', '/control/limit')).status).toBe(204);
    expect((await source.get('/helloworld')).status).toBe(200);
  });
});
