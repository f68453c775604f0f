import standardConfig from '#config';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { BASELINE_MINUTES, computeMonth, type Month } from '../bill/month.ts';
import { createSize, type FortnightSize, PLANNING, THIRTY, TWO_THOUSAND } from '../fortnight/trace/size.ts';
import { PRICE_LIST } from '../prices.ts';
import { type Row, ratio } from '../row.ts';

/** For people alone: a Slack channel and a mailbox, functions with as little memory as they take. */
const SMALL: NotifierConfigInput = {
  ...standardConfig,
  poll: { ...standardConfig.poll, memoryMb: 256 },
  webhooks: [],
  queues: [],
};

/** As notifier.config.ts says it for so many people. */
const LARGE: NotifierConfigInput = {
  ...standardConfig,
  poll: { ...standardConfig.poll, memoryMb: 512 },
};

interface Plan {
  readonly name: string;
  readonly size: FortnightSize;
  readonly config: NotifierConfigInput;
  readonly pageSize?: number;
  /** The goal, in dollars a month. */
  readonly atMost: number;
}

const FIFTY = createSize({ people: 50, calendars: 1 });

const PLANS: readonly Plan[] = [
  {
    name: '30 people, Slack and mail, 256 MB',
    size: THIRTY,
    config: SMALL,
    atMost: 5,
  },
  {
    name: '30 people, the config of this repository',
    size: THIRTY,
    config: standardConfig,
    atMost: 5,
  },
  {
    name: '50 people, the config of this repository',
    size: FIFTY,
    config: standardConfig,
    atMost: 5,
  },
  {
    name: '2,000 people, the config of this repository',
    size: TWO_THOUSAND,
    config: standardConfig,
    atMost: 9,
  },
  {
    name: '50,000 people, the config of this repository with 512 MB, pages of 200',
    size: PLANNING,
    config: LARGE,
    atMost: 20,
  },
  {
    name: '50,000 people, the config of this repository with 512 MB, pages of 1,000',
    size: PLANNING,
    config: LARGE,
    pageSize: 1_000,
    atMost: 14,
  },
];

/**
 * Dollars a month of stacks with one connection, without free tiers: what the template holds, and what the traffic of
 * the seeded fortnight uses at the prices of `workshop/bench/prices.ts`.
 */
export async function measureMonthlyBill(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const plan of PLANS)
    rows.push(buildRow(plan, await computeMonth(plan.size, parseNotifierConfig(plan.config), plan.pageSize)));
  return rows;
}

function buildRow({ name, atMost }: Plan, { bill, baseline, traffic }: Month): Row {
  const total = Number(bill.total.toFixed(2));
  const parts = bill.items
    .filter(([, dollars]) => dollars >= 0.1)
    .map(([item, dollars]) => `${item} ${dollars.toFixed(2)}`);
  const [half, most] = traffic.delays.map((seconds) => Math.round(seconds));
  return {
    topic: 'bill',
    metric: `${name}: dollars a month; with the free tier; clockings p50 / p99; what costs most`,
    baseline: `one item per timesheet, read whole every ${BASELINE_MINUTES} minutes; ${PRICE_LIST.region}, ${PRICE_LIST.asOf}`,
    baselineValue: baseline.total.toFixed(2),
    ours: `${total.toFixed(2)}; ${bill.afterFreeTier.toFixed(2)}; ${half} / ${most} s; ${parts.join(', ')}`,
    ratio: ratio(total, baseline.total),
    seed: 1,
    goal: { value: total, atMost },
    count: total,
  };
}
