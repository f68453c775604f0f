import { describe, expect, test } from 'vitest';
import { ABANDONED_WALK } from '#shared/core/fetch/pages.ts';
import {
  collectWalk,
  createFakeSource,
  type FakeOptions,
  json,
  page,
  type Respond,
  status,
} from './fake-source.ts';
import { payPeriod, timesheet, timesheetPage } from './records.ts';

const RANGE = { from: '2026-03-01', to: '2026-03-02' };

describe('pages of timesheets', () => {
  test('are requested by dates and page size, and followed to the end', async () => {
    const { pages, end, urls } = await walk(threePages('/api/v1/timesheets?page='));

    expect(urls).toEqual([
      '/api/v1/timesheets?dateFrom=2026-03-01&dateTo=2026-03-02&pageSize=2',
      '/api/v1/timesheets?page=2&dateFrom=2026-03-01&dateTo=2026-03-02&pageSize=2',
      '/api/v1/timesheets?page=3&dateFrom=2026-03-01&dateTo=2026-03-02&pageSize=2',
    ]);
    expect(pages.map(({ records }) => records)).toEqual([
      [{ id: 'a' }, { id: 'b' }],
      [{ id: 'c' }, { id: 'd' }],
      [{ id: 'e' }],
    ]);
    expect(end).toEqual({
      complete: true,
      problem: null,
      error: null,
      pagesReceived: 3,
    });
  });

  test.each([
    '/api/v1/timesheets?page=',
    'api/v1/timesheets?page=',
    '/timesheets?page=',
    'timesheets?page=',
    '/base/api/v1/timesheets?page=',
    'https://acme.example/base/api/v1/timesheets?page=',
  ])('are followed when nextPage is spelled %s', async (spelling) => {
    const { end, urls } = await walk(threePages(spelling), { baseUrl: 'https://acme.example/base/' });

    expect(end.complete).toBe(true);
    expect(new Set(urls.map((url) => url.split('?')[0]))).toEqual(new Set(['/base/api/v1/timesheets']));
  });

  test('records are handed on unchecked: a bad one does not make its page bad', async () => {
    const bad = [null, 1, 'text', [], { id: 5 }, { id: 'a', date: 'never' }];
    const { pages } = await walk(() => json({ ...(page([], { totalRecords: 6 }) as object), data: bad }));

    expect(pages[0]?.records).toEqual(bad);
  });

  test('carry the instants of their own request', async () => {
    const { source, time } = createFakeSource(async () => {
      await time.sleep(300);
      return json(page(['a']));
    });
    const start = time.now();

    const { pages } = await time.run(collectWalk(source.pages('timesheets', RANGE)));

    expect(pages[0]).toMatchObject({ requestedAt: start, receivedAt: start + 300 });
  });

  test.each(['https://evil.example/api/v1/timesheets?page=2', '//evil.example/x', 'http://acme.example/x'])(
    'nextPage %s is not followed',
    async (nextPage) => {
      const { pages, end, urls } = await walk(() => json(page(['a', 'b'], { totalRecords: 3, nextPage })));

      expect(pages).toHaveLength(1);
      expect(end).toMatchObject({
        complete: false,
        problem: 'source_error',
        error: { code: 'source_redirected' },
      });
      expect(urls).toHaveLength(1);
    },
  );

  test('that point at each other end as a loop', async () => {
    const { end, urls } = await walk((request) => {
      const number = numberOf(request);
      const nextPage = `/timesheets?page=${number === 2 ? 1 : 2}`;
      return json(page([`${number}`], { page: number, totalPages: 2, totalRecords: 2, nextPage }));
    });

    expect(end.complete).toBe(false);
    expect(urls.length).toBeLessThan(5);
  });

  test('that never end are left after the announced ones and a few more', async () => {
    const { end, urls } = await walk((request) => {
      const number = numberOf(request);
      const nextPage = `/timesheets?page=${number + 1}`;
      return json(page([`${number}`], { page: number, totalPages: 4, totalRecords: 4, nextPage }));
    });

    expect(end).toMatchObject({ complete: false, problem: 'page_loop' });
    expect(urls).toHaveLength(7);
  });

  test('that fail in the middle keep what came before', async () => {
    const { pages, end } = await walk((request, nth) =>
      numberOf(request) === 2 ? status(500) : threePages('/timesheets?page=')(request, nth),
    );

    expect(pages).toHaveLength(1);
    expect(end).toMatchObject({ complete: false, problem: 'source_error', error: { code: 'source_failed' } });
  });

  test.each([[''], [null], [undefined]])('the last one says so with nextPage %j', async (last) => {
    const { pages, end } = await walk((request) => {
      const number = numberOf(request);
      const nextPage = number === 1 ? '/timesheets?page=2' : last;
      return json(page([`${number}`], { page: number, totalPages: 2, totalRecords: 2, nextPage }));
    });

    expect(pages).toHaveLength(2);
    expect(end).toMatchObject({ complete: true, pagesReceived: 2 });
  });

  test('that end with nextPage null before all came prove nothing', async () => {
    const { end } = await walk(() =>
      json(page(['a', 'b'], { totalPages: 2, totalRecords: 3, nextPage: null })),
    );

    expect(end).toMatchObject({ complete: false, problem: 'drifted' });
  });

  test('an empty range is one page without records', async () => {
    const { pages, end } = await walk(() => json(page([], { totalPages: 0 })));

    expect(pages).toHaveLength(1);
    expect(end).toMatchObject({ complete: true });
  });
});

