import { DATE_CLASSES } from '#shared/core/snapshot/learned-state.ts';
import { createCurrentPlanner, PACE, PAGE_SIZE } from '../fortnight/current.ts';
import { type ModelResult, runModel, WINDOW } from '../fortnight/model/run-model.ts';
import { createFixedPlanner } from '../fortnight/planners/fixed-planner.ts';
import { TWO_THOUSAND } from '../fortnight/trace/size.ts';
import { createTrace } from '../fortnight/trace/trace.ts';
import { buildCountRow, type Row } from '../row.ts';

const SEED = 1;
const DAYS = 3;
const SHARES = [1, 0.6, 0.3];
const SECONDS_PER_DAY = 86_400;

/**
 * Longest time between two reads of a date when the source allows all, 60 % or 30 % of the requests that are needed.
 */
export function measureSlowSource(): Row[] {
  const trace = createTrace({ seed: SEED, size: TWO_THOUSAND, days: DAYS });
  const run = (planner: ReturnType<typeof createCurrentPlanner>, perSecond: number): ModelResult =>
    runModel({ trace, planner, pace: { ...PACE, perSecond }, pageSize: PAGE_SIZE });
  const needed = run(createCurrentPlanner(), PACE.perSecond).requestsPerDay / SECONDS_PER_DAY;
  return SHARES.flatMap((share) => {
    const ours = run(createCurrentPlanner(), needed * share);
    const inTurn = run(createFixedPlanner(1, WINDOW), needed * share);
    return DATE_CLASSES.map((dateClass) =>
      buildCountRow({
        topic: 'slow',
        metric: `${TWO_THOUSAND.name}, source allows ${share * 100} % of what is needed: longest time between two reads, ${dateClass} dates, minutes`,
        baseline: `the window over and over, ${(needed * share * 60).toFixed(0)} requests a minute`,
        value: inTurn.maxAgeMs[dateClass] / 60_000,
        ours: ours.maxAgeMs[dateClass] / 60_000,
        seed: SEED,
      }),
    );
  });
}
