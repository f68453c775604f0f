import { createHash } from 'node:crypto';
import { addDays, computeWindow, listDates } from '#shared/core/dates.ts';
import { DateList, type SourceTimesheet } from '../fortnight/flow/date-list.ts';
import { learnWeek } from '../fortnight/flow/learned-week.ts';
import { type FlowResult, runFlow } from '../fortnight/flow/run-flow.ts';
import { FEW, IDLE, MANY, MOST, PACE, PAGE_SIZE, type Span, WINDOW } from '../fortnight/flow/spans.ts';
import type { RescanOptions } from '../fortnight/rescan.ts';
import { DAY_MS } from '../fortnight/trace/calendar.ts';
import { readRecordId } from '../fortnight/trace/trace.ts';
import { buildListPage } from '../ports.ts';
import { buildCountRow, describeCount, type Row, ratio } from '../row.ts';
import { measureOneItemEach } from './one-item-each.ts';

const SEED = 1;
const DETECTOR_INTERVAL_MS = 300_000;
const WRITE_UNIT_BYTES = 1_024;

/**
 * The real flow polls both feeds every minute over the real adapters. Write units are counted by DynamoDB's rules, and
 * the published events are compared with the changes of the trace.
 */
export async function measureRealFlow(): Promise<Row[]> {
  const perChange = await measureOneItemEach();
  const rates = await learnWeek();
  const run = (span: Span) => runFlow({ span, pageSize: PAGE_SIZE, rates });
  const rows: Row[] = [];
  for (const span of [FEW, MANY, MOST]) rows.push(...buildRows(span, await run(span), perChange));
  const baseline = buildBaselineRows(await run(MOST));
  const idle = buildIdleRows(await run(IDLE));
  return [...rows, ...baseline, ...idle, buildDetectorRow(await run(MANY))];
}

