import { TimeoutError } from 'ky';
import { describe, expect, test } from 'vitest';
import { type LearnedPace, learnedPaceSchema } from '#shared/core/snapshot/learned-state.ts';
import { collectWalk, createFakeSource, type Fake, json, page, type Respond, status } from './fake-source.ts';

const RANGE = { from: '2026-03-01', to: '2026-03-02' };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How a source fails. */
const FAILURES: Readonly<Record<string, Respond>> = {
  500: () => status(500),
  502: () => status(502),
  503: () => status(503),
  504: () => status(504),
  reset: () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    throw new TypeError('fetch failed', { cause });
  },
  silence: (request) => {
    throw new TimeoutError(request);
  },
};
const fail: Respond = () => status(502);

describe('a page size that is refused', () => {
  test.each([
    [400, 200, [1000, 200, 1000, 200, 200]],
    [413, 200, [1000, 200, 1000, 200, 200]],
    [422, 200, [1000, 200, 1000, 200, 200]],
    [400, 0, [1000, 200, 0, 200, 0, 0]],
  ] as const)('twice with %i falls back to %i', async (code, largest, sizes) => {
    const { end, asked } = await walkOnce(above(largest, () => status(code)));

    expect(end).toMatchObject({ complete: true });
    expect(asked).toEqual(sizes);
  });

  test('is made smaller for an answer that is too long to be read', async () => {
    const { end, asked } = await walkOnce(above(200, () => new Response('x'.repeat(2_000_000))));

    expect(end.complete).toBe(true);
    expect(asked).toEqual([1000, 200, 1000, 200, 200]);
  });

  test('once, and taken when it is asked for again, is kept', async () => {
    const { end, asked } = await walkOnce((request, nth) => (nth === 1 ? status(400) : answerPage(request)));

    expect(end.complete).toBe(true);
    expect(asked).toEqual([1000, 200, 1000, 1000, 1000]);
  });

  test('is not to blame if the source refuses every size: that is the error, and nothing is kept', async () => {
    let isRefusing = true;
    const source = open((request, nth) => (isRefusing ? status(400) : above(1_000, fail)(request, nth)));
    const { end } = await walk(source);
    isRefusing = false;
    await walk(source);

    expect(end).toMatchObject({
      problem: 'source_error',
      error: { code: 'source_bad_request', status: 400 },
    });
    expect(sizesOf(source).slice(0, 4)).toEqual([1000, 200, 0, 1000]);
  });

  test('is not made smaller by an answer about something else', async () => {
    for (const code of [401, 403, 404, 409, 429]) {
      const { asked } = await walkOnce(() => status(code));
      expect(new Set(asked)).toEqual(new Set([1000]));
    }
  });
});

describe.each(Object.entries(FAILURES))('a source that fails for large pages with %s', (_how, failing) => {
  test('is read with smaller ones, and asked for no large one any more', async () => {
    const source = open(above(200, failing));
    const { end } = await walk(source);
    const sent = source.requests.length;
    const next = await walk(source);

    expect(end).toMatchObject({ complete: true, pagesReceived: 3 });
    expect(sizesOf(source, 0, sent)).toEqual(expect.arrayContaining([1000, 200]));
    expect(sent).toBeLessThanOrEqual(14);
    expect(next.end).toMatchObject({ complete: true });
    expect(sizesOf(source, sent)).toEqual([200, 200, 200]);
  });
});

describe('a size that was too large', () => {
  test.each([
    ['failed', () => status(504)],
    ['was refused', () => status(413)],
  ])(
    'because it %s is left out by the polls of the next days, and tried again after them',
    async (_how, respond) => {
      const learned = await learnFrom(above(200, respond));

      for (const days of [0, 1, 2.9]) expect((await pollAfter(days, learned)).sizes).toEqual([200, 200, 200]);
      for (const days of [3, 30]) {
        const { sizes, pace } = await pollAfter(days, learned);
        expect(sizes).toEqual([1000, 1000, 1000]);
        expect(pace).not.toHaveProperty('tooLarge');
      }
    },
  );

  test('is remembered as it was found until then, whichever poll hands it on', async () => {
    const learned = await learnFrom(above(200, fail));
    const { pace } = await pollAfter(1, learned);

    expect(learned?.tooLarge).toMatchObject({ pageSize: 1_000 });
    expect(pace?.tooLarge).toEqual(learned?.tooLarge);
  });

  test('says nothing of smaller ones that are configured since', async () => {
    const learned = await learnFrom(above(200, fail));

    expect((await pollAfter(1, learned, { pageSize: 500 })).sizes).toEqual([500, 500, 500]);
    expect((await pollAfter(1, learned, { pageSize: 5_000 })).sizes).toEqual([200, 200, 200]);
  });

  test('by a clock that was ahead is tried again', async () => {
    const { tooLarge, ...pace } = (await learnFrom(above(200, fail))) as LearnedPace;
    const ahead = { pageSize: 1_000, at: (tooLarge?.at ?? 0) + DAY_MS };
    const source = open(answerPage);
    source.source.resumePace?.({ ...pace, tooLarge: ahead });
    await walk(source);

    expect(sizesOf(source)).toEqual([1000, 1000, 1000]);
  });

  test('may be all that can be named: then the size of the service is taken', async () => {
    const learned = await learnFrom(above(100, fail));

    expect(learned?.tooLarge).toMatchObject({ pageSize: 200 });
    expect((await pollAfter(1, learned)).sizes).toEqual([0, 0, 0]);
  });
});

