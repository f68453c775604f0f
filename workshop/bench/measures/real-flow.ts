import { type DetectorResult, runCacheDetector } from '../baselines/fortnight-detectors.ts';
import { WRITE_UNIT_BYTES } from '../counting-dynamo/item-size.ts';
import { type FlowResult, runFlow } from '../fortnight/flow/run-flow.ts';
import { FEW, MANY, MOST, PACE, PAGE_SIZE, type Span } from '../fortnight/flow/spans.ts';
import { buildCountRow, describeCount, type Row, ratio } from '../row.ts';
import { measureOneItemEach } from './one-item-each.ts';

const SEED = 1;
const DETECTOR_INTERVAL_MS = 300_000;

/**
 * The real flow polls both feeds every minute over the real adapters. Write units are counted by DynamoDB's rules, and
 * the published events are compared with the changes of the trace.
 */
export async function measureRealFlow(): Promise<Row[]> {
  const perChange = await measureOneItemEach();
  const rows: Row[] = [];
  for (const span of [FEW, MANY, MOST])
    rows.push(...buildRows(span, await runFlow({ span, pageSize: PAGE_SIZE }), perChange));
  return [...rows, buildDetectorRow(await runFlow({ span: MANY, pageSize: PAGE_SIZE }))];
}

function buildRows(
  { name }: Span,
  { events, units, missing, expected }: FlowResult,
  perChange: number,
): Row[] {
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

/** The same span with a cache of hashes: requests, what it writes, and which changes it misses or invents. */
function buildDetectorRow({ trace, from, to, ...flow }: FlowResult): Row {
  const other = runCacheDetector({
    ...{ trace, from, to, intervalMs: DETECTOR_INTERVAL_MS },
    ...{ requestMs: PACE.requestMs, pageSize: PAGE_SIZE },
  });
  const ours = {
    requestsPerDay: flow.requestsPerDay,
    missed: flow.missing.length,
    invented: flow.expected.invented.length,
    writtenBytes: flow.units.write * WRITE_UNIT_BYTES,
  };
  return {
    topic: 'fortnight',
    metric: `${MANY.name}: requests a day; missed; invented; MB written`,
    baseline: `Nango-like, and one item per timesheet, the window every ${DETECTOR_INTERVAL_MS / 60_000} minutes, ${describeCount(other.reported)} reports`,
    baselineValue: describeDetection(other),
    ours: describeDetection(ours),
    ratio: ratio(ours.requestsPerDay, other.requestsPerDay),
    seed: SEED,
  };
}

function describeDetection(detection: Omit<DetectorResult, 'reported'>): string {
  const { requestsPerDay, missed, invented, writtenBytes } = detection;
  return `${describeCount(requestsPerDay)}; ${missed}; ${describeCount(invented)}; ${(writtenBytes / 1e6).toFixed(1)}`;
}
