import { createRequire } from 'node:module';
import { createRateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { SourceError } from '#shared/core/errors.ts';
import { NO_QUOTA, type Quota } from '#shared/core/fetch/pace/throttle-wait.ts';
import { type Page, walkPages } from '#shared/core/fetch/pages.ts';
import {
  collectWalk,
  createFakeSource,
  json,
  page,
} from '#test/shared/adapters/workforce-api/fake-source.ts';
import {
  idealPerSecond,
  LIMITER_MODELS,
  type LimiterModel,
} from '#test/shared/adapters/workforce-api/limiter-models.ts';
import {
  createSeededRandom,
  createVirtualTime,
  type VirtualTime,
} from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type Row, ratio } from '../row.ts';

const SEED = 6;
/** The client learns in the first half; the second half is measured. */
const PAGES = 10_000;
/** Percent of the requests that may be refused. */
const MAX_REFUSED = 1;
/** Refusals in a row. */
const MAX_ROW = 3;
const WALK_PAGES = 70;
const MAX_WALK_SECONDS = 6.8;

/** What every client may send at most, and how many loops send through it at the same time. */
const LOAD = { maxPerSecond: 20, askers: 8, latencyMs: 300 } as const;
/** Time until a refusal or a dropped connection is noticed. */
const REFUSAL_MS = 5;
/** Wait after a refusal without `Retry-After`, for clients without a better rule. */
const PLAIN_WAIT_MS = 1_000;

/** Throughput and refusals of clients that do not know the limit, and the time of a long walk, in virtual time. */
export async function measureRateLimits(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const model of LIMITER_MODELS) rows.push(await measureModel(model));
  return [...rows, await measureRows(), await measureWalk()];
}

/** Counted from the first request on, when the client knows nothing yet. */
async function measureRows(): Promise<Row> {
  const longest = async (makeClient: MakeClient) => {
    const lengths: number[] = [];
    for (const model of LIMITER_MODELS)
      lengths.push(maxThrottledInRow(await sendThrough(model, { makeClient, pages: PAGES, seed: SEED })));
    return Math.max(...lengths);
  };
  const [own, fixed] = [await longest(ours), await longest(fixedConcurrency)];
  return {
    topic: 'limits',
    metric: 'refusals in a row, the worst of all limiters',
    baseline: 'fixed 8',
    baselineValue: String(fixed),
    ours: String(own),
    ratio: ratio(own, fixed),
    seed: SEED,
    count: own,
    goal: { value: own, atMost: MAX_ROW },
  };
}

/**
 * Longest run of refusals. Requests that were sent before the client noticed a refusal do not lengthen the run: no
 * client with several requests under way can avoid their refusal.
 */
function maxThrottledInRow(log: readonly Attempt[]): number {
  let [row, longest, noticedAt] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const { begunAt, at, admitted } of log) {
    if (admitted) {
      // An answer to an earlier request does not end the run.
      if (begunAt >= noticedAt) row = 0;
    } else if (row === 0 || begunAt >= noticedAt) {
      row += 1;
      noticedAt = at;
    }
    longest = Math.max(longest, row);
  }
  return longest;
}

async function measureModel(model: LimiterModel): Promise<Row> {
  const own = await measureShare(model, ours);
  const others = [await measureShare(model, fixedConcurrency), await measureShare(model, awsAdaptive)];
  const best = Math.max(...others.filter(({ refused }) => refused <= MAX_REFUSED).map(({ got }) => got));
  return {
    topic: 'limits',
    metric: `share of what is possible (refused), ${model.name}`,
    baseline: 'fixed 8 / AWS SDK adaptive',
    baselineValue: others.map(describe).join(' / '),
    ours: describe(own),
    ratio: Number.isFinite(best) ? ratio(own.got, best) : 'none within 1 %',
    seed: SEED,
    goal: { value: own.refused, atMost: MAX_REFUSED },
  };
}

interface Share {
  /** Percent of the most that the limiter admits. */
  readonly got: number;
  /** Percent of the requests sent. */
  readonly refused: number;
}

async function measureShare(model: LimiterModel, makeClient: MakeClient): Promise<Share> {
  const log = await sendThrough(model, { makeClient, pages: PAGES, seed: SEED });
  const measured = log.slice(Math.floor(log.length / 2));
  const answered = measured.filter(({ admitted }) => admitted).length;
  const seconds = ((measured.at(-1)?.at ?? 0) - (measured[0]?.at ?? 0)) / 1_000;
  return {
    got: ((answered - 1) / seconds / idealPerSecond(model, LOAD)) * 100,
    refused: (1 - answered / measured.length) * 100,
  };
}

function describe({ got, refused }: Share): string {
  return `${got.toFixed(0)} % (${refused.toFixed(refused < 10 ? 1 : 0)} %)`;
}

async function measureWalk(): Promise<Row> {
  const inTurn = await measureWalkSeconds((source) =>
    walkPages(async (nextPage) => {
      const { value, requestedAt, receivedAt } = await source.api.read({ path: '/timesheets', nextPage });
      const { data, pagination } = value as { data: unknown[]; pagination: Page['pagination'] };
      return { records: data, pagination, requestedAt, receivedAt };
    }),
  );
  const ahead = await measureWalkSeconds(({ source }) =>
    source.pages('timesheets', { from: '2026-03-01', to: '2026-03-02' }),
  );
  return {
    topic: 'limits',
    metric: `${WALK_PAGES} pages at ${LOAD.latencyMs} ms, seconds`,
    baseline: 'a walk in turn',
    baselineValue: `${inTurn.toFixed(1)} s`,
    ours: `${ahead.toFixed(1)} s`,
    ratio: ratio(ahead, inTurn),
    seed: SEED,
    goal: { value: ahead, atMost: MAX_WALK_SECONDS },
  };
}

