import { describe, expect, it } from 'vitest';
import { errorSchema } from '#local/source/schemas.ts';
import { makeSource } from './support.ts';

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

  it('can be set', async () => {
    const own = makeSource({ token: 'sample-token' });
    const headers = { authorization: 'Bearer sample-token' };
    expect((await own.ask('/api/v1/helloworld', { headers })).status).toBe(200);
  });
});