describe('pages requested ahead', () => {
  test('70 pages at 300 ms take at most 6.8 s, in their order', async () => {
    const { source, time } = createFakeSource(async (request) => {
      await time.sleep(300);
      return json(pageOf(numberOf(request), { total: 140, size: 2 }));
    });
    const start = time.now();

    const { pages, end } = await time.run(collectWalk(source.pages('timesheets', RANGE)));

    expect(end).toMatchObject({ complete: true });
    expect(pages.map(({ pagination }) => pagination?.page)).toEqual(
      Array.from({ length: 70 }, (_, index) => index + 1),
    );
    expect(time.now() - start).toBeLessThanOrEqual(6_800);
  });

  test('an abandoned walk starts no further request', async () => {
    const { source, time, requests } = createFakeSource(async (request) => {
      await time.sleep(300);
      return json(pageOf(numberOf(request), { total: 140, size: 2 }));
    });
    const walking = source.pages('timesheets', RANGE);
    await time.run(walking.next());
    await time.run(walking.next());
    const sent = requests.length;

    await walking.return(ABANDONED_WALK);
    await time.run(time.sleep(60_000));

    expect(requests).toHaveLength(sent);
    expect(sent).toBeLessThan(9);
  });

  test('a list whose next page has no number is followed in turn', async () => {
    const cursors = ['', 'x', 'y'];
    const { end, urls } = await walk((request) => {
      const number = cursors.indexOf(new URL(request.url).searchParams.get('cursor') ?? '') + 1;
      const nextPage = number === 3 ? '' : `/timesheets?cursor=${cursors[number]}`;
      return json(page([`${number}`], { page: number, totalPages: 3, totalRecords: 3, nextPage }));
    });

    expect(end.complete).toBe(true);
    expect(urls.map((url) => new URL(url, 'https://a.example').searchParams.get('cursor'))).toEqual([
      null,
      'x',
      'y',
    ]);
  });

  test('a smaller page size than requested is accepted', async () => {
    const { end, urls } = await walk((request) => json(pageOf(numberOf(request), { total: 9, size: 3 })), {
      pageSize: 1_000,
    });

    expect(end).toMatchObject({ complete: true, pagesReceived: 3 });
    expect(urls).toHaveLength(3);
  });
});

describe('pages of pay periods', () => {
  test('are one bare array', async () => {
    const { source, time, requests } = createFakeSource(() => json([payPeriod]));

    const { pages, end } = await time.run(collectWalk(source.pages('pay-periods', null)));

    expect(requests.map(({ url }) => url)).toEqual(['https://acme.example/api/v1/payperiods']);
    expect(pages).toMatchObject([{ records: [payPeriod], pagination: null }]);
    expect(end).toMatchObject({ complete: true });
  });

  test('an envelope instead of the array is a bad answer', async () => {
    const { source, time } = createFakeSource(() => json({ data: [payPeriod] }));

    const { end } = await time.run(collectWalk(source.pages('pay-periods', null)));

    expect(end).toMatchObject({ complete: false, error: { code: 'source_bad_response' } });
  });
});