/** What a minute takes in which nothing changes, of both feeds: most minutes of a small organisation. */
function buildIdleRows(flow: FlowResult): Row[] {
  const { days, events, pollMs, tableRequests, units } = flow;
  if (events > 0) throw new Error(`${events} events in ${IDLE.name}`);
  const minutes = days * 1_440;
  const commands = [...tableRequests]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${describeCount(count / minutes)}`);
  const row = (metric: string, ours: number, atMost?: number): Row => ({
    ...buildCountRow({
      topic: 'fortnight',
      metric: `${IDLE.name}: ${metric} a minute`,
      baseline: commands.sort().join(', '),
      value: 0,
      ours,
      seed: SEED,
      atMost,
    }),
    baselineValue: '',
  });
  const requests = [...tableRequests.values()].reduce((sum, count) => sum + count, 0);
  return [
    row('requests to DynamoDB', requests / minutes, 6),
    row('read units', units.read / minutes, 8),
    row('write units', units.write / minutes, 1.2),
    row(`milliseconds of Lambda with ${IDLE.memoryMb} MB`, pollMs / minutes),
  ];
}

function buildRows(span: Span, { events, units, missing, expected }: FlowResult, perChange: number): Row[] {
  const { name } = span;
  const count = (
    metric: string,
    values: { baseline: string; value: number; ours: number; atMost?: number },
  ) => buildCountRow({ topic: 'fortnight', metric: `${name}: ${metric}`, ...values, seed: SEED });
  return [
    count('write units per event, leases and state included', {
      baseline: `one item per timesheet: snapshot, event, outbox; ${describeCount(events)} events`,
      value: perChange,
      ours: units.write / events,
      // Among 30 people it is the state of polls without a change: 7 cents a month.
      ...(span === FEW ? {} : { atMost: 2 }),
    }),
    count('changes without an event', {
      baseline: 'every change of the trace',
      value: expected.published + missing.length,
      ours: missing.length,
      atMost: 0,
    }),
    count('events without a change', {
      baseline: 'every event',
      value: events,
      ours: expected.invented.length,
      atMost: 0,
    }),
  ];
}

/** Of a new connection at the size to plan for: virtual time, in which only the source takes any. */
function buildBaselineRows({ trace, from, baseline }: FlowResult): Row[] {
  const today = new Date(from).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const pages = listDates({
    from: addDays(today, -WINDOW.backDays),
    to: addDays(today, WINDOW.forwardDays),
  }).reduce((sum, date) => sum + new DateList(trace, date).at(from).length / PAGE_SIZE, 0);
  const row = (metric: string, values: { baseline: string; value: number; ours: number; atMost: number }) =>
    buildCountRow({
      topic: 'fortnight',
      metric: `a new connection of ${MOST.size.name}: ${metric}`,
      seed: SEED,
      ...values,
    });
  return [
    row('minutes until its baseline is complete', {
      baseline: 'page after page of the window',
      value: (pages * PACE.requestMs) / 60_000,
      ours: baseline.milliseconds / 60_000,
      atMost: 120,
    }),
    row('longest time between two reads of a hot date meanwhile, minutes', {
      baseline: 'not before the next walk of the window',
      value: (pages * PACE.requestMs) / 60_000,
      ours: baseline.hotAgeMs / 60_000,
      atMost: 2,
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

const ROW_BYTES = 1_000;

interface DetectorResult {
  readonly requestsPerDay: number;
  readonly reported: number;
  /** Records that a walk showed changed or gone, and that it did not report. */
  readonly missed: number;
  /** Reports of unchanged records. */
  readonly invented: number;
  readonly writtenBytes: number;
}

type DetectorRunOptions = Omit<RescanOptions, 'window' | 'perSecond'>;

/**
 * As Nango documents its full syncs (nango.dev/docs: records cache, deletion detection), and as a table with one item
 * per timesheet would work: the whole window is walked at an interval, the hash of every record is compared with the
 * stored one, and stored records that a walk did not show are taken for deleted. Its first walk is its baseline and is
 * not judged.
 */
export function runCacheDetector(order: DetectorRunOptions): DetectorResult {
  const { trace, from, to } = order;
  const lists = new Map<string, DateList>();
  const listOf = (date: string): DateList => {
    const made = lists.get(date) ?? new DateList(trace, date);
    lists.set(date, made);
    return made;
  };
  const cache = new HashCache();
  const judge = new Judge(listOf);
  let requests = 0;
  for (let [at, walk] = [from, 0]; at < to; walk += 1) {
    const beganAt = at;
    const window = computeWindow(at, 'UTC', WINDOW);
    const reports = new Set<string>();
    for (let [page, pages] = [1, 1]; page <= pages; page += 1) {
      const shown = listDates(window).map((date) => listOf(date).at(at + order.requestMs / 2));
      const { records, pagination } = buildListPage(shown, { page, pageSize: order.pageSize });
      pages = pagination.totalPages;
      at += order.requestMs;
      requests += 1;
      for (const record of records) {
        judge.show(record);
        if (cache.save(record)) reports.add(idOf(record));
      }
    }
    for (const id of cache.takeUnsaved()) reports.add(id);
    judge.endWalk(reports, { firstDate: window.from, counts: walk > 0 });
    at = Math.max(at, beganAt + order.intervalMs);
  }
  const requestsPerDay = (requests * DAY_MS) / (to - from);
  return { requestsPerDay, ...judge.found, writtenBytes: cache.rows * ROW_BYTES };
}

function idOf({ id }: SourceTimesheet): string {
  return String(id);
}

/** Hashes of records by id. */
class HashCache {
  /** Rows written. */
  rows = 0;
  readonly #known = new Map<string, string>();
  readonly #hashes = new WeakMap<SourceTimesheet, string>();
  #saved = new Set<string>();

  /** Whether the record is new or its hash another one. */
  save(record: SourceTimesheet): boolean {
    const hash =
      this.#hashes.get(record) ?? createHash('md5').update(JSON.stringify(record)).digest('base64');
    this.#hashes.set(record, hash);
    const id = idOf(record);
    this.#saved.add(id);
    if (this.#known.get(id) === hash) return false;
    this.#known.set(id, hash);
    this.rows += 1;
    return true;
  }

  /** Forgets the records that were not saved since the last call, and returns their ids. */
  takeUnsaved(): string[] {
    const gone = [...this.#known.keys()].filter((id) => !this.#saved.has(id));
    for (const id of gone) this.#known.delete(id);
    this.rows += gone.length;
    this.#saved = new Set();
    return gone;
  }
}

/** Compares the reports of a walk with what it showed. */
class Judge {
  readonly found = { reported: 0, missed: 0, invented: 0 };
  readonly #listOf: (date: string) => DateList;
  /** Each record as it was last shown. */
  readonly #shown = new Map<string, SourceTimesheet>();
  #due = new Set<string>();
  #inWalk = new Set<string>();

  constructor(listOf: (date: string) => DateList) {
    this.#listOf = listOf;
  }

  show(record: SourceTimesheet): void {
    const id = idOf(record);
    if (this.#shown.get(id) !== record) this.#due.add(id);
    this.#shown.set(id, record);
    this.#inWalk.add(id);
  }

  endWalk(
    reports: ReadonlySet<string>,
    walk: { readonly firstDate: string; readonly counts: boolean },
  ): void {
    this.#noteGone();
    if (walk.counts) {
      this.found.reported += reports.size;
      // A report of a record whose date has left the window does not count as invented.
      for (const id of reports)
        if (!this.#due.has(id) && readRecordId(id).date >= walk.firstDate) this.found.invented += 1;
      for (const id of this.#due) if (!reports.has(id)) this.found.missed += 1;
    }
    this.#due = new Set();
    this.#inWalk = new Set();
  }

  #noteGone(): void {
    for (const id of this.#shown.keys()) {
      const { date, record } = readRecordId(id);
      // A record that is removed after its page was read is due in the next walk.
      if (this.#inWalk.has(id) || this.#listOf(date).record(record) !== undefined) continue;
      this.#shown.delete(id);
      this.#due.add(id);
    }
  }
}
