import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { ABANDONED_WALK, type Page, type WalkEnd, walkPages } from '#shared/core/fetch/pages.ts';
import {
  createSeededRandom,
  createVirtualTime,
  type VirtualTime,
} from '#test/shared/adapters/workforce-api/virtual-time.ts';

describe('pages asked for ahead', () => {
  test('are asked for from the moment the second one is wanted, 8 at a time, and come in order', async () => {
    const source = createSource({ ids: idsUpTo(40), pageSize: 2, latencyMs: (page) => 1_000 - page * 40 });
    const walking = source.walk();

    await source.time.run(walking.next());
    expect(source.asked).toEqual(['first']);
    const second = await source.time.run(walking.next());

    expect(source.asked).toEqual(['first', 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(second.value).toMatchObject({ pagination: { page: 2 } });
    const { pages, end } = await source.time.run(rest(walking));
    expect(pages.map(({ pagination }) => pagination?.page)).toEqual(upTo(20).slice(2));
    expect(end).toMatchObject({ complete: true, pagesReceived: 20 });
    expect(source.asked).toHaveLength(20);
  });

  test('are never more than 8 that nobody has taken yet', async () => {
    const source = createSource({ ids: idsUpTo(100), pageSize: 1 });
    const walking = source.walk();
    for (let taken = 1; taken <= 100; taken += 1) {
      await source.time.run(walking.next());
      expect(source.asked.length - taken).toBeLessThan(8);
    }
  });

  test('take as long as their number divided by 8', async () => {
    const source = createSource({ ids: idsUpTo(81), pageSize: 1, latencyMs: () => 300 });
    const start = source.time.now();

    expect((await source.time.run(rest(source.walk()))).end.complete).toBe(true);
    expect(source.time.now() - start).toBeLessThanOrEqual(300 * (1 + 80 / 8));
  });

  test('a walk that is abandoned asks for no more, and what fails later is nobody’s business', async () => {
    const source = createSource({ ids: idsUpTo(40), pageSize: 2, failing: new Set([4, 5]) });
    const walking = source.walk();
    await source.time.run(walking.next());
    await source.time.run(walking.next());
    const asked = source.asked.length;

    expect((await walking.return(ABANDONED_WALK)).value).toEqual(ABANDONED_WALK);
    await source.time.run(source.time.sleep(60_000));

    expect(source.asked).toHaveLength(asked);
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
  });

  test('a page that fails ends the walk when its turn comes', async () => {
    const source = createSource({ ids: idsUpTo(40), pageSize: 2, failing: new Set([4]) });

    const { pages, end } = await source.time.run(rest(source.walk()));

    expect(pages).toHaveLength(3);
    expect(end).toMatchObject({ complete: false, problem: 'source_error', error: { code: 'source_failed' } });
    expect(source.signals.every(({ aborted }) => aborted)).toBe(true);
  });

  test('a mistake of ours is not hidden', async () => {
    const bug = new TypeError('x is not a function');
    const source = createSource({ ids: idsUpTo(40), pageSize: 2 });
    const walking = walkPages(source.first, () => () => Promise.reject(bug));

    await expect(source.time.run(rest(walking))).rejects.toBe(bug);
  });

  test('a source that ignores the number is followed in turn instead', async () => {
    const source = createSource({ ids: idsUpTo(9), pageSize: 2, ignoresNumber: true });

    const { pages, end } = await source.time.run(rest(source.walk()));

    expect(pages.map(({ pagination }) => pagination?.page)).toEqual([1, 2, 3, 4, 5]);
    expect(end).toMatchObject({ complete: true });
    expect(source.asked.slice(-4)).toEqual(['next 2', 'next 3', 'next 4', 'next 5']);
  });

  test('a source that ignores every page ends as one that answers wrong pages', async () => {
    const source = createSource({ ids: idsUpTo(9), pageSize: 2 });
    const always = () => source.first(null);

    const { end } = await source.time.run(rest(walkPages(always, () => always)));

    expect(end).toMatchObject({ complete: false, problem: 'wrong_page' });
  });

  test('a list that cannot be asked by number is followed in turn', async () => {
    const source = createSource({ ids: idsUpTo(6), pageSize: 2 });

    const { end } = await source.time.run(rest(walkPages(source.first, () => null)));

    expect(end.complete).toBe(true);
    expect(source.asked).toEqual(['first', 'next 2', 'next 3']);
  });

  test('pages beyond the announced ones are followed in turn', async () => {
    const source = createSource({ ids: idsUpTo(12), pageSize: 2, announced: 4 });

    const { pages, end } = await source.time.run(rest(source.walk()));

    expect(source.asked).toEqual(['first', 2, 3, 4, 'next 5', 'next 6']);
    expect(pages).toHaveLength(6);
    expect(end.complete).toBe(true);
  });

  test('a total that changes on the way is seen', async () => {
    const source = createSource({
      ids: idsUpTo(40),
      pageSize: 2,
      onRequest: (nth, list) => {
        if (nth === 10) list.splice(3, 1);
      },
    });

    expect((await source.time.run(rest(source.walk()))).end).toMatchObject({
      complete: false,
      problem: 'drifted',
    });
  });
});

describe('for any list, page size and latencies', () => {
  const shape = fc.record({
    total: fc.nat({ max: 60 }),
    pageSize: fc.integer({ min: 1, max: 7 }),
    seed: fc.nat({ max: 1_000_000 }),
  });

  test('a list that holds still gives the same pages ahead as in turn', async () => {
    await fc.assert(
      fc.asyncProperty(shape, async ({ total, pageSize, seed }) => {
        const random = createSeededRandom(seed);
        const options = { ids: idsUpTo(total), pageSize, latencyMs: () => Math.round(random() * 500) };
        const [ahead, inTurn] = [createSource(options), createSource(options)];

        const byNumber = await ahead.time.run(rest(ahead.walk()));
        const followed = await inTurn.time.run(rest(walkPages(inTurn.first)));

        expect(byNumber.pages.map(({ records }) => records)).toEqual(
          followed.pages.map(({ records }) => records),
        );
        expect(byNumber.end).toEqual(followed.end);
        expect(byNumber.end.complete).toBe(true);
      }),
    );
  });

  test('a walk is never complete when a record that was there all the time is missing', async () => {
    const change = fc.record({
      at: fc.integer({ min: 1, max: 30 }),
      place: fc.nat({ max: 60 }),
      kind: fc.constantFrom('insert', 'delete'),
    });
    let incomplete = 0;
    await fc.assert(
      fc.asyncProperty(shape, fc.array(change, { maxLength: 1 }), async (list, changes) => {
        const random = createSeededRandom(list.seed);
        const ids = idsUpTo(list.total);
        const deleted = new Set<string>();
        const source = createSource({
          ids,
          pageSize: list.pageSize,
          latencyMs: () => Math.round(random() * 500),
          onRequest: (nth, current) => {
            for (const id of applyChanges(
              current,
              changes.filter(({ at }) => at === nth),
            ))
              deleted.add(id);
          },
        });

        const { pages, end } = await source.time.run(rest(source.walk()));

        const seen = new Set(pages.flatMap(({ records }) => records.map((record) => (record as Id).id)));
        const lasting = idsUpTo(list.total).filter((id) => !deleted.has(id));
        if (end.complete) expect(lasting.filter((id) => !seen.has(id))).toEqual([]);
        else incomplete += 1;
        expect(end.problem === null || end.problem === 'drifted').toBe(true);
      }),
    );
    expect(incomplete).toBeGreaterThan(0);
  });
});

interface Change {
  readonly place: number;
  readonly kind: 'insert' | 'delete';
}

/** The ids that were deleted. */
function applyChanges(list: string[], changes: readonly Change[]): string[] {
  return changes.flatMap(({ place, kind }) =>
    kind === 'insert' ? list.splice(place, 0, `new ${place}`) : list.splice(place, 1),
  );
}

interface Id {
  readonly id: string;
}

interface SourceOptions {
  readonly ids: readonly string[];
  readonly pageSize: number;
  /** Of a page, by its number. */
  readonly latencyMs?: (page: number) => number;
  readonly failing?: ReadonlySet<number>;
  /** Answers what is asked by number with the first page. */
  readonly ignoresNumber?: boolean;
  /** Pages that are announced, whatever there is. */
  readonly announced?: number;
  /** Before the so manieth request is answered: the list may change. */
  readonly onRequest?: (nth: number, list: string[]) => void;
}

/** A list behind latencies in virtual time; a page is cut when its answer comes. */
function createSource(options: SourceOptions) {
  const { pageSize, latencyMs = () => 100, failing, ignoresNumber = false, announced, onRequest } = options;
  const time: VirtualTime = createVirtualTime();
  const list = [...options.ids];
  const asked: (string | number)[] = [];
  const signals: AbortSignal[] = [];
  let answered = 0;
  const answer = async (page: number): Promise<Page> => {
    const requestedAt = time.now();
    await time.sleep(latencyMs(page));
    answered += 1;
    onRequest?.(answered, list);
    if (failing?.has(page)) throw new SourceError('source_failed', 'down', { status: 503 });
    const last = Math.max(1, Math.ceil(list.length / pageSize));
    return {
      records: list.slice((page - 1) * pageSize, page * pageSize).map((id) => ({ id })),
      pagination: {
        page,
        pageSize,
        totalPages: announced ?? last,
        totalRecords: list.length,
        nextPage: page < last ? String(page + 1) : '',
      },
      requestedAt,
      receivedAt: time.now(),
    };
  };
  const first = async (next: string | null): Promise<Page> => {
    asked.push(next === null ? 'first' : `next ${next}`);
    return await answer(next === null ? 1 : Number(next));
  };
  const numbered = async (page: number, signal: AbortSignal): Promise<Page> => {
    asked.push(page);
    signals.push(signal);
    return await answer(ignoresNumber ? 1 : page);
  };
  return { time, asked, signals, first, walk: () => walkPages(first, () => numbered) };
}

async function rest(walking: AsyncGenerator<Page, WalkEnd>): Promise<{ pages: Page[]; end: WalkEnd }> {
  const pages: Page[] = [];
  for (;;) {
    const step = await walking.next();
    if (step.done) return { pages, end: step.value };
    pages.push(step.value);
  }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function idsUpTo(count: number): string[] {
  return upTo(count).map((number) => `record ${number}`);
}
