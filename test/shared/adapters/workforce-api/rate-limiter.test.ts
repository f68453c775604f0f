import { describe, expect, test } from 'vitest';
import { createRateLimiter, type Try } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { NO_QUOTA } from '#shared/core/fetch/pace/throttle-wait.ts';
import { catchError } from './fake-source.ts';
import { type LimiterRunOptions, runThroughLimiter } from './limited-source.ts';
import { idealPerSecond, LIMITER_MODELS } from './limiter-models.ts';
import {
  concurrencyCap,
  fixedWindow,
  type Limiter,
  shared,
  slidingWindow,
  tokenBucket,
  withRetryAfter,
} from './limiters.ts';
import { createSeededRandom, createVirtualTime } from './virtual-time.ts';

describe('200 pages, one after another, through an unknown limiter', () => {
  test.each<[string, () => Limiter, { throttled: number; seconds: number } & Partial<LimiterRunOptions>]>([
    ['no limit at all', () => tokenBucket(1e9, 1e9), { throttled: 0, seconds: 10 }],
    ['a bucket of 10, 5 a second', () => tokenBucket(10, 5), { throttled: 4, seconds: 42 }],
    ['a bucket of 5, 5 a second', () => tokenBucket(5, 5), { throttled: 4, seconds: 44 }],
    ['a bucket of 5, 1 a second', () => tokenBucket(5, 1), { throttled: 12, seconds: 205 }],
    ['a bucket that says nothing', () => tokenBucket(10, 5, { silent: true }), { throttled: 4, seconds: 43 }],
    ['a bucket that says 0', () => withRetryAfter(tokenBucket(10, 5), 0), { throttled: 5, seconds: 60 }],
    ['a window of 10 a second', () => fixedWindow(10, 1_000), { throttled: 4, seconds: 29 }],
    ['a window of 100 a minute', () => fixedWindow(100, 60_000), { throttled: 2, seconds: 72 }],
    ['50 in any 10 seconds', () => slidingWindow(50, 10_000), { throttled: 3, seconds: 46 }],
    ['a bucket shared with somebody', () => shared(tokenBucket(10, 10), 200), { throttled: 4, seconds: 42 }],
    [
      '2 at the same time, asked by 4',
      () => concurrencyCap(2),
      { throttled: 4, seconds: 13, askers: 4, latencyMs: 100 },
    ],
    [
      'a bucket of 10, 5 a second, asked by 4',
      () => tokenBucket(10, 5),
      { throttled: 6, seconds: 42, askers: 4, latencyMs: 100 },
    ],
  ])('%s', async (_name, limiter, { throttled, seconds, ...options }) => {
    for (const seed of [1, 2, 3]) {
      const passage = await runThroughLimiter(limiter(), { requests: 200, seed, ...options });

      expect(passage.answered).toBe(200);
      expect(passage.throttled).toBeLessThanOrEqual(throttled);
      expect(passage.seconds).toBeLessThanOrEqual(seconds);
    }
  });
});

describe('thousands of pages, once it is learned what the source takes', () => {
  const WAYS = [
    { way: 'one at a time', askers: 1, latencyMs: 30 },
    { way: '8 ahead', askers: 8, latencyMs: 300 },
  ];
  test.each(LIMITER_MODELS.flatMap((model) => WAYS.map((way) => ({ ...way, ...model, model }))))(
    '$name, $way: at most 1 % refused, at least 95 % of what there is, no long rows',
    async ({ model, askers, latencyMs }) => {
      const options = { askers, latencyMs, maxPerSecond: 20 };
      const passage = await runThroughLimiter(model.make(), {
        ...options,
        requests: 10_000,
        drops: model.drops,
      });

      expect(passage.answered).toBe(10_000);
      expect(passage.late.throttledShare).toBeLessThanOrEqual(0.01);
      expect(passage.late.perSecond).toBeGreaterThanOrEqual(0.95 * idealPerSecond(model, options));
      expect(passage.maxThrottledInRow).toBeLessThanOrEqual(3);
      expect(passage.throttled / passage.answered).toBeLessThanOrEqual(0.01);
    },
  );

  test('a source that announces its quota never throttles', async () => {
    for (const limiter of [
      fixedWindow(10, 1_000, { fields: true }),
      fixedWindow(100, 60_000, { fields: true }),
    ])
      expect((await runThroughLimiter(limiter, { requests: 1_000 })).throttled).toBe(0);
  });
});

