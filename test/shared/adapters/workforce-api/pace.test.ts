import { describe, expect, test } from 'vitest';
import {
  createRequestQueue,
  type RequestQueueOptions,
  type Try,
} from '#shared/adapters/workforce-api/request-queue.ts';
import { SourceError } from '#shared/core/errors.ts';
import { catchError } from './fake-source.ts';
import { idealPerSecond, LIMITED_REQUESTS, LIMITER_MODELS, readThrough } from './limiters.ts';
import { createSeededRandom, createVirtualTime } from './virtual-time.ts';

const MAX_PER_SECOND = 20;
const NEVER = Number.POSITIVE_INFINITY;

const WAYS = [
  { askers: 1, latencyMs: 30 },
  { askers: 6, latencyMs: 300 },
];

describe('thousands of pages through an unknown limit: at most 2 % refused, at least 90 % of what there is', () => {
  test.each(LIMITER_MODELS.flatMap((model) => WAYS.map((way) => ({ ...way, ...model, model }))))(
    '$name, asked by $askers',
    async ({ model, askers, latencyMs }) => {
      const way = { askers, latencyMs, maxPerSecond: MAX_PER_SECOND };
      for (const seed of [1, 2, 3]) {
        const { refused, seconds } = await readThrough(model.make(), { ...way, seed });
        expect(refused / LIMITED_REQUESTS).toBeLessThanOrEqual(0.02);
        expect(LIMITED_REQUESTS / seconds).toBeGreaterThanOrEqual(0.9 * idealPerSecond(model, way));
      }
    },
  );
});

describe('the pace', () => {
  test('is never faster than the configured maximum', async () => {
    const { startAll } = createWorld();
    const starts = await startAll(Array(100).fill(answered()));
    for (const [index, at] of starts.slice(20).entries())
      expect(at - (starts[index] ?? 0)).toBeGreaterThanOrEqual(20 * 50 - 1);
  });

  test.each([
    ['429', refusal(7_000)],
    ['503', failure(503, 7_000)],
    ['an answer that uses up the quota', answered(7_000)],
  ])('obeys a wait that %s asks for, with little jitter, for all requests', async (_what, first) => {
    const { startAll } = createWorld();
    const [, ...others] = await startAll([first, ...Array(5).fill(answered())], 1);
    for (const at of others) expect(at).toBeGreaterThanOrEqual(7_000);
    expect(others[0]).toBeLessThan(8_000);
  });

  test('is halved by 429, once for those under way, and one request sees whether it is over', async () => {
    const { startAll, queue } = createWorld({ latencyMs: 500 });
    const starts = await startAll([...Array(4).fill(refusal(2_000)), ...Array(9).fill(answered())]);

    expect(queue.learnedPace()).toBeCloseTo(7.5, 0);
    const [probe = 0, second = 0, third = 0] = starts.filter((at) => at >= 2_000);
    expect(probe).toBeLessThan(3_000);
    expect(second - probe).toBeGreaterThanOrEqual(500);
    expect(third - second).toBeLessThan(500);
  });

  test('is raised by answers, also by those that find nothing, and not by failures', async () => {
    const { startAll, queue, tell } = createWorld();
    queue.resumePace(2);
    for (let nth = 0; nth < 20; nth += 1) await tell(failure(503, null));
    expect(queue.learnedPace()).toBe(2);
    for (let nth = 0; nth < 20; nth += 1) await tell(failure(404, null));
    await startAll(Array(1_000).fill(answered()), 6);
    expect(queue.learnedPace()).toBeGreaterThan(2.2);
    expect(queue.learnedPace()).toBeLessThan(2.5);
  });

  test.each([
    ['without a wait', null, [500, 2_000, 8_000]],
    ['with one that is too short', 0, [0, 2_000, 8_000]],
  ])('waits longer after each 429 in a row, %s', async (_what, askedWaitMs, waits) => {
    const { startAll } = createWorld({ random: () => 1 });
    const starts = await startAll([...Array(3).fill(refusal(askedWaitMs)), answered()], 1);
    for (const [index, wait] of waits.entries()) {
      const waited = (starts[index + 1] ?? 0) - (starts[index] ?? 0);
      expect(waited).toBeGreaterThanOrEqual(wait);
      expect(waited).toBeLessThan(wait + 1_100);
    }
  });

  test('waits for an hour at most', async () => {
    const { startAll, tell } = createWorld();
    expect(await tell(refusal(86_400_000 * 365))).toMatchObject({ code: 'source_throttled' });
    const [start = 0] = await startAll([answered()]);
    expect(start).toBeGreaterThan(3_590_000);
    expect(start).toBeLessThanOrEqual(3_600_000);
  });

  test('leaves at most six requests under way', async () => {
    const { startAll } = createWorld({ latencyMs: 5_000 });
    const starts = await startAll(Array(13).fill(answered()));
    expect(starts.filter((at) => at < 5_000)).toHaveLength(6);
    expect(starts.filter((at) => at < 10_000)).toHaveLength(12);
  });

  test('goes on from where an earlier poll was', async () => {
    const { startAll, queue } = createWorld();
    expect(queue.learnedPace()).toBeNull();
    queue.resumePace(2);
    expect(queue.learnedPace()).toBe(2);
    const starts = await startAll(Array(5).fill(answered()));
    expect(starts.at(-1)).toBeGreaterThan(1_900);
    queue.resumePace(1_000);
    expect(queue.learnedPace()).toBe(MAX_PER_SECOND);
  });

  test('is not stopped by a clock that was set back', async () => {
    const { queue, startAll, clock, tell } = createWorld();
    await tell(refusal(5_000));
    clock.offset = -86_400_000;
    expect((await startAll([answered(), answered()], 1))[1]).toBeLessThan(1_000);
    const learned = queue.learnedPace() ?? 0;
    await tell(refusal());
    expect(queue.learnedPace()).toBeLessThan(learned);
  });
});