type Source = ReturnType<typeof createFakeSource>;

async function measureWalkSeconds(
  walk: (source: Source) => Parameters<typeof collectWalk>[0],
): Promise<number> {
  const source = createFakeSource(async (request) => {
    await source.time.sleep(LOAD.latencyMs);
    const number = Number(new URL(request.url).searchParams.get('page') ?? 1);
    const nextPage = number < WALK_PAGES ? `/timesheets?page=${number + 1}` : '';
    return json(
      page([`${number}`], { page: number, totalPages: WALK_PAGES, totalRecords: WALK_PAGES, nextPage }),
    );
  });
  const start = source.time.now();
  const { end } = await source.time.run(collectWalk(walk(source)));
  if (!end.complete) throw new Error(`the walk is incomplete: ${end.problem}`);
  return (source.time.now() - start) / 1_000;
}

interface RequestOutcome {
  readonly admitted: boolean;
  readonly quota: Quota;
}

/** A client: sends one page's request until it is answered. */
type Client = (send: () => Promise<RequestOutcome>) => Promise<void>;
type MakeClient = (time: VirtualTime, seed: number) => Client;

/** One request, from its start to its answer. */
interface Attempt {
  readonly begunAt: number;
  readonly at: number;
  readonly admitted: boolean;
}

/** Sends `pages` requests through a limiter. Returns every attempt in the order in which they ended. */
async function sendThrough(
  model: LimiterModel,
  { makeClient, pages, seed }: { makeClient: MakeClient; pages: number; seed: number },
): Promise<Attempt[]> {
  const time = createVirtualTime();
  const client = makeClient(time, seed);
  const limiter = model.make();
  const log: Attempt[] = [];
  let left = pages;
  const send = async (): Promise<RequestOutcome> => {
    const begunAt = time.now();
    const { admitted, quota } = limiter.admit(begunAt);
    await time.sleep(admitted ? LOAD.latencyMs : REFUSAL_MS);
    if (admitted) limiter.end();
    log.push({ begunAt, at: time.now(), admitted });
    return { admitted, quota: !admitted && model.drops ? NO_QUOTA : quota };
  };
  const sendAll = async () => {
    for (; left > 0; ) {
      left -= 1;
      await client(send);
    }
  };
  await time.run(Promise.all(Array.from({ length: LOAD.askers }, sendAll)));
  return log;
}

/** The notifier's rate limiter. */
const ours: MakeClient = (time, seed) => {
  const { now, sleep } = time;
  const rateLimiter = createRateLimiter({
    maxPerSecond: LOAD.maxPerSecond,
    now,
    sleep,
    random: createSeededRandom(seed),
  });
  const refusal = new SourceError('source_throttled', 'refused', { status: 429, retryable: true });
  return async (send) => {
    for (let isAnswered = false; !isAnswered; ) {
      isAnswered = await rateLimiter
        .ask(async () => {
          const { admitted, quota } = await send();
          if (admitted) return { outcome: 'answered', answer: true, quota };
          return { outcome: 'failed', error: refusal, quota };
        }, Number.POSITIVE_INFINITY)
        .catch(() => false);
    }
  };
};

/** As many concurrent requests as askers; each waits on its own after a refusal. */
const fixedConcurrency: MakeClient = (time) => async (send) => {
  for (;;) {
    const { admitted, quota } = await send();
    if (admitted) return;
    await time.sleep(quota.retryAfterMs ?? PLAIN_WAIT_MS);
  }
};

interface AwsRateLimiter {
  getSendToken(): Promise<void>;
  updateClientSendingRate(response: { errorType?: string }): void;
}

/** The adaptive retry mode of the AWS SDK with a virtual clock and timer. */
const awsAdaptive: MakeClient = (time) => {
  const limiter = createAwsRateLimiter(time);
  return async (send) => {
    for (;;) {
      await limiter.getSendToken();
      const { admitted, quota } = await send();
      limiter.updateClientSendingRate(admitted ? {} : { errorType: 'THROTTLING' });
      if (admitted) return;
      await time.sleep(quota.retryAfterMs ?? PLAIN_WAIT_MS);
    }
  };
};

function createAwsRateLimiter(time: VirtualTime): AwsRateLimiter {
  const fromSdk = createRequire(import.meta.resolve('@aws-sdk/client-sns'));
  const { DefaultRateLimiter } = fromSdk('@smithy/core/retry');
  // Real timers wait at least a millisecond; a wait of 0 would never end in virtual time.
  DefaultRateLimiter.setTimeoutFn = (wake: () => void, delay: number) =>
    void time.sleep(Math.max(1, delay)).then(wake);
  class VirtualRateLimiter extends DefaultRateLimiter {
    getCurrentTimeInSeconds(): number {
      return time.now() / 1_000;
    }
  }
  return new VirtualRateLimiter() as unknown as AwsRateLimiter;
}