describe('an outage', () => {
  test.each(Object.entries(FAILURES))('with %s at every size teaches no size', async (_how, failing) => {
    const source = open(failing);
    const { end } = await walk(source);

    expect(end).toMatchObject({ complete: false, problem: 'source_error' });
    expect(source.source.learnedPace?.()?.tooLarge).toBeUndefined();
  });

  test('costs requests with smaller pages once in a poll', async () => {
    const source = open(fail);
    for (let walks = 0; walks < 10; walks += 1) await walk(source);

    const smaller = sizesOf(source).filter((size) => size !== 1_000);
    // Retries have a budget, whichever size they are for.
    expect(smaller.length).toBeLessThanOrEqual(10);
    expect(source.requests.length).toBeLessThanOrEqual(10 + 2 + 10 + 3);
    expect(sizesOf(source).slice(-8)).toEqual(Array(8).fill(1_000));
  });

  test('that ends while smaller pages are tried teaches no size either', async () => {
    const source = open((request, nth) => (nth <= 5 ? status(500) : above(1_000, fail)(request, nth)));
    const { end } = await walk(source);
    await walk(source);

    expect(end).toMatchObject({ complete: true });
    expect(sizesOf(source)).toEqual([...Array(5).fill(1_000), 200, ...Array(6).fill(1_000)]);
    expect(source.source.learnedPace?.()).not.toHaveProperty('tooLarge');
  });

  test('is told as it began, when no time is left for smaller pages', async () => {
    const source = open(() => status(500), { timeMs: 5_000 });
    const { end } = await walk(source);

    expect(end.error).toMatchObject({ code: 'source_failed', status: 500 });
  });

  test('that turns into throttling is told as that', async () => {
    const { end } = await walkOnce(above(200, fail, () => status(429)));

    expect(end.error).toMatchObject({ code: 'source_throttled', status: 429 });
  });
});

/** A source of five records, two a page, that fails for pages above a size; 0 is the size of the service. */
function above(largest: number, failing: Respond, answer: Respond = answerPage): Respond {
  return (request, nth) => (sizeOf(request) > largest ? failing(request, nth) : answer(request, nth));
}

function answerPage(request: Request): Response {
  const number = Number(new URL(request.url).searchParams.get('page') ?? 1);
  const ids = [['a', 'b'], ['c', 'd'], ['e']][number - 1] ?? [];
  const nextPage = number < 3 ? `/api/v1/timesheets?page=${number + 1}` : '';
  return json(page(ids, { page: number, totalPages: 3, totalRecords: 5, nextPage }));
}

function open(respond: Respond, options: { pageSize?: number; timeMs?: number } = {}): Fake {
  return createFakeSource(respond, {
    pageSize: 1_000,
    timeMs: 90 * DAY_MS,
    ...options,
  });
}

async function walk({ source, time }: Fake) {
  return await time.run(collectWalk(source.pages('timesheets', RANGE)));
}

async function walkOnce(respond: Respond) {
  const source = open(respond);
  const result = await walk(source);
  return { ...result, asked: sizesOf(source) };
}

/** What the state of the feed keeps of a poll. */
async function learnFrom(respond: Respond): Promise<LearnedPace | null> {
  const source = open(respond);
  await walk(source);
  const pace = source.source.learnedPace?.() ?? null;
  return pace === null ? null : learnedPaceSchema.parse(JSON.parse(JSON.stringify(pace)));
}

/** A poll of the same source, that many days later; it takes any size by then. */
async function pollAfter(days: number, learned: LearnedPace | null, options: { pageSize?: number } = {}) {
  const source = open(answerPage, options);
  const begins = (learned?.tooLarge?.at ?? 0) + days * DAY_MS;
  await source.time.run(source.time.sleep(begins - source.time.now()));
  if (learned !== null) source.source.resumePace?.(learned);
  await walk(source);
  return { sizes: sizesOf(source), pace: source.source.learnedPace?.() ?? null };
}

function sizesOf({ requests }: Fake, from = 0, to = requests.length): number[] {
  return requests.slice(from, to).map(sizeOf);
}

/** 0: none was asked for. */
function sizeOf({ url }: Request): number {
  return Number(new URL(url).searchParams.get('pageSize') ?? 0);
}
