import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { computeWindow, listDates, toLocalDate } from '#shared/core/dates.ts';
import { mean, percentile } from '../fortnight/flow/delays.ts';
import { type FlowResult, runFlow } from '../fortnight/flow/run-flow.ts';
import { quietSpanOf, type Span, spanOf, WINDOW } from '../fortnight/flow/spans.ts';
import { HOUR_MS } from '../fortnight/trace/calendar.ts';
import type { FortnightSize } from '../fortnight/trace/size.ts';
import { createTrace, type Trace } from '../fortnight/trace/trace.ts';
import { SECONDS } from './quantities.ts';

/** Units of the table: per event, with all leases and state, and reads of a minute. */
export interface CountedUnits {
  readonly writesPerEvent: number;
  readonly readsPerMinute: number;
}

/** What the real flow does on average over the fortnight: how long its polls take, what they read and write. */
export interface Traffic {
  readonly size: FortnightSize;
  readonly lambdaSecondsPerMinute: number;
  readonly followUpsPerMinute: number;
  readonly requestsPerMinute: number;
  readonly units: CountedUnits;
  readonly eventsPerDay: number;
  /** The same by type, such as `timesheet.approved`: a webhook gets those that its filter passes. */
  readonly eventsPerDayOf: ReadonlyMap<string, number>;
  readonly recordsInWindow: number;
  /** Seconds until a webhook has accepted a clocking, of one half and of 99 % of them, in the busy span. */
  readonly delays: readonly [number, number];
}

/** Runs the flow in two parts of the fortnight, a busy and a quiet one; each of its hours stands between them. */
export async function measureTraffic(
  size: FortnightSize,
  pageSize: number,
  { poll: { memoryMb } }: NotifierConfig,
): Promise<Traffic> {
  const run = (span: Span) => runFlow({ ...span, memoryMb }, pageSize);
  const [busy, quiet] = [await run(spanOf(size)), await run(quietSpanOf(size))];
  const { eventsPerDayOf, perHour } = countChanges(busy.trace);
  const hoursOf = ({ trace, from, to }: FlowResult) =>
    perHour.slice(Math.round((from - trace.from) / HOUR_MS), Math.round((to - trace.from) / HOUR_MS));
  const share = computeBusyShare({ fortnight: perHour, busy: hoursOf(busy), quiet: hoursOf(quiet) });
  const { writesPerMinute, readsPerMinute, ...minute } = averageMinutes({ busy, quiet }, share);
  const eventsPerDay = [...eventsPerDayOf.values()].reduce((sum, each) => sum + each, 0);
  const clockings = busy.accepted.of('clockings');
  return {
    ...{ size, ...minute, eventsPerDay, eventsPerDayOf, recordsInWindow: countRecords(busy) },
    units: { writesPerEvent: (writesPerMinute * 1_440) / eventsPerDay, readsPerMinute },
    delays: [percentile(clockings, 0.5) / SECONDS, percentile(clockings, 0.99) / SECONDS],
  };
}

type CountedFlow = Pick<FlowResult, 'days' | 'followUps' | 'pollMs' | 'requestsPerDay' | 'units'>;

/** What a minute takes that is busy to so large a share, and quiet for the rest. */
export function averageMinutes(
  { busy, quiet }: Readonly<Record<'busy' | 'quiet', CountedFlow>>,
  busyShare: number,
) {
  const average = (countPerDay: (flow: CountedFlow) => number) =>
    (busyShare * countPerDay(busy) + (1 - busyShare) * countPerDay(quiet)) / 1_440;
  return {
    lambdaSecondsPerMinute: average(({ pollMs, days }) => pollMs / days) / SECONDS,
    followUpsPerMinute: average(({ followUps, days }) => followUps / days),
    requestsPerMinute: average(({ requestsPerDay }) => requestsPerDay),
    writesPerMinute: average(({ units, days }) => units.write / days),
    readsPerMinute: average(({ units, days }) => units.read / days),
  };
}

/** Changes in each hour. */
type Hours = readonly number[];

/**
 * How much of the fortnight's mean is that of its busy part, and the rest that of its quiet one. What polls take grows
 * about with the square root of the changes.
 */
export function computeBusyShare(changes: Readonly<Record<'busy' | 'fortnight' | 'quiet', Hours>>): number {
  const [busy, fortnight, quiet] = [changes.busy, changes.fortnight, changes.quiet].map((hours) =>
    mean(hours.map(Math.sqrt)),
  ) as [number, number, number];
  return (fortnight - quiet) / (busy - quiet);
}

/** Over the whole fortnight. */
function countChanges({ size, seed }: Trace) {
  const trace = createTrace({ seed, size });
  const dates = listDates({ from: toLocalDate(trace.from, 'UTC'), to: toLocalDate(trace.to - 1, 'UTC') });
  const perHour = Array.from({ length: dates.length * 24 }, () => 0);
  const counts = new Map<string, number>();
  for (const date of dates)
    for (const { at, type } of trace.changesOnDay(date)) {
      const hour = Math.floor((at - trace.from) / HOUR_MS);
      perHour[hour] = (perHour[hour] ?? 0) + 1;
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
  const eventsPerDayOf = new Map([...counts].map(([type, count]) => [type, count / dates.length]));
  return { eventsPerDayOf, perHour };
}

function countRecords({ trace, from }: FlowResult): number {
  const dates = listDates(computeWindow(from, 'UTC', WINDOW));
  return dates.reduce((sum, date) => sum + trace.recordsOn(date, from), 0);
}