describe('the end of the time', () => {
  test.each([
    { what: 'ends a request whose turn comes later', timeMs: 30_000, patienceMs: NEVER },
    { what: 'need not come when the source is put off for long', timeMs: 90_000, patienceMs: 10_000 },
  ])('$what', async ({ timeMs, patienceMs }) => {
    const { queue, time, send } = createWorld({ patienceMs });
    const start = time.now();
    const ask = () => time.run(catchError(queue.ask(send(refusal(60_000)), start + timeMs)));

    expect(await ask()).toMatchObject({ code: 'source_throttled', status: 429 });
    // The next one learns it without a request.
    expect(await ask()).toMatchObject({ code: 'source_throttled', status: null, retryable: true });
    expect(time.now() - start).toBeLessThan(1_000);
  });
});

const LATENCY_MS = 5;

function answered(askedWaitMs: number | null = null): Try<null> {
  return { outcome: 'answered', answer: null, askedWaitMs };
}

function refusal(askedWaitMs: number | null = null): Try<null> {
  const error = new SourceError('source_throttled', 'refused', { status: 429, retryable: true });
  return { outcome: 'failed', error, askedWaitMs };
}

function failure(status: number, askedWaitMs: number | null): Try<null> {
  const error = new SourceError('source_failed', 'failed', { status, retryable: status >= 500 });
  return { outcome: 'failed', error, askedWaitMs };
}

interface WorldOptions extends Partial<RequestQueueOptions> {
  readonly latencyMs?: number;
}

function createWorld({ latencyMs = LATENCY_MS, ...options }: WorldOptions = {}) {
  const time = createVirtualTime();
  const clock = { offset: 0 };
  const { sleep } = time;
  const now = () => time.now() + clock.offset;
  const random = createSeededRandom(7);
  const queue = createRequestQueue({ maxPerSecond: MAX_PER_SECOND, now, sleep, random, ...options });
  const send = (result: Try<null>) => async () => {
    await sleep(latencyMs);
    return result;
  };
  /** Requests get these results in the order of their starts. When they started, ms from now. */
  const startAll = async (results: readonly Try<null>[], askers = results.length) => {
    const left = [...results];
    const starts: number[] = [];
    const from = time.now();
    const sendNext = async (): Promise<Try<null>> => {
      starts.push(time.now() - from);
      return await send(left.shift() ?? answered())();
    };
    const asker = async () => {
      while (left.length > 0) await queue.ask(sendNext, NEVER).catch(() => {});
    };
    await time.run(Promise.all(Array.from({ length: askers }, asker)));
    return starts;
  };
  /** One request with this result, without a second try. */
  const tell = (result: Try<null>) => time.run(catchError(queue.ask(send(result), now() + 1_000)));
  return { time, clock, queue, send, startAll, tell };
}
