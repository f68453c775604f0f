import standardConfig from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { BASELINE_MINUTES, computeMonth } from '../bill/month.ts';
import { createSize, type FortnightSize, PLANNING, TWO_THOUSAND } from '../fortnight/trace/size.ts';
import type { Row } from '../row.ts';

interface Plan {
  readonly name: string;
  readonly size: FortnightSize;
  readonly pageSize?: number;
  /** As notifier.config.ts says it for so many people. */
  readonly memoryMb: number;
  readonly atMost: number;
}

const PLANS: readonly Plan[] = [
  { name: '50 people', size: createSize({ people: 50, calendars: 1 }), memoryMb: 256, atMost: 4.5 },
  { name: '2,000 people', size: TWO_THOUSAND, memoryMb: 256, atMost: 7.5 },
  { name: '50,000 people, pages of 200', size: PLANNING, memoryMb: 512, atMost: 32 },
  { name: '50,000 people, pages of 1,000', size: PLANNING, pageSize: 1_000, memoryMb: 512, atMost: 22 },
];

/**
 * Stacks with the config of this repository, without free tiers: what the template holds, and what the traffic of the
 * seeded fortnight uses at the prices of `workshop/bench/prices.ts`.
 */
export async function measureMonthlyBill(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, size, memoryMb, atMost, pageSize } of PLANS) {
    const config = { ...standardConfig, poll: { ...standardConfig.poll, memoryMb } };
    const { bill, baseline } = await computeMonth(size, parseNotifierConfig(config), pageSize);
    rows.push({
      ...{ target: 'P11', metric: name, atMost, unit: '$' },
      baseline: [`one item per timesheet, read whole every ${BASELINE_MINUTES} minutes`, baseline.total],
      reached: Number(bill.total.toFixed(2)),
    });
  }
  return rows;
}
