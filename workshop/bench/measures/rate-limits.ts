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
  type Attempt,
  additiveIncrease,
  awsAdaptive,
  fixedConcurrency,
  LOAD,
  type MakeClient,
  ours,
  sendThrough,
} from '../limited-clients.ts';
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
    limit: { value: own, atMost: MAX_ROW },
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
  const others = [
    await measureShare(model, fixedConcurrency),
    await measureShare(model, additiveIncrease),
    await measureShare(model, awsAdaptive),
  ];
  const best = Math.max(...others.filter(({ refused }) => refused <= MAX_REFUSED).map(({ got }) => got));
  return {
    topic: 'limits',
    metric: `share of what is possible (refused), ${model.name}`,
    baseline: 'fixed 8 / AIMD / AWS SDK adaptive',
    baselineValue: others.map(describe).join(' / '),
    ours: describe(own),
    ratio: Number.isFinite(best) ? ratio(own.got, best) : 'none within 1 %',
    seed: SEED,
    limit: { value: own.refused, atMost: MAX_REFUSED },
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
    limit: { value: ahead, atMost: MAX_WALK_SECONDS },
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
