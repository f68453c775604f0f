import { DATE_CLASSES } from '#shared/core/snapshot/learned-state.ts';
import { runFlow } from '../fortnight/flow/run-flow.ts';
import { MANY, PACE, PAGE_SIZE, WINDOW } from '../fortnight/flow/spans.ts';
import { rescan } from '../fortnight/rescan.ts';
import { buildCountRow, type Row } from '../row.ts';

const SEED = 1;
const SHARES = [1, 0.6, 0.3];
const SECONDS_PER_DAY = 86_400;

/**
 * Longest time between two reads of a date when the source allows all, 60 % or 30 % of the requests that are needed on
 * average.
 */
export async function measureSlowSource(): Promise<Row[]> {
  const whole = await runFlow({ span: MANY, pageSize: PAGE_SIZE });
  const needed = whole.requestsPerDay / SECONDS_PER_DAY;
  const rows: Row[] = [];
  for (const share of SHARES) {
    const perSecond = needed * share;
    const { trace, from, to, maxAgeMs } = await runFlow({ span: MANY, pageSize: PAGE_SIZE, perSecond });
    const inTurn = rescan({
      ...{ trace, from, to, perSecond, pageSize: PAGE_SIZE },
      ...{ intervalMs: 1, window: WINDOW, requestMs: PACE.requestMs },
    });
    rows.push(
      ...DATE_CLASSES.map((dateClass) =>
        buildCountRow({
          topic: 'slow',
          metric: `${MANY.name}, source allows ${share * 100} % of what is needed: longest time between two reads, ${dateClass} dates, minutes`,
          baseline: `the window over and over, ${(perSecond * 60).toFixed(0)} requests a minute`,
          value: inTurn.maxAgeMs / 60_000,
          ours: maxAgeMs[dateClass] / 60_000,
          seed: SEED,
        }),
      ),
    );
  }
  return rows;
}