describe('waiting', () => {
  test('the pace is kept: 20 a second are never less than 50 ms apart', async () => {
    const { rateLimiter, time } = createWorld();
    const times: number[] = [];
    for (let nth = 0; nth < 5; nth += 1)
      await time.run(rateLimiter.ask(noting(times, time.now), Number.POSITIVE_INFINITY));

    expect(times.slice(1).map((at, nth) => at - (times[nth] ?? 0))).toEqual([50, 50, 50, 50]);
  });

  test('Retry-After is obeyed to the second, by everybody', async () => {
    const { rateLimiter, time } = createWorld();
    const start = time.now();
    const times: number[] = [];
    let first = true;
    const throttledOnce = async (): Promise<Try<null>> => {
      times.push(time.now() - start);
      if (!first) return answered;
      first = false;
      return failure('source_throttled', 429, { retryAfterMs: 7_000 });
    };

    await time.run(Promise.all([1, 2].map(() => rateLimiter.ask(throttledOnce, Number.POSITIVE_INFINITY))));

    expect(times[0]).toBe(0);
    for (const at of times.slice(1)) expect(at).toBeGreaterThanOrEqual(7_000);
    expect(times.at(-1)).toBeLessThan(8_500);
  });

  test('a 503 with Retry-After is obeyed as well', async () => {
    const { rateLimiter, time } = createWorld();
    const start = time.now();
    let tries = 0;
    await time.run(
      rateLimiter.ask(async () => {
        tries += 1;
        return tries === 1 ? failure('source_failed', 503, { retryAfterMs: 4_000 }) : answered;
      }, Number.POSITIVE_INFINITY),
    );

    expect(time.now() - start).toBeGreaterThanOrEqual(4_000);
  });
});

describe('the deadline', () => {
  test('a wait that ends after it is not begun: the failure comes at once', async () => {
    const { rateLimiter, time } = createWorld();
    const start = time.now();
    const refusing = async () => failure('source_throttled', 429, { retryAfterMs: 60_000 });

    const error = await time.run(catchError(rateLimiter.ask(refusing, start + 30_000)));

    expect(error).toMatchObject({ code: 'source_throttled', status: 429 });
    expect(time.now()).toBe(start);
  });

  test('the next caller learns it without a request', async () => {
    const { rateLimiter, time } = createWorld();
    const start = time.now();
    let asked = 0;
    const refusing = async () => {
      asked += 1;
      return failure('source_throttled', 429, { retryAfterMs: 60_000 });
    };

    await time.run(catchError(rateLimiter.ask(refusing, start + 30_000)));
    const error = await time.run(catchError(rateLimiter.ask(refusing, start + 30_000)));

    expect(error).toMatchObject({ code: 'source_throttled', status: null, retryable: true });
    expect(asked).toBe(1);
  });

  test('nothing is sent once it is over', async () => {
    const { rateLimiter, time } = createWorld();
    let asked = 0;
    const sending = async () => {
      asked += 1;
      return answered;
    };

    expect(await time.run(catchError(rateLimiter.ask(sending, time.now())))).toMatchObject({
      code: 'source_throttled',
    });
    expect(asked).toBe(0);
  });

  test('failing tries stop before it with what they met', async () => {
    const { rateLimiter, time } = createWorld();
    const deadline = time.now() + 200;

    const error = await time.run(
      catchError(rateLimiter.ask(async () => failure('source_failed', 500), deadline)),
    );

    expect(error).toMatchObject({ code: 'source_failed' });
    expect(time.now()).toBeLessThanOrEqual(deadline);
  });
});

