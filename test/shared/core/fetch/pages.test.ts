import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { idOf, type Page, type Pagination, type WalkEnd, walkPages } from '#shared/core/fetch/pages.ts';

const COMPLETE: WalkEnd = {
  complete: true,
  problem: null,
  error: null,
  pagesReceived: 2,
};

describe('a walk over pages', () => {
  test('sees every page once and says that it was all', async () => {
    const { asked, pages, end } = await walk([page(1, ['a', 'b'], 3), page(2, ['c'], 3)]);

    expect(asked).toEqual([null, '/next/2']);
    expect(pages.map(({ records }) => records)).toEqual([[{ id: 'a' }, { id: 'b' }], [{ id: 'c' }]]);
    expect(end).toEqual(COMPLETE);
  });

  test('of a bare array is one page, whole as it is', async () => {
    const { end } = await walk([{ ...page(1, ['a', 'a', 'b'], 0), pagination: null }]);

    expect(end).toEqual({
      ...COMPLETE,
      pagesReceived: 1,
    });
  });

  test('without any record is complete', async () => {
    expect((await walk([page(1, [], 0, { nextPage: '' })])).end).toMatchObject({
      complete: true,
    });
  });

  test('in which a record comes twice is not all, since another was pushed out', async () => {
    const { end } = await walk([page(1, ['a', 'b'], 4), page(2, ['b', 'c'], 4)]);

    expect(end).toMatchObject({ complete: false, problem: 'drifted' });
  });

  test('of which a page holds a record twice is all, whether the total counts both or one', async () => {
    for (const total of [4, 3]) {
      const { end } = await walk([page(1, ['a', 'a', 'b'], total), page(2, ['c'], total)]);
      expect(end).toMatchObject({ complete: true });
    }
    const others = [await walk([page(1, ['a', 'a'], 3, { nextPage: '' })])];
    others.push(await walk([page(1, ['a', 'a', 'b'], 1, { nextPage: '' })]));
    expect(others.map(({ end }) => end.problem)).toEqual(['drifted', 'drifted']);
  });

  test('in which the total changes goes on, but proves no absence', async () => {
    const { pages, end } = await walk([page(1, ['a', 'b'], 3), page(2, ['c', 'd'], 4)]);

    expect(pages).toHaveLength(2);
    expect(end).toMatchObject({
      complete: false,
      problem: 'drifted',
    });
  });

  test('with fewer records than announced is not all', async () => {
    expect((await walk([page(1, ['a'], 5, { nextPage: '' })])).end).toMatchObject({ problem: 'drifted' });
  });

  test('counts records without an id as of the total', async () => {
    const odd = { ...page(1, [], 3, { nextPage: '' }), records: [{ id: 'a' }, null, { id: 7 }] };

    expect((await walk([odd])).end).toMatchObject({ complete: true });
  });

  test('that gets another page than it asked for ends', async () => {
    const { pages, end } = await walk([page(1, ['a'], 3), page(3, ['c'], 3), page(4, ['d'], 3)]);

    expect(pages).toHaveLength(2);
    expect(end).toMatchObject({ complete: false, problem: 'wrong_page' });
  });

  test('that is led back to a page it has read ends', async () => {
    const loop = (number: number) => page(number, [`${number}`], 9, { nextPage: '/again', totalPages: 9 });
    const { asked, end } = await walk([loop(1), loop(2), loop(3)]);

    expect(asked).toEqual([null, '/again']);
    expect(end).toMatchObject({ complete: false, problem: 'page_loop', pagesReceived: 2 });
  });

  test('that never ends is left three pages after the announced ones', async () => {
    const endless = Array.from({ length: 50 }, (_, nth) => page(nth + 1, [`${nth}`], 50, { totalPages: 4 }));

    expect((await walk(endless)).end).toMatchObject({ problem: 'page_loop', pagesReceived: 7 });
  });

  test('that fails keeps what came before, and the failure', async () => {
    const error = new SourceError('source_failed', 'down', { status: 503 });
    const { pages, end } = await walk([page(1, ['a', 'b'], 3), error]);

    expect(pages).toHaveLength(1);
    expect(end).toEqual({
      ...COMPLETE,
      complete: false,
      problem: 'source_error',
      error,
      pagesReceived: 1,
    });
  });

  test('hides no mistake of ours', async () => {
    const bug = new TypeError('x is not a function');

    await expect(walk([bug])).rejects.toBe(bug);
  });

  test('over pages that hold every record once is complete, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 10 }), async (total, size) => {
        const ids = Array.from({ length: total }, (_, nth) => `${nth}`);
        const last = Math.max(1, Math.ceil(total / size));
        const pages = Array.from({ length: last }, (_, nth) =>
          page(nth + 1, ids.slice(nth * size, (nth + 1) * size), total, {
            totalPages: last,
            nextPage: nth + 1 === last ? '' : `/next/${nth + 2}`,
          }),
        );
        expect((await walk(pages)).end).toMatchObject({ complete: true });
      }),
    );
  });

  test('always ends, whatever the pages say', async () => {
    const number = fc.integer({ min: 0, max: 4 });
    const anyPage = fc
      .record({ page: number, totalPages: number, totalRecords: number, next: number })
      .map((some) => page(some.page, ['a'], some.totalRecords, { ...some, nextPage: `/next/${some.next}` }));
    await fc.assert(
      fc.asyncProperty(fc.array(anyPage, { minLength: 20, maxLength: 20 }), async (pages) => {
        const { asked, end } = await walk(pages);
        expect(asked.length).toBeLessThanOrEqual(7);
        expect(end.complete).toBe(end.problem === null);
      }),
    );
  });
});

describe('the id of a record', () => {
  test.each([
    [{ id: '1_10' }, '1_10'],
    [{ id: 'x'.repeat(100) }, 'x'.repeat(100)],
    [{ id: 'x'.repeat(101) }, null],
    [{ id: '' }, null],
    [{ id: 5 }, null],
    [{ name: 'no id' }, null],
    [JSON.parse('{"__proto__":{"id":"inherited"}}'), null],
    [Object.create({ id: 'inherited' }), null],
    [null, null],
    ['text', null],
  ])('of %j is %j', (record, expected) => {
    expect(idOf(record)).toBe(expected);
  });
});

/** A page that leads to the next, if there is one by its total of two records a page. */
function page(
  number: number,
  ids: readonly string[],
  ...[totalRecords, pagination]: [number, Partial<Pagination>?]
): Page {
  const totalPages = Math.ceil(totalRecords / 2);
  const nextPage = pagination?.totalPages || number < totalPages ? `/next/${number + 1}` : '';
  return {
    records: ids.map((id) => ({ id })),
    pagination: { page: number, pageSize: 2, totalPages, totalRecords, nextPage, ...pagination },
    requestedAt: number,
    receivedAt: number,
  };
}

async function walk(answers: readonly (Page | Error)[]) {
  const asked: (string | null)[] = [];
  const walking = walkPages(async (next) => {
    const answer = answers[asked.push(next) - 1];
    if (answer === undefined) throw new Error('the walk asked for more than there is');
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const pages: Page[] = [];
  for (;;) {
    const step = await walking.next();
    if (step.done) return { asked, pages, end: step.value };
    pages.push(step.value);
  }
}
