import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { type FortnightSize, interpolate, PLANNING, THIRTY, TWO_THOUSAND } from '../fortnight/trace/size.ts';
import { measureOneItemEach } from '../measures/one-item-each.ts';
import { addUsages, type Bill, computeBill, type Usage } from './bill.ts';
import { countTemplateUsage } from './template-usage.ts';
import { type CountedUnits, countTrafficUsage, modelTraffic, type Traffic } from './traffic.ts';

/** One item per timesheet, read whole that often, with the same alarms and metrics. */
export const BASELINE_MINUTES = 5;
const READ_UNITS_PER_RECORD = 0.5;

/**
 * Counts of the real flow, by people: write units per event with leases and state, and read units a minute. Of the tables
 * `fortnight` and `storage`, reads of the real flow in the same hours; at planning size a poll that finds nothing new,
 * and one reading of busy dates beside it.
 */
const COUNTED: readonly (readonly [people: number, units: CountedUnits])[] = [
  [THIRTY.people, { writesPerEvent: 34.574, readsPerMinute: 13.3 }],
  [TWO_THOUSAND.people, { writesPerEvent: 2.655, readsPerMinute: 32 }],
  [PLANNING.people, { writesPerEvent: 2.655, readsPerMinute: 2 * 95 }],
];

/** Days of the fortnight that are modelled, fewer of those that take longer. */
const MODELLED_DAYS: readonly (readonly [atMostPeople: number, days: number])[] = [
  [100, 3],
  [5_000, 2],
];

/** A month of one connection: its traffic, its bill, and the bill of the baseline. */
export interface Month {
  readonly traffic: Traffic;
  readonly usage: Usage;
  readonly bill: Bill;
  readonly baseline: Bill;
}

/** Models a month of a size with a config, without free tiers. Takes some seconds. */
export async function modelMonth(size: FortnightSize, config: NotifierConfig): Promise<Month> {
  const days = MODELLED_DAYS.find(([atMost]) => size.people <= atMost)?.[1] ?? 1;
  const { rereadForSeconds } = config.schedules.timesheets;
  const traffic = modelTraffic({ size, days, rereadForSeconds });
  const template = countTemplateUsage(config);
  const countFor = (units: CountedUnits) => addUsages([template, countTrafficUsage(traffic, units, config)]);
  const usage = countFor(estimateUnits(size.people));
  const baseline = countFor({
    writesPerEvent: await measureOneItemEach(),
    readsPerMinute: (READ_UNITS_PER_RECORD * traffic.recordsInWindow) / BASELINE_MINUTES,
  });
  return { traffic, usage, bill: computeBill(usage), baseline: computeBill(baseline) };
}

/** Units between those that were counted. */
function estimateUnits(people: number): CountedUnits {
  const between = (member: keyof CountedUnits) =>
    interpolate(
      people,
      COUNTED.map(([counted, units]) => [counted, units[member]]),
    );
  return { writesPerEvent: between('writesPerEvent'), readsPerMinute: between('readsPerMinute') };
}
