import {
  createCacheDetector,
  createHistoryDetector,
  type DetectorResult,
  runDetectors,
} from '../baselines/fortnight-detectors.ts';
import { WRITE_UNIT_BYTES } from '../counting-dynamo/item-size.ts';
import { createCurrentPlanner, PACE, PAGE_SIZE } from '../fortnight/current.ts';
import { percentile } from '../fortnight/model/delays.ts';
import { runModel } from '../fortnight/model/run-model.ts';
import { type RealResult, runReal } from '../fortnight/real/run-real.ts';
import { DAY_MS } from '../fortnight/trace/calendar.ts';
import { type FortnightSize, THIRTY, TWO_THOUSAND } from '../fortnight/trace/size.ts';
import { createTrace, type Trace } from '../fortnight/trace/trace.ts';
import { buildCountRow, describeCount, type Row, ratio } from '../row.ts';
import { measureOneItemEach } from './one-item-each.ts';

const SEED = 1;

interface Span {
  readonly size: FortnightSize;
  readonly name: string;
  /** Days from the start of the trace, and for how many days. */
  readonly firstDay: number;
  readonly days: number;
}

/** The second Monday and Tuesday have every kind of burst: approvals, a deadline, a payroll sweep. */
const FEW: Span = { size: THIRTY, name: '30 people, two days', firstDay: 7, days: 2 };
/** That Tuesday from 7:00, with approvals and the payroll sweep: a whole fortnight would take more than an hour. */
const MANY: Span = { size: TWO_THOUSAND, name: '2,000 people, six hours', firstDay: 8 + 7 / 24, days: 0.25 };
const DETECTOR_INTERVAL_MS = 300_000;

interface SpanResult {
  readonly trace: Trace;
  readonly from: number;
  readonly to: number;
  readonly real: RealResult;
}

/**
 * The real flow polls both feeds every minute over the real adapter. Write units are counted by DynamoDB's rules, and
 * the published events are compared with the changes of the trace.
 */
export async function measureRealFlow(): Promise<Row[]> {
  const perChange = await measureOneItemEach();
  const [few, many] = [await runSpan(FEW), await runSpan(MANY)];
  return [
    ...buildRows(FEW, few.real, perChange),
    ...buildRows(MANY, many.real, perChange),
    ...buildDetectorRows(many),
    buildModelRow(many),
  ];
}

async function runSpan({ size, firstDay, days }: Span): Promise<SpanResult> {
  const trace = createTrace({ seed: SEED, size });
  const from = trace.from + firstDay * DAY_MS;
  const real = await runReal({ trace, firstDay, days, requestMs: PACE.requestMs, pageSize: PAGE_SIZE });
  return { trace, from, to: from + days * DAY_MS, real };
}

function buildRows({ name }: Span, result: RealResult, perChange: number): Row[] {
  const { events, units, missing, expected } = result;
  const count = (metric: string, values: { baseline: string; value: number; ours: number }) =>
    buildCountRow({ topic: 'fortnight', metric: `${name}: ${metric}`, ...values, seed: SEED });
  return [
    count('write units per event, leases and state included', {
      baseline: `one item per timesheet: snapshot, event, outbox; ${describeCount(events)} events`,
      value: perChange,
      ours: units.write / events,
    }),
    count('changes without an event', {
      baseline: 'every change of the trace',
      value: expected.published + missing.length,
      ours: missing.length,
    }),
    count('events without a change', {
      baseline: 'every event',
      value: events,
      ours: expected.invented.length,
    }),
  ];
}

/** The same hours with other detectors: requests, what they write, and which changes they miss or invent. */
function buildDetectorRows({ trace, from, to, real }: SpanResult): Row[] {
  const detectors = [
    createCacheDetector(),
    createHistoryDetector(10_000),
    createHistoryDetector(200_000),
    createCacheDetector('one item per timesheet'),
  ];
  const results = runDetectors(detectors, {
    trace,
    from,
    to,
    intervalMs: DETECTOR_INTERVAL_MS,
    requestMs: PACE.requestMs,
    pageSize: PAGE_SIZE,
  });
  const { pages, records, payPeriods } = real.requests;
  const requestsPerDay = (pages + records + payPeriods) / real.days;
  const ours = {
    requestsPerDay,
    missed: real.missing.length,
    invented: real.expected.invented.length,
    written: { bytes: real.units.write * WRITE_UNIT_BYTES },
  };
  return results.map(
    (other): Row => ({
      topic: 'fortnight',
      metric: `${MANY.name}: requests a day; missed; invented; MB written`,
      baseline: `${other.name}, the window every ${DETECTOR_INTERVAL_MS / 60_000} minutes, ${describeCount(other.reported)} reports`,
      baselineValue: describeDetection(other),
      ours: describeDetection(ours),
      ratio: ratio(requestsPerDay, other.requestsPerDay),
      seed: SEED,
    }),
  );
}

type Detection = Pick<DetectorResult, 'requestsPerDay' | 'missed' | 'invented'> & {
  readonly written: { readonly bytes: number };
};

function describeDetection({ requestsPerDay, missed, invented, written }: Detection): string {
  const megabytes = (written.bytes / 1e6).toFixed(1);
  return `${describeCount(requestsPerDay)}; ${missed}; ${describeCount(invented)}; ${megabytes}`;
}

/** The same hours in the model: shows how far its delays over longer spans can be trusted. */
function buildModelRow({ trace, from, to, real }: SpanResult): Row {
  const model = runModel({
    trace: createTrace({ seed: SEED, size: trace.size, days: Math.ceil((to - trace.from) / DAY_MS) }),
    planner: createCurrentPlanner(),
    pace: PACE,
    pageSize: PAGE_SIZE,
    only: { from, to },
  });
  const describe = (delays: readonly number[]) =>
    [0.5, 0.99].map((share) => Math.round(percentile(delays, share) / 1_000)).join(' / ');
  const [ours, modelled] = [real.expected.delays.of('clockings'), model.published.of('clockings')];
  return {
    topic: 'fortnight',
    metric: `${MANY.name}: clockings published, p50 / p99, seconds`,
    baseline: 'the model, the same hours',
    baselineValue: describe(modelled),
    ours: describe(ours),
    ratio: ratio(percentile(ours, 0.5), percentile(modelled, 0.5)),
    seed: SEED,
  };
}
