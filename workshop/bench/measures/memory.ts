import { spawnSync } from 'node:child_process';
import { findDifferingLeaves } from '#shared/core/compare/differing-leaves.ts';
import { addDays } from '#shared/core/dates.ts';
import { beginScan, takePage } from '#shared/core/fetch/scan.ts';
import { MAX_SCAN_RECORDS } from '#shared/core/plan/parts.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { describeCount, type Row, ratio } from '../row.ts';
import { samplePageText, sampleTimesheet } from '../sample-records.ts';

const SEED = 7;
const RECORDS = 200_000;
const PAGE = 200;
const MEGABYTE = 1_048_576;

/** Peak heap growth while 200,000 timesheets are read, in scans of the largest size that the planner allows. */
export function measureScanMemory(): Row[] {
  const ours = measurePeakGrowth(scanInParts);
  const baseline = measurePeakGrowth(keepEverything);
  return [
    {
      topic: 'memory',
      metric: `heap growth, scan of ${RECORDS.toLocaleString('en')}`,
      baseline: 'a Map of parsed records',
      baselineValue: `${baseline.toFixed(0)} MB`,
      ours: `${ours.toFixed(0)} MB`,
      ratio: ratio(ours, baseline),
      seed: SEED,
      goal: { value: Math.round(ours), atMost: 64 },
    },
  ];
}

type Sink = (records: unknown[], from: number, date: string) => void;

function scanInParts(sample: () => void): void {
  const definition = feedDefinition('timesheets');
  for (let from = 0, day = 0; from < RECORDS; from += MAX_SCAN_RECORDS, day += 1) {
    const date = addDays('2026-11-01', day);
    const scan = beginScan(definition, [date]);
    readPages({ from, to: from + MAX_SCAN_RECORDS, date, sample }, (records) =>
      takePage(scan, { records, pagination: null, requestedAt: 0, receivedAt: 1 }),
    );
    findDifferingLeaves(scan, new Map());
  }
}

function keepEverything(sample: () => void): void {
  const kept = new Map<number, unknown>();
  readPages({ from: 0, to: RECORDS, date: '2026-11-01', sample }, (records, from) => {
    for (const [index, record] of records.entries()) kept.set(from + index, record);
  });
}

function readPages(
  { from, to, date, sample }: { from: number; to: number; date: string; sample: () => void },
  sink: Sink,
): void {
  const random = createSeededRandom(SEED);
  for (let start = from; start < to; start += PAGE) {
    const page = Array.from({ length: PAGE }, (_, index) => sampleTimesheet(start + index, date, random));
    const { data } = JSON.parse(samplePageText(page, RECORDS)) as { data: unknown[] };
    sink(data, start, date);
    if ((start / PAGE) % 20 === 19) sample();
  }
}

/** Most megabytes of live heap beyond the start; each sample follows a garbage collection. */
function measurePeakGrowth(work: (sample: () => void) => void): number {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('run node with --expose-gc');
  collect();
  const start = process.memoryUsage().heapUsed;
  let peak = 0;
  work(() => {
    collect();
    peak = Math.max(peak, process.memoryUsage().heapUsed - start);
  });
  return peak / MEGABYTE;
}

const ROSTER_SIZE = 50_000;
/** What a function of 512 MB has for the heap. */
const HEAP_MB = 460;
const MAX_GROWTH_MB = 64;

/** What `new-roster.ts` prints. */
export interface NewRosterResult {
  readonly events: number;
  /** Until all of the roster was published. */
  readonly polls: number;
  readonly leavesRead: number;
  readonly heapGrowthMb: number;
  readonly seconds: number;
}

/** Heap and time of polling a new roster, in a separate process, since it may run out of memory. */
export function measureRosterMemory(): Row[] {
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', `--max-old-space-size=${HEAP_MB}`, 'workshop/bench/new-roster.ts', String(ROSTER_SIZE)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const result = status === 0 ? (JSON.parse(stdout) as NewRosterResult) : null;
  const row = (metric: string, values: Pick<Row, 'ours' | 'goal'>): Row => ({
    topic: 'memory',
    metric: `roster of ${ROSTER_SIZE.toLocaleString('en')} on one date: ${metric}`,
    baseline: `a heap of ${HEAP_MB} MB`,
    baselineValue: '',
    ratio: '',
    seed: null,
    ...values,
  });
  if (result === null)
    return [row('heap growth', { ours: 'out of memory', goal: { value: HEAP_MB, atMost: MAX_GROWTH_MB } })];
  const { heapGrowthMb, seconds, events, polls, leavesRead } = result;
  return [
    row('heap growth', {
      ours: `${heapGrowthMb} MB, ${seconds} s`,
      goal: { value: heapGrowthMb, atMost: MAX_GROWTH_MB },
    }),
    {
      ...row('new records not published', {
        ours: String(ROSTER_SIZE - events),
        goal: { value: ROSTER_SIZE - events, atMost: 0 },
      }),
      baselineValue: describeCount(ROSTER_SIZE),
      count: ROSTER_SIZE - events,
    },
    { ...row('polls until all are published', { ours: String(polls) }), count: polls },
    { ...row('leaves read', { ours: describeCount(leavesRead) }), count: leavesRead },
  ];
}