describe('one record by id', () => {
  test('a timesheet comes out of its envelope, unchecked', async () => {
    const odd = { ...timesheet, hoursToPay: 'many' };
    const { lookup, urls } = await lookUp(() => json({ ...timesheetPage, data: [odd] }));

    expect(lookup).toMatchObject({ outcome: 'found', record: odd });
    expect(urls).toEqual(['/api/v1/timesheets/1_10']);
  });

  test('a pay period comes bare', async () => {
    const { source, time } = createFakeSource(() => json(payPeriod));

    expect(await time.run(source.lookUp('pay-periods', '11_1'))).toMatchObject({
      outcome: 'found',
      record: payPeriod,
    });
  });

  test('404, and only 404, says that it is gone', async () => {
    const { source, time } = createFakeSource(() => status(404));
    const start = time.now();

    expect(await time.run(source.lookUp('timesheets', '1_10'))).toEqual({
      outcome: 'gone',
      requestedAt: start,
      receivedAt: start,
    });
    for (const code of [400, 401, 403, 409, 410, 422, 429, 500, 503])
      expect((await lookUp(() => status(code))).error).toMatchObject({ status: code });
  });

  test.each([
    ['no record', { ...timesheetPage, data: [] }],
    ['two records', { ...timesheetPage, data: [timesheet, timesheet] }],
    ['another record', { ...timesheetPage, data: [{ ...timesheet, id: '1_11' }] }],
    ['a bare record', timesheet],
    ['null', null],
  ])('%s is a bad answer and proves nothing', async (_what, body) => {
    const { error } = await lookUp(() => json(body));

    expect(error).toMatchObject({ code: 'source_bad_response' });
  });
});

test('requests and 429s are counted, token requests are not', async () => {
  const { source, time } = createFakeSource((_request, nth) => (nth <= 2 ? status(429) : json([])));

  await time.run(collectWalk(source.pages('pay-periods', null)));

  expect(source.counts()).toEqual({ requests: 3, throttled: 2 });
});

async function walk(respond: Respond, options: FakeOptions = {}) {
  const { source, time, requests } = createFakeSource(respond, options);
  const result = await time.run(collectWalk(source.pages('timesheets', RANGE)));
  return { ...result, urls: requests.map(({ url }) => url.replace('https://acme.example', '')) };
}

async function lookUp(respond: Respond) {
  const { source, time, requests } = createFakeSource(respond);
  const urls = () => requests.map(({ url }) => url.replace('https://acme.example', ''));
  try {
    const lookup = await time.run(source.lookUp('timesheets', '1_10'));
    return { lookup, error: null, urls: urls() };
  } catch (error) {
    return { lookup: null, error, urls: urls() };
  }
}

/** A page of a list of `total` records, whose `nextPage` has a number. */
function pageOf(number: number, { total, size }: { total: number; size: number }): unknown {
  const last = Math.ceil(total / size);
  const first = (number - 1) * size;
  const ids = Array.from({ length: Math.min(size, total - first) }, (_, index) => `${first + index}`);
  return page(ids, {
    page: number,
    pageSize: size,
    totalPages: last,
    totalRecords: total,
    nextPage: number < last ? `/api/v1/timesheets?page=${number + 1}` : '',
  });
}

function numberOf(request: Request): number {
  return Number(new URL(request.url).searchParams.get('page') ?? 1);
}

/** Five records on three pages. */
function threePages(nextPage: string): Respond {
  return (request) => {
    const number = numberOf(request);
    const ids = [['a', 'b'], ['c', 'd'], ['e']][number - 1];
    return json(
      page(ids ?? [], {
        page: number,
        totalPages: 3,
        totalRecords: 5,
        nextPage: number === 3 ? '' : `${nextPage}${number + 1}`,
      }),
    );
  };
}