describe('a request that was called off', () => {
  test('does not start, and lets the others go on', async () => {
    const { rateLimiter, time } = createWorld();
    const times: number[] = [];
    const abort = new AbortController();
    const asking = [1, 2, 3].map((nth) =>
      rateLimiter.ask(
        noting(times, time.now),
        Number.POSITIVE_INFINITY,
        nth === 2 ? abort.signal : undefined,
      ),
    );
    abort.abort(new Error('nobody waits'));

    expect((await time.run(Promise.allSettled(asking))).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(times).toHaveLength(2);
    const late = rateLimiter.ask(noting(times, time.now), Number.POSITIVE_INFINITY, abort.signal);
    expect(await time.run(catchError(late))).toMatchObject({ message: 'nobody waits' });
    expect(times).toHaveLength(2);
  });
});

test('a request that throws anything else holds up no other request', async () => {
  const { rateLimiter, time } = createWorld();
  const bug = new TypeError('x is not a function');
  let tries = 0;
  const refusedThenBroken = async (): Promise<Try<null>> => {
    tries += 1;
    if (tries > 1) throw bug;
    return failure('source_throttled', 429);
  };

  expect(await time.run(catchError(rateLimiter.ask(refusedThenBroken, Number.POSITIVE_INFINITY)))).toBe(bug);
  expect(await time.run(rateLimiter.ask(async () => answered, Number.POSITIVE_INFINITY))).toBeNull();
});

test('what one process learned spares another the refusals', async () => {
  const first = await runThroughLimiter(tokenBucket(10, 5), { requests: 1_000 });
  const second = await runThroughLimiter(tokenBucket(10, 5), { requests: 200, learned: first.learned });

  expect(first.throttled).toBeGreaterThanOrEqual(2);
  expect(second.throttled).toBe(0);
  expect(second.seconds).toBeLessThanOrEqual(200 / (0.94 * 5));
});

describe('patience', () => {
  test('a source that throttles for longer is left alone, and who comes later asks again', async () => {
    const time = createVirtualTime();
    const { now, sleep } = time;
    const random = createSeededRandom(1);
    const rateLimiter = createRateLimiter({ maxPerSecond: 20, now, sleep, random, patienceMs: 10_000 });
    const ask = async (send: () => Promise<Try<null>>) =>
      await time.run(rateLimiter.ask(send, now() + 225_000).catch((error: SourceError) => error));
    const startedAt = now();
    let requests = 0;
    const throttled = async () => {
      requests += 1;
      return failure('source_throttled', 429);
    };

    expect(await ask(throttled)).toMatchObject({ code: 'source_throttled' });
    expect(requests).toBe(3);
    expect(now() - startedAt).toBeLessThan(10_000);
    // Those who come while it lasts do not wait, and do not ask.
    expect(await ask(throttled)).toMatchObject({ message: expect.stringContaining('too late for this run') });
    expect([requests, now() - startedAt < 10_000]).toEqual([3, true]);
    await time.run(sleep((rateLimiter.learnedPace()?.blockedUntil ?? 0) - now()));
    expect(await ask(async () => answered)).toBeNull();
  });

  test('a short throttle is waited out', async () => {
    const time = createVirtualTime();
    const { now, sleep } = time;
    const random = createSeededRandom(1);
    const rateLimiter = createRateLimiter({ maxPerSecond: 20, now, sleep, random, patienceMs: 10_000 });
    const answers = [failure('source_throttled', 429, { retryAfterMs: 8_000 }), answered];

    expect(
      await time.run(rateLimiter.ask(async () => answers.shift() ?? answered, now() + 60_000)),
    ).toBeNull();
  });
});

describe('a clock that is set back by two hours', () => {
  test.each([
    ['while the source takes requests', null],
    ['while it throttles', 60_000],
    ['after it asked for an hour', 3_600_000],
  ])('%s keeps nobody from asking', async (_, retryAfterMs) => {
    let offset = 0;
    const time = createVirtualTime();
    const now = () => time.now() + offset;
    const random = createSeededRandom(1);
    const rateLimiter = createRateLimiter({ maxPerSecond: 20, now, sleep: time.sleep, random });
    const ask = async (send: () => Promise<Try<null>>) =>
      await time.run(rateLimiter.ask(send, now() + 10_000).catch((error: Error) => error));
    await ask(async () => answered);
    if (retryAfterMs !== null) await ask(async () => failure('source_throttled', 429, { retryAfterMs }));
    const { rate } = rateLimiter.learnedPace() ?? {};
    offset = -2 * 3_600_000;
    const times: number[] = [];
    for (let requests = 0; requests < 3; requests += 1) await ask(noting(times, now));

    expect(times).toHaveLength(3);
    const { at = 0, rate: kept = 0 } = rateLimiter.learnedPace() ?? {};
    expect(at).toBeLessThanOrEqual(now());
    expect(kept).toBeCloseTo(rate ?? 0, 0);
  });
});

describe('the retry budget', () => {
  test('a source that is down gets little more than one try for each request', async () => {
    const { rateLimiter, time } = createWorld();
    let tries = 0;
    const failing = async () => {
      tries += 1;
      return failure('source_failed', 500);
    };
    for (let question = 0; question < 100; question += 1)
      await time.run(catchError(rateLimiter.ask(failing, Number.POSITIVE_INFINITY)));

    expect(tries).toBeGreaterThan(110);
    expect(tries).toBeLessThanOrEqual(100 + 10 + 20);
  });

  test('a source that fails now and then is asked until it answers', async () => {
    const { rateLimiter, time } = createWorld();
    const random = createSeededRandom(3);
    let answers = 0;
    for (let question = 0; question < 500; question += 1) {
      const flaky = async () => (random() < 0.05 ? failure('source_failed', 500) : answered);
      await time.run(rateLimiter.ask(flaky, Number.POSITIVE_INFINITY));
      answers += 1;
    }

    expect(answers).toBe(500);
  });
});

const answered: Try<null> = { outcome: 'answered', answer: null, quota: NO_QUOTA };

function failure(code: SourceErrorCode, status: number, quota: Partial<typeof NO_QUOTA> = {}): Try<null> {
  const error = new SourceError(code, 'a failure', { status, retryable: true });
  return { outcome: 'failed', error, quota: { ...NO_QUOTA, ...quota } };
}

function noting(times: number[], now: () => number) {
  return async (): Promise<Try<null>> => {
    times.push(now());
    return answered;
  };
}

function createWorld() {
  const time = createVirtualTime();
  const { now, sleep } = time;
  return {
    time,
    rateLimiter: createRateLimiter({ maxPerSecond: 20, now, sleep, random: createSeededRandom(1) }),
  };
}
