import { createRequire } from 'node:module';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { SourceError } from '#shared/core/errors.ts';
import {
  idealPerSecond,
  LIMITER_MODELS,
  type Limiter,
  type LimiterModel,
} from '#test/shared/adapters/workforce-api/limiters.ts';
import {
  createSeededRandom,
  createVirtualTime,
  type VirtualTime,
} from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type Row, ratio } from '../row.ts';

const SEED = 6;
const PAGES = 10_000;
/** Percent of the requests that may be refused. */
const MAX_REFUSED = 2;

/** What every client may send at most, and how many loops send through it at the same time. */
const LOAD = { maxPerSecond: 20, askers: 8, latencyMs: 300 } as const;
/** Time until a refusal is noticed. */
const REFUSAL_MS = 5;
/** Wait after a refusal without `Retry-After`, for clients without a better rule. */
const PLAIN_WAIT_MS = 1_000;

/** Throughput and refusals of clients that do not know the limit, in virtual time. */
export async function measureRateLimits(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const model of LIMITER_MODELS) rows.push(await measureModel(model));
  return rows;
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
    ratio: Number.isFinite(best) ? ratio(own.got, best) : `none within ${MAX_REFUSED} %`,
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

function describe({ got, refused }: Share): string {
  return `${got.toFixed(0)} % (${refused.toFixed(refused < 10 ? 1 : 0)} %)`;
}

type Send = () => Promise<ReturnType<Limiter['admit']>>;
/** A client: sends one page's request until it is answered. */
type Client = (send: Send) => Promise<void>;
type MakeClient = (time: VirtualTime) => Client;

/** Sends requests through a limiter, from the first one on, when the client knows nothing yet. */
async function measureShare(model: LimiterModel, makeClient: MakeClient): Promise<Share> {
  const time = createVirtualTime();
  const client = makeClient(time);
  const limiter = model.make();
  const start = time.now();
  let left = PAGES;
  let refused = 0;
  const send: Send = async () => {
    const answer = limiter.admit(time.now());
    await time.sleep(answer.admitted ? LOAD.latencyMs : REFUSAL_MS);
    if (answer.admitted) limiter.end();
    else refused += 1;
    return answer;
  };
  const sendAll = async () => {
    while (left > 0) {
      left -= 1;
      await client(send);
    }
  };
  await time.run(Promise.all(Array.from({ length: LOAD.askers }, sendAll)));
  const perSecond = (PAGES * 1_000) / (time.now() - start);
  return {
    got: (perSecond / idealPerSecond(model, LOAD)) * 100,
    refused: (refused / (PAGES + refused)) * 100,
  };
}

/** The notifier's queue. */
const ours: MakeClient = ({ now, sleep }) => {
  const { maxPerSecond } = LOAD;
  const queue = createRequestQueue({ maxPerSecond, now, sleep, random: createSeededRandom(SEED) });
  const refusal = new SourceError('source_throttled', 'refused', { status: 429, retryable: true });
  return async (send) => {
    const ask = () =>
      queue.ask(async () => {
        const { admitted, askedWaitMs } = await send();
        if (admitted) return { outcome: 'answered', answer: true, askedWaitMs };
        return { outcome: 'failed', error: refusal, askedWaitMs };
      }, Number.POSITIVE_INFINITY);
    while (!(await ask().catch(() => false)));
  };
};

/** As many concurrent requests as askers; each waits on its own after a refusal. */
const fixedConcurrency: MakeClient = (time) => async (send) => {
  for (;;) {
    const { admitted, askedWaitMs } = await send();
    if (admitted) return;
    await time.sleep(askedWaitMs ?? PLAIN_WAIT_MS);
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
      const { admitted, askedWaitMs } = await send();
      limiter.updateClientSendingRate(admitted ? {} : { errorType: 'THROTTLING' });
      if (admitted) return;
      await time.sleep(askedWaitMs ?? PLAIN_WAIT_MS);
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
