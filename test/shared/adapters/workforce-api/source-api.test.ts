import { describe, expect, test } from 'vitest';
import type { FeedName } from '#shared/core/feeds.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { catchError, createFakeSource, json, page, type Respond, status } from './fake-source.ts';

const RANGE = { from: '2026-03-01', to: '2026-03-02' };
const TIMESHEETS = { feed: 'timesheets', range: RANGE, page: 1, size: 2 } as const;
const PAY_PERIODS = { feed: 'pay-periods', range: null, page: 1, size: null } as const;

describe('a page of timesheets', () => {
  test('is asked for by number, for the dates and in the size', async () => {
    const records = [null, 1, 'text', [], { id: 5 }, { id: 'a', date: 'never' }];
    const read = { ...envelope({ page: 2, totalPages: 3, totalRecords: 15 }), data: records };
    const { result, urls } = await readPage({ ...TIMESHEETS, page: 2 }, read);

    expect(urls).toEqual(['/timesheets?dateFrom=2026-03-01&dateTo=2026-03-02&pageSize=2&page=2']);
    expect(result).toMatchObject({ records, totalRecords: 15, totalPages: 3 });
  });

  test('leaves the size to the source when none is given', async () => {
    const { urls } = await readPage({ ...TIMESHEETS, size: null }, page([]));
    expect(urls).toEqual(['/timesheets?dateFrom=2026-03-01&dateTo=2026-03-02&page=1']);
  });

  test('carries the instants of its own request', async () => {
    const { source, time } = createFakeSource(async () => {
      await time.sleep(300);
      return json(page(['a']));
    });
    const start = time.now();

    expect(await time.run(source.page(TIMESHEETS))).toMatchObject({
      requestedAt: start,
      receivedAt: start + 300,
    });
  });

  test.each<[string, Record<string, unknown>, number]>([
    ['the last one, by an empty next page', { totalPages: 3, page: 3 }, 3],
    ['the last one, by null', { totalPages: 3, page: 3, nextPage: null }, 3],
    ['the last one, without a next page', { totalPages: 3, page: 3, nextPage: undefined }, 3],
    ['one whose total leaves out the next one', { page: 3, nextPage: '/timesheets?page=4' }, 4],
    ['one whose next page has no number', { page: 3, nextPage: '/timesheets?cursor=x' }, 4],
    ['one of a list that became shorter', { page: 3, totalPages: 0 }, 0],
  ])('%s: so many pages are to be read', async (_what, pagination, totalPages) => {
    const { result } = await readPage({ ...TIMESHEETS, page: 3 }, page(['a'], pagination));
    expect(result).toMatchObject({ totalPages });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['another page', { page: 1 }, 'source_bad_response'],
    ['no page number', { page: undefined }, 'source_bad_response'],
    ['a next page that was read before', { nextPage: '/timesheets?page=1' }, 'source_bad_response'],
    ['itself as its next page', { nextPage: '/timesheets?page=5' }, 'source_bad_response'],
    ['a page far behind the last one', { totalPages: 1 }, 'source_bad_response'],
    ['a next page on another host', { nextPage: 'https://evil.example/api/v1/x' }, 'source_redirected'],
    ['a next page without the scheme', { nextPage: '//evil.example/x' }, 'source_redirected'],
    ['a next page without TLS', { nextPage: 'http://acme.example/api/v1/x' }, 'source_redirected'],
  ])('is not %s', async (_what, pagination, code) => {
    const read = page(['a'], { page: 5, totalPages: 9, ...pagination });
    const { error, urls } = await readPage({ ...TIMESHEETS, page: 5 }, read);
    expect(error).toMatchObject({ code });
    for (const url of urls) expect(url).toMatch(/^\/timesheets\?/);
  });
});

test('six pages at 300 ms are under way at once', async () => {
  const { source, time } = createFakeSource(async ({ url }) => {
    await time.sleep(300);
    return json(page(['a'], { page: Number(new URL(url).searchParams.get('page')), totalPages: 6 }));
  });
  const start = time.now();
  await time.run(Promise.all([1, 2, 3, 4, 5, 6].map((each) => source.page({ ...TIMESHEETS, page: each }))));
  expect(time.now() - start).toBeLessThan(1_200);
});

describe('a list that comes whole', () => {
  test.each([
    ['pay-periods', '/payperiods'],
    ['employees', '/employees'],
    ['departments', '/departments'],
  ] as const)('%s are one page', async (feed, path) => {
    const { result, urls } = await readPage({ ...PAY_PERIODS, feed }, [{ id: 'a' }, { id: 'b' }]);
    expect(urls).toEqual([path]);
    expect(result).toMatchObject({ records: [{ id: 'a' }, { id: 'b' }], totalRecords: 2, totalPages: 1 });
  });

  test.each([{ data: [] }, null, 'text', 5])('%j is none', async (body) => {
    const { error } = await readPage(PAY_PERIODS, body);
    expect(error).toMatchObject({ code: 'source_bad_response', status: 200 });
  });

  test('is not sent again while its ETag holds, from one poll to the next', async () => {
    const etags: (string | null)[] = [];
    const { open, time } = createFakeSource((request, nth) => {
      const etag = request.headers.get('if-none-match');
      etags.push(etag);
      if (etag === '"v1"' && nth < 3) return new Response(null, { status: 304 });
      return json([nth], { headers: { etag: nth === 1 ? '"v1"' : '"v2"' } });
    });
    const read = () => time.run(open().read({ path: '/payperiods', isWhole: true }));

    const values = [(await read()).value, (await read()).value, (await read()).value, (await read()).value];
    expect(etags).toEqual([null, '"v1"', '"v1"', '"v2"']);
    expect(values).toEqual([[1], [1], [3], [4]]);
  });

  test('is read anew when it is too large to be kept', async () => {
    const { client, time, requests } = createFakeSource(
      () => json('x'.repeat(2_200_000), { headers: { etag: '"v1"' } }),
      { maxResponseBytes: 4_000_000 },
    );
    for (let nth = 0; nth < 2; nth += 1) await time.run(client.read({ path: '/employees', isWhole: true }));
    expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, null]);
  });
});

