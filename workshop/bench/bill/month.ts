import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { FortnightSize } from '../fortnight/trace/size.ts';
import { measureOneItemEach } from '../measures/one-item-each.ts';
import { addUsages, type Bill, computeBill, type Usage } from './bill.ts';
import { countTemplateUsage } from './template-usage.ts';
import { type CountedUnits, countTrafficUsage, measureTraffic, type Traffic } from './traffic.ts';

/** One item per timesheet, read whole that often, with the same alarms and metrics. */
export const BASELINE_MINUTES = 5;
const READ_UNITS_PER_RECORD = 0.5;

/** A month of one connection: its traffic, its bill, and the bill of the baseline. */
export interface Month {
  readonly traffic: Traffic;
  readonly usage: Usage;
  readonly bill: Bill;
  readonly baseline: Bill;
}

/** A month of a size with a config, without free tiers. Runs the real flow for minutes among many people. */
export async function computeMonth(size: FortnightSize, config: NotifierConfig): Promise<Month> {
  const traffic = await measureTraffic(size, config.schedules.timesheets.rereadForSeconds);
  const template = countTemplateUsage(config);
  const countFor = (units: CountedUnits) => addUsages([template, countTrafficUsage(traffic, units, config)]);
  const usage = countFor(traffic.units);
  const baseline = countFor({
    writesPerEvent: await measureOneItemEach(),
    readsPerMinute: (READ_UNITS_PER_RECORD * traffic.recordsInWindow) / BASELINE_MINUTES,
  });
  return { traffic, usage, bill: computeBill(usage), baseline: computeBill(baseline) };
}
