import { layOutGeneration } from '#shared/core/commit/generation.ts';
import { findDifferingLeaves } from '#shared/core/compare/differing-leaves.ts';
import { beginScan, parseRow, recordsBySlice, type Scan, takePage } from '#shared/core/fetch/scan.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type Detector, nangoLike, onePerTimesheet } from '../baselines/detectors.ts';
import { createPageReader } from '../baselines/fetch-page.ts';
import { createMemoryStore } from '../baselines/store.ts';
import { measureMedianCpu } from '../cpu.ts';
import { DATE, type PageMachine, START, startPageMachine } from '../page-machine.ts';
import { type Row, ratio } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 4;
const PAGE_SIZES = [200, 1_000];

const DETECTORS: readonly (readonly [string, Detector])[] = [
  ['one item per timesheet: zod, stringify, MD5', onePerTimesheet],
  ['Nango-like: whole records into a cache', nangoLike],
];

/** CPU of a page without changes, until it is known that no leaf of its date differs. */
export async function measurePageCost(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of PAGE_SIZES) {
    const machine = await startPageMachine(size);
    try {
      rows.push(...(await measurePage(size, machine)));
    } finally {
      await machine.stop();
    }
  }
  return rows;
}

async function measurePage(size: number, { pages, source }: PageMachine): Promise<Row[]> {
  const random = createSeededRandom(SEED);
  const records = Array.from({ length: size }, (_, number) => sampleTimesheet(number, DATE, random));
  const [text = ''] = await pages.serve([records]);
  const heads = buildHeads(text);
  const parse = await measureMedianCpu(() => Promise.resolve(JSON.parse(text)));
  const fromText = await measureMedianCpu(() => Promise.resolve(expectNoChange(scanText(text), heads)));
  const fromSocket = async () => {
    const scan = beginScan(feedDefinition('timesheets'), [DATE]);
    for await (const page of source.pages('timesheets', { from: DATE, to: DATE })) takePage(scan, page);
    expectNoChange(scan, heads);
  };
  const reader = createPageReader(pages.baseUrl);
  const floor = await measureMedianCpu(() => reader.read(1));
  reader.stop();
  const other = await measureMedianCpu(fromSocket);
  const buildRow = (
    way: string,
    baseline: string,
    [value, ours, atMost]: readonly [number, number, number?],
  ): Row => ({
    topic: 'cpu',
    metric: `CPU of an unchanged page of ${size.toLocaleString('en')}, ${way}`,
    baseline,
    baselineValue: `${value.toFixed(0)} us`,
    ours: `${ours.toFixed(0)} us`,
    ratio: ratio(ours, value),
    seed: SEED,
    ...(atMost === undefined ? {} : { goal: { value: ours / value, atMost, isTime: true } }),
  });
  const rows = [
    buildRow('from text', 'JSON.parse alone', [parse, fromText]),
    buildRow('from the socket', 'JSON.parse alone', [parse, other]),
    buildRow('from the socket', 'TLS, gunzip and JSON.parse alone', [floor, other, 1.5]),
  ];
  for (const [name, detector] of DETECTORS)
    rows.push(buildRow('from the socket', name, [await measureDetector(detector, pages.baseUrl), other]));
  return rows;
}

/** CPU of another detector for the same page; its store costs nothing. */
async function measureDetector(detector: Detector, baseUrl: string): Promise<number> {
  const reader = createPageReader(baseUrl);
  const store = createMemoryStore();
  try {
    await detector(await reader.read(1), store);
    return await measureMedianCpu(async () => {
      if ((await detector(await reader.read(1), store)) > 0)
        throw new Error('a detector found changes in an unchanged page');
    });
  } finally {
    reader.stop();
  }
}

function scanText(text: string): Scan {
  const { data } = JSON.parse(text) as { data: unknown[] };
  const scan = beginScan(feedDefinition('timesheets'), [DATE]);
  takePage(scan, { records: data, pagination: null, requestedAt: START, receivedAt: START });
  return scan;
}

function buildHeads(text: string): ReadonlyMap<string, SliceHead> {
  const records = recordsBySlice(scanText(text)).get(DATE) ?? [];
  const rows = records.map((record) => ({
    id: record.id,
    state: parseRow(record),
    epoch: 0,
    sequence: 0,
    sent: {},
  }));
  const base = { slice: DATE, revision: 1, generation: '1', baselinedAt: 0, observedAt: 0, outbox: [] };
  const { head } = layOutGeneration(feedDefinition('timesheets'), base, { rows, tombstones: [] });
  return new Map([[DATE, head]]);
}

function expectNoChange(scan: Scan, heads: ReadonlyMap<string, SliceHead>): void {
  if (scan.records.size === 0 || findDifferingLeaves(scan, heads).length > 0)
    throw new Error('leaves of an unchanged page differ');
}