describe('one record by id', () => {
  test.each([
    ['timesheets', '/timesheets/1_10', { data: [{ id: '1_10', hoursToPay: 'many' }] }],
    ['pay-periods', '/payperiods/1_10', { id: '1_10' }],
    ['employees', '/employees/1_10', { id: '1_10' }],
    ['departments', '/departments/1_10', { id: '1_10' }],
  ] as const)('of %s is found, unchecked', async (feed, path, body) => {
    const { result, urls } = await lookUp(() => json(body), feed);
    expect(urls).toEqual([path]);
    expect(result).toMatchObject({ outcome: 'found', record: 'data' in body ? body.data[0] : body });
  });

  test('404, and only 404, says that it is gone', async () => {
    const { result } = await lookUp(() => status(404));
    expect(result).toMatchObject({ outcome: 'gone', requestedAt: expect.any(Number) });
    for (const code of [400, 401, 403, 409, 410, 422, 429, 500, 503])
      expect((await lookUp(() => status(code))).error).toMatchObject({ status: code });
  });

  test.each([
    ['no record', { data: [] }],
    ['two records', { data: [{ id: '1_10' }, { id: '1_10' }] }],
    ['another record', { data: [{ id: '1_11' }] }],
    ['a bare record', { id: '1_10' }],
    ['null', null],
  ])('%s proves nothing', async (_what, body) => {
    expect((await lookUp(() => json(body))).error).toMatchObject({ code: 'source_bad_response' });
  });

  test.each(['', '.', '..'])('%j is no id, and is not asked for', async (id) => {
    const { error, urls } = await lookUp(() => status(404), 'timesheets', id);
    expect(error).toMatchObject({ code: 'source_bad_request' });
    expect(urls).toEqual([]);
  });

  test('an id is one segment of the path, whatever it holds', async () => {
    const { urls } = await lookUp(() => status(404), 'timesheets', '../a?b#c/d');
    expect(urls).toEqual(['/timesheets/..%2Fa%3Fb%23c%2Fd']);
  });
});

describe('the timesheets of an employee in a pay period', () => {
  test('are asked for by both, and read to the last page', async () => {
    const { result, urls } = await listMembers(({ url }) =>
      url.endsWith('page=2')
        ? json(page(['c'], { page: 2, totalPages: 2, totalRecords: 3 }))
        : json(page(['a', 'b'], { totalPages: 2, totalRecords: 3 })),
    );
    expect(result).toEqual(['a', 'b', 'c']);
    expect(urls).toEqual([1, 2].map((n) => `/employees/2001_7/timesheets?payPeriodId=3_7&page=${n}`));
  });

  test('may be none', async () => {
    expect((await listMembers(() => json(page([], { totalPages: 0 })))).result).toEqual([]);
  });

  test.each<[string, () => Response, string]>([
    ['a list that is not there', () => status(404), 'source_not_found'],
    ['one that may not be read', () => status(403), 'source_forbidden'],
    ['one shorter than it says', () => json(page(['a'], { totalRecords: 2 })), 'source_bad_response'],
    ['a record without an id', () => json({ ...envelope({}), data: [{}] }), 'source_bad_response'],
  ])('of %s are not known', async (_what, respond, code) => {
    expect((await listMembers(respond)).error).toMatchObject({ code });
  });
});

test('requests and 429s are counted', async () => {
  const { source, time } = createFakeSource((_request, nth) => (nth <= 2 ? status(429) : json([])));
  await time.run(source.page(PAY_PERIODS));

  expect(source.counts()).toEqual({ requests: 3, throttled: 2 });
});

function envelope(pagination: Record<string, unknown>): object {
  return page([], pagination) as object;
}

const readPage = (asked: Parameters<SourceApi['page']>[0], body: unknown) =>
  ask(
    ({ page: read }) => read(asked),
    () => json(body),
  );
const lookUp = (respond: Respond, feed: FeedName = 'timesheets', id = '1_10') =>
  ask(({ lookUp: find }) => find(feed, id), respond);
const listMembers = (respond: Respond) => ask(({ listMembers: list }) => list('2001_7', '3_7'), respond);

/** What the source gives or throws, and the addresses below `/api/v1` that were asked for. */
async function ask<T>(question: (source: SourceApi) => Promise<T>, respond: Respond) {
  const { source, time, requests } = createFakeSource(respond);
  const work = question(source);
  const error = await time.run(catchError(work.then(() => Promise.reject(null))));
  const urls = [...new Set(requests.map(({ url }) => url.replace('https://acme.example/api/v1', '')))];
  return { result: error === null ? await work : null, error, urls };
}
