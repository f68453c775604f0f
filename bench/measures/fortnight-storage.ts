import {
  createCacheDetector,
  createHistoryDetector,
  runDetectors,
} from '../baselines/fortnight-detectors.ts';
import { createCurrentPlanner, PACE, PAGE_SIZE } from '../fortnight/current.ts';
import { percentile } from '../fortnight/model/delays.ts';
import { runModel } from '../fortnight/model/run-model.ts';
import { type RealResult, type RealRunOptions, runReal } from '../fortnight/real/run-real.ts';
import { DAY_MS } from '../fortnight/trace/calendar.ts';
import { type FortnightSize, THIRTY, TWO_THOUSAND } from '../fortnight/trace/size.ts';
import { createTrace } from '../fortnight/trace/trace.ts';
import { buildCountRow, describeCount, type Row, ratio } from '../row.ts';
import { measureOneItemEach } from './one-item-each.ts';

const SEED = 1;

type Hours = Omit<RealRunOptions, 'countsUnits'> & { readonly firstDay: number; readonly days: number };

interface Span {
  readonly size: FortnightSize;
  readonly name: string;
  readonly firstDay: number;
  readonly days: number;
}

/** Two days with every kind of burst: the second Monday and Tuesday for a few people, a part of them for many. */
const SHORT: readonly Span[] = [
  { size: THIRTY, name: '30 people, two days', firstDay: 7, days: 2 },
  { size: TWO_THOUSAND, name: '2,000 people, six hours', firstDay: 8 + 7 / 24, days: 0.25 },
];
/** Where other detectors are run beside ours. */
const DETECTED = SHORT[1];
const DETECTOR_INTERVAL_MS = 300_000;
const WHOLE: readonly Span[] = [
  { size: THIRTY, name: '30 people, the fortnight', firstDay: 0, days: 14 },
  { size: TWO_THOUSAND, name: '2,000 people, the fortnight', firstDay: 0, days: 14 },
];

/**
 * Writes on the fortnight: the real flow polls both feeds every minute over the real adapter; write units are counted by
 * DynamoDB's rules, all in, and what was told is held against what happened.
 */
export async function measureFortnightStorage({ all }: { readonly all: boolean }): Promise<Row[]> {
  const perChange = await measureOneItemEach();
  const rows: Row[] = [];
  for (const span of all ? [...SHORT, ...WHOLE] : SHORT) {
    const trace = createTrace({ seed: SEED, size: span.size });
    const { firstDay, days } = span;
    const order = {
      trace,
      firstDay,
      days,
      requestMs: PACE.requestMs,
      pageSize: PAGE_SIZE,
      countsUnits: true,
    };
    const result = await runReal(order);
    rows.push(...buildRows(span, result, perChange));
    if (span === DETECTED) rows.push(...buildDetectorRows(order, result), buildModelRow(order, result));
  }
  return rows;
}

function buildRows({ name }: Span, result: RealResult, perChange: number): Row[] {
  const { events, units, missing, expected } = result;
  const count = (metric: string, values: { baseline: string; value: number; ours: number }) =>
    buildCountRow({ topic: 'storage', metric: `${name}: ${metric}`, ...values, seed: SEED });
  return [
    count('write units of each event, all in', {
      baseline: `one item per timesheet: snapshot, event, outbox; ${describeCount(events)} events`,
      value: perChange,
      ours: units.write / events,
    }),
    count('changes that were not told, real flow', {
      baseline: 'every change of the trace',
      value: expected.told + missing.length,
      ours: missing.length,
    }),
    count('events for which nothing happened, real flow', {
      baseline: 'every event',
      value: events,
      ours: expected.invented.length,
    }),
  ];
}

/** The same hours as others would watch them: requests, what they write, what they miss and what they invent. */
function buildDetectorRows({ trace, firstDay, days, requestMs, pageSize }: Hours, ours: RealResult): Row[] {
  const from = trace.from + firstDay * DAY_MS;
  const detectors = [
    createCacheDetector(),
    createHistoryDetector(10_000),
    createHistoryDetector(200_000),
    createCacheDetector('one item per timesheet'),
  ];
  const results = runDetectors(detectors, {
    trace,
    from,
    to: from + days * DAY_MS,
    intervalMs: DETECTOR_INTERVAL_MS,
    requestMs,
    pageSize,
  });
  const asked = (ours.asked.pages + ours.asked.records + ours.asked.payPeriods) / ours.days;
  return results.map(({ name, requestsPerDay, missed, invented, reported, written }) => ({
    topic: 'requests',
    metric: 'six hours of 2,000 people: requests a day; missed; invented; MB written',
    baseline: `${name}, the window every ${DETECTOR_INTERVAL_MS / 60_000} minutes, ${describeCount(reported)} reports`,
    baselineValue: `${describeCount(requestsPerDay)}; ${missed}; ${describeCount(invented)}; ${(written.bytes / 1e6).toFixed(1)}`,
    ours: `${describeCount(asked)}; ${ours.missing.length}; ${ours.expected.invented.length}; ${((ours.units.write * 1_024) / 1e6).toFixed(1)}`,
    ratio: ratio(asked, requestsPerDay),
    seed: SEED,
  }));
}

/** The same hours in the model, so that what it says of longer times can be believed. */
function buildModelRow({ trace, firstDay, days }: Hours, real: RealResult): Row {
  const from = trace.from + firstDay * DAY_MS;
  const only = { from, to: from + days * DAY_MS };
  const cut = createTrace({ seed: SEED, size: trace.size, days: Math.ceil(firstDay + days) });
  const planner = createCurrentPlanner();
  const model = runModel({ trace: cut, planner, pace: PACE, pageSize: PAGE_SIZE, only });
  const both = (delays: readonly number[]) =>
    [0.5, 0.99].map((share) => Math.round(percentile(delays, share) / 1_000)).join(' / ');
  const [ours, theirs] = [real.expected.delays.of('clockings'), model.told.of('clockings')];
  return {
    topic: 'delays',
    metric: 'six hours of 2,000 people, real flow: clockings published, p50 / p99, seconds',
    baseline: 'the model of the rows above, the same hours',
    baselineValue: both(theirs),
    ours: both(ours),
    ratio: ratio(percentile(ours, 0.5), percentile(theirs, 0.5)),
    seed: SEED,
  };
}
