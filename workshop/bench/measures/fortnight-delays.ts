import { createCurrentPlanner, PACE, PAGE_SIZES } from '../fortnight/current.ts';
import { mean, percentile } from '../fortnight/model/delays.ts';
import { type ModelResult, runModel, WINDOW } from '../fortnight/model/run-model.ts';
import { createFixedPlanner } from '../fortnight/planners/fixed-planner.ts';
import { type FortnightSize, PLANNING, TWO_THOUSAND } from '../fortnight/trace/size.ts';
import { createTrace, type Trace } from '../fortnight/trace/trace.ts';
import { buildCountRow, describeCount, type Row, ratio } from '../row.ts';

const SEED = 1;
/** The flat rescan may request all its pages at once. */
const UNLIMITED = { requestMs: PACE.requestMs, width: 100_000, perSecond: 1_000_000 };
const HOT = { backDays: 1, forwardDays: 1 };
const FIRST_GUESS_MS = 120_000;

/**
 * Delays and requests over the fortnight, from a source that gives 200 records a page and from one that gives 1,000.
 * `all` runs the whole fortnight at planning size, too.
 */
export function measureFortnightDelays({ all }: { readonly all: boolean }): Row[] {
  return PAGE_SIZES.flatMap((pageSize) => {
    const mid = measureDelays({ size: TWO_THOUSAND, days: 14, pageSize });
    const planning = measureDelays({ size: PLANNING, days: all ? 14 : 3, pageSize });
    return [mid, planning].flatMap((measured) => [
      ...measureRequestsAtEqualDelay(measured),
      ...buildClockingRows(measured),
    ]);
  });
}

interface Measured {
  readonly trace: Trace;
  /** Of the organisation, the days and the page size. */
  readonly name: string;
  readonly ours: ModelResult;
  readonly pageSize: number;
}

function measureDelays(asked: { size: FortnightSize; days: number; pageSize: number }): Measured {
  const { size, days, pageSize } = asked;
  const trace = createTrace({ seed: SEED, size, days });
  const ours = runModel({ trace, planner: createCurrentPlanner(), pace: PACE, pageSize });
  return { trace, name: `${size.name}, ${days} days, pages of ${pageSize}`, ours, pageSize };
}

/** Finds the interval at which a flat rescan has the same mean delay, and compares the requests. */
function measureRequestsAtEqualDelay({ trace, name, ours, pageSize }: Measured): Row[] {
  const wanted = mean(ours.seen.all);
  let intervalMs = FIRST_GUESS_MS;
  let flat = rescan(trace, intervalMs, pageSize);
  for (let round = 0; round < 2; round += 1) {
    // The mean delay of a rescan is half its interval and a constant.
    intervalMs = Math.max(1_000, intervalMs + 2 * (wanted - mean(flat.seen.all)));
    flat = rescan(trace, intervalMs, pageSize);
  }
  const delay = `${Math.round(mean(flat.seen.all) / 1_000)} s`;
  return [
    {
      topic: 'requests',
      metric: `requests a day at a mean delay of ${Math.round(wanted / 1_000)} s`,
      baseline: `${name}: the window every ${Math.round(intervalMs / 1_000)} s, mean delay ${delay}`,
      baselineValue: describeCount(flat.requestsPerDay),
      ours: describeCount(ours.requestsPerDay),
      ratio: ratio(ours.requestsPerDay, flat.requestsPerDay),
      seed: SEED,
    },
    buildCountRow({
      seed: SEED,
      topic: 'requests',
      metric: `${name}: requests, as a share of a flat rescan that is as fast on average`,
      baseline: 'flat rescan of the window, all pages at once',
      value: 1,
      ours: ours.requestsPerDay / flat.requestsPerDay,
    }),
    buildCountRow({
      seed: SEED,
      topic: 'requests',
      metric: `${name}: longest time between two reads of a date, minutes`,
      baseline: 'that flat rescan',
      value: computeMaxAgeMinutes(flat),
      ours: computeMaxAgeMinutes(ours),
    }),
    buildCountRow({
      seed: SEED,
      topic: 'requests',
      metric: `${name}: changes never seen`,
      baseline: 'that flat rescan',
      value: flat.unseen,
      ours: ours.unseen,
    }),
  ];
}

function rescan(trace: Trace, intervalMs: number, pageSize: number): ModelResult {
  const planner = createFixedPlanner(intervalMs, WINDOW);
  return runModel({ trace, planner, pace: UNLIMITED, pageSize });
}

function buildClockingRows({ trace, name, ours, pageSize }: Measured): Row[] {
  const fixed = [60_000, 30_000].map((intervalMs) => ({
    baseline: `yesterday to tomorrow every ${intervalMs / 1_000} s`,
    result: runModel({
      trace,
      planner: createFixedPlanner(intervalMs, HOT),
      pace: PACE,
      pageSize,
    }),
  }));
  const p = (result: ModelResult, share: number) => percentile(result.seen.of('clockings'), share) / 1_000;
  const both = (result: ModelResult) => `${Math.round(p(result, 0.5))} / ${Math.round(p(result, 0.99))} s`;
  const perDay = (result: ModelResult) => `${describeCount(result.requestsPerDay)} requests a day`;
  const rows = fixed.map(
    ({ baseline, result }): Row => ({
      topic: 'delays',
      metric: `${name}: clockings, p50 / p99`,
      baseline,
      baselineValue: `${both(result)}, ${perDay(result)}`,
      ours: `${both(ours)}, ${perDay(ours)}`,
      ratio: ratio(p(ours, 0.5), p(result, 0.5)),
      seed: SEED,
    }),
  );
  const [slower] = fixed;
  return [
    ...rows,
    ...[0.5, 0.99].map((share) =>
      buildCountRow({
        seed: SEED,
        topic: 'delays',
        metric: `${name}: clockings, p${share * 100}, seconds`,
        baseline: slower?.baseline ?? '',
        value: slower === undefined ? Number.NaN : p(slower.result, share),
        ours: p(ours, share),
      }),
    ),
  ];
}

function computeMaxAgeMinutes({ maxAgeMs }: ModelResult): number {
  return Math.max(...Object.values(maxAgeMs)) / 60_000;
}
