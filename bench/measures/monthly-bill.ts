import standardConfig from '#config';
import {
  type NotifierConfig,
  type NotifierConfigInput,
  parseNotifierConfig,
} from '#shared/config/schema/notifier-config.ts';
import { addUsages, type Bill, computeBill } from '../bill/bill.ts';
import { countTemplateUsage } from '../bill/template-usage.ts';
import { type CountedUnits, countTrafficUsage, modelTraffic, type Traffic } from '../bill/traffic.ts';
import { type FortnightSize, PLANNING, THIRTY, TWO_THOUSAND } from '../fortnight/trace/size.ts';
import { PRICE_LIST } from '../prices.ts';
import { type Row, ratio } from '../row.ts';
import { measureOneItemEach } from './one-item-each.ts';

/** Of the tables `fortnight` and `storage`; reads of the real flow in the same hours. */
const FEW_UNITS: CountedUnits = { writesPerEvent: 34.574, readsPerMinute: 13.3 };
const MANY_UNITS: CountedUnits = { writesPerEvent: 2.655, readsPerMinute: 32 };
/** A poll of 700,000 that finds nothing new, and one reading of busy dates beside it. */
const PLANNING_UNITS: CountedUnits = { writesPerEvent: 2.655, readsPerMinute: 2 * 95 };

/** One item per timesheet, read whole that often, with the same alarms and metrics. */
const BASELINE_MINUTES = 5;
const READ_UNITS_PER_RECORD = 0.5;

/** For people alone: a Slack channel and a mailbox, functions with as little memory as they take. */
const SMALL: NotifierConfigInput = {
  ...standardConfig,
  functions: { ...standardConfig.functions, memoryMb: 256 },
  webhooks: [],
  subscriptions: [],
  dashboard: false,
};

interface Plan {
  readonly name: string;
  readonly size: FortnightSize;
  readonly days: number;
  readonly units: CountedUnits;
  readonly config: NotifierConfigInput;
  /** The goal, in dollars a month. */
  readonly atMost?: number;
}

const LEAN: NotifierConfigInput = {
  ...standardConfig,
  schedules: { ...standardConfig.schedules, timesheets: { everyMinutes: 1, rereadForSeconds: 30 } },
  dashboard: false,
};

const PLANS: readonly Plan[] = [
  {
    name: '30 people, Slack and mail, 256 MB, no dashboard',
    size: THIRTY,
    days: 3,
    units: FEW_UNITS,
    config: SMALL,
    atMost: 5,
  },
  {
    name: '30 people, the config of this repository',
    size: THIRTY,
    days: 3,
    units: FEW_UNITS,
    config: standardConfig,
  },
  {
    name: '2,000 people, rereadForSeconds 30, no dashboard',
    size: TWO_THOUSAND,
    days: 2,
    units: MANY_UNITS,
    config: LEAN,
    atMost: 14,
  },
  {
    name: '2,000 people, the config of this repository',
    size: TWO_THOUSAND,
    days: 2,
    units: MANY_UNITS,
    config: standardConfig,
  },
  {
    name: '50,000 people, the config of this repository',
    size: PLANNING,
    days: 1,
    units: PLANNING_UNITS,
    config: standardConfig,
  },
];

/**
 * Dollars a month of stacks with one connection, without free tiers: what the template holds, and what the traffic of
 * the seeded fortnight uses at the prices of `bench/prices.ts`.
 */
export async function measureMonthlyBill(): Promise<Row[]> {
  const writesPerChange = await measureOneItemEach();
  return PLANS.map((plan) => {
    const config = parseNotifierConfig(plan.config);
    const { rereadForSeconds } = config.schedules.timesheets;
    const traffic = modelTraffic({ size: plan.size, days: plan.days, rereadForSeconds });
    const template = countTemplateUsage(config);
    const bill = computeBill(addUsages([template, countTrafficUsage(traffic, plan.units, config)]));
    const baseline = computeBaseline(traffic, { config, writesPerChange });
    return buildRow(plan, { bill, baseline, traffic });
  });
}

function computeBaseline(
  traffic: Traffic,
  { config, writesPerChange }: { readonly config: NotifierConfig; readonly writesPerChange: number },
): Bill {
  const units = {
    writesPerEvent: writesPerChange,
    readsPerMinute: (READ_UNITS_PER_RECORD * traffic.recordsInWindow) / BASELINE_MINUTES,
  };
  return computeBill(addUsages([countTemplateUsage(config), countTrafficUsage(traffic, units, config)]));
}

function buildRow(
  { name, atMost }: Plan,
  { bill, baseline, traffic }: { readonly bill: Bill; readonly baseline: Bill; readonly traffic: Traffic },
): Row {
  const total = Number(bill.total.toFixed(2));
  const parts = bill.items
    .filter(([, dollars]) => dollars >= 0.1)
    .map(([item, dollars]) => `${item} ${dollars.toFixed(2)}`);
  const [half, most] = traffic.delays.map((seconds) => Math.round(seconds));
  return {
    topic: 'bill',
    metric: `${name}: dollars a month (${parts.join(', ')}); with the free tier; clockings p50 / p99`,
    baseline: `one item per timesheet, read whole every ${BASELINE_MINUTES} minutes; ${PRICE_LIST.region}, ${PRICE_LIST.asOf}`,
    baselineValue: baseline.total.toFixed(2),
    ours: `${total.toFixed(2)}; ${bill.afterFreeTier.toFixed(2)}; ${half} / ${most} s`,
    ratio: ratio(total, baseline.total),
    seed: 1,
    ...(atMost === undefined ? {} : { limit: { value: total, atMost } }),
  };
}
