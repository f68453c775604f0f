import { describe, expect, test } from 'vitest';
import { createFakeSource, json, page, type Respond, status } from './fake-source.ts';

describe('the timesheets of an employee in a pay period', () => {
  test('are requested by both, and read to the last page', async () => {
    const { ids, urls } = await listMembers((request) =>
      request.url.includes('page=2')
        ? json(page(['c'], { page: 2, totalPages: 2, totalRecords: 3 }))
        : json(
            page(['a', 'b'], {
              totalPages: 2,
              totalRecords: 3,
              nextPage: '/api/v1/employees/2001_7/timesheets?page=2&payPeriodId=3_7',
            }),
          ),
    );
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(urls).toEqual([
      '/api/v1/employees/2001_7/timesheets?payPeriodId=3_7',
      '/api/v1/employees/2001_7/timesheets?page=2&payPeriodId=3_7',
    ]);
  });

  test('may be none', async () => {
    expect((await listMembers(() => json(page([])))).ids).toEqual([]);
  });

  test.each([
    ['404', () => status(404), { code: 'source_not_found' }],
    ['403', () => status(403), { code: 'source_forbidden' }],
    [
      'a list that is shorter than it says',
      () => json(page(['a'], { totalRecords: 2 })),
      { code: 'source_bad_response' },
    ],
    [
      'a timesheet without an id',
      () => json({ ...(page(['a']) as object), data: [{}] }),
      { code: 'source_bad_response' },
    ],
  ])('of %s are not known', async (_, respond, error) => {
    expect((await listMembers(respond)).error).toMatchObject(error);
  });
});

async function listMembers(respond: Respond) {
  const { source, time, requests } = createFakeSource(respond);
  const asked = source.listMembers?.('2001_7', '3_7') ?? Promise.reject(new Error('cannot be asked'));
  const settled = await time.run(
    asked.then(
      (ids) => ({ ids, error: null }),
      (error: unknown) => ({ ids: null, error }),
    ),
  );
  const urls = requests.map(({ url }) => url.slice(new URL(url).origin.length));
  return { ...settled, urls };
}
