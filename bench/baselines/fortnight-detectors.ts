import type { Trace } from '../fortnight/trace/trace.ts';
import { type ListedRecord, ListedWorld } from './listed-world.ts';

/**
 * Other ways to find changes, made anew from what their makers document, each as small as its idea. All of them walk
 * the whole window at an interval, since the source can neither say what changed nor sort by it.
 */
export interface WalkDetector {
  readonly name: string;
  /** Takes a page; answers the ids it reports at once. */
  takePage(records: readonly ListedRecord[]): string[];
  /** The walk is over; answers the ids it reports now, those it takes for deleted included. */
  finish(): string[];
  /** Rows or items written so far, and their bytes. */
  readonly written: { rows: number; bytes: number };
}

const ROW_BYTES = 1_000;

/**
 * As Nango documents its full syncs: every record is saved into a cache that compares a hash of its payload, and what
 * is in the cache but was not saved between the beginning and the end of the run is taken for deleted
 * (nango.dev/docs: records cache, deletion detection).
 */
export function createCacheDetector(name = 'Nango-like'): WalkDetector {
  const known = new Map<string, string>();
  let saved = new Set<string>();
  const written = { rows: 0, bytes: 0 };
  return {
    name,
    written,
    takePage(records) {
      const reported: string[] = [];
      for (const { id, hash } of records) {
        saved.add(id);
        if (known.get(id) === hash) continue;
        known.set(id, hash);
        written.rows += 1;
        written.bytes += ROW_BYTES;
        reported.push(id);
      }
      return reported;
    },
    finish() {
      const deleted = [...known.keys()].filter((id) => !saved.has(id));
      for (const id of deleted) known.delete(id);
      written.rows += deleted.length;
      saved = new Set();
      return deleted;
    },
  };
}

/**
 * As n8n documents "Remove Items Processed in Previous Executions": an item passes when the value of its id and
 * contents was not seen before; the values seen are a list of a bounded length, kept as one row. Nothing notices what
 * is no longer there.
 */
export function createHistoryDetector(maxHistory: number): WalkDetector {
  const seen = new Set<string>();
  const history: string[] = [];
  let place = 0;
  const written = { rows: 0, bytes: 0 };
  let hasNews = false;
  return {
    name: `n8n-like, history of ${maxHistory.toLocaleString('en')}`,
    written,
    takePage(records) {
      const reported: string[] = [];
      for (const { id, hash } of records) {
        if (seen.has(hash)) continue;
        seen.add(hash);
        // The oldest value is forgotten for the newest.
        const oldest = history[place % maxHistory];
        if (oldest !== undefined) seen.delete(oldest);
        history[place % maxHistory] = hash;
        place += 1;
        hasNews = true;
        reported.push(id);
      }
      return reported;
    },
    finish() {
      if (hasNews) {
        written.rows += 1;
        written.bytes += seen.size * 32;
      }
      hasNews = false;
      return [];
    },
  };
}

export interface DetectorResult {
  readonly name: string;
  readonly requestsPerDay: number;
  readonly reported: number;
  /** Records that had changed, or were gone, when the walk came by, and were not reported by it. */
  readonly missed: number;
  /** Reports of records that were as they had been. */
  readonly invented: number;
  readonly written: { readonly rows: number; readonly bytes: number };
}

export interface DetectorRunOptions {
  readonly trace: Trace;
  readonly from: number;
  readonly to: number;
  readonly intervalMs: number;
  readonly requestMs: number;
  readonly pageSize: number;
}

/** Runs detectors side by side over the same walks. Their first walk is their baseline and is not judged. */
export function runDetectors(
  detectors: readonly WalkDetector[],
  order: DetectorRunOptions,
): DetectorResult[] {
  const world = new ListedWorld(order.trace);
  const judges = detectors.map((detector) => new Judge(detector));
  let requests = 0;
  let at = order.from;
  for (let walk = 0; at < order.to; walk += 1) {
    const beganAt = at;
    const dates = world.windowAt(at);
    for (let page = 0, pages = 1; page < pages; page += 1) {
      const answer = world.page(dates, { page, pageSize: order.pageSize, at: at + order.requestMs / 2 });
      pages = answer.pages;
      at += order.requestMs;
      requests += 1;
      for (const judge of judges) judge.takePage(answer.records);
    }
    for (const judge of judges) judge.finish(world, { isFirst: walk === 0, dates });
    at = Math.max(at, beganAt + order.intervalMs);
  }
  const days = (order.to - order.from) / 86_400_000;
  return judges.map((judge) => judge.result(requests / days));
}

/** Holds what a detector reports of a walk against what the walk showed. */
class Judge {
  readonly #detector: WalkDetector;
  /** Versions as last shown. */
  readonly #shown = new Map<string, number>();
  #due = new Set<string>();
  #reports = new Set<string>();
  #inWalk = new Set<string>();
  #reported = 0;
  #missed = 0;
  #invented = 0;

  constructor(detector: WalkDetector) {
    this.#detector = detector;
  }

  takePage(records: readonly ListedRecord[]): void {
    for (const { id, version } of records) {
      if (this.#shown.get(id) !== version) this.#due.add(id);
      this.#shown.set(id, version);
      this.#inWalk.add(id);
    }
    for (const id of this.#detector.takePage(records)) this.#reports.add(id);
  }

  finish(world: ListedWorld, { isFirst, dates }: { isFirst: boolean; dates: readonly string[] }): void {
    this.#noteGone(world);
    const reports = new Set([...this.#reports, ...this.#detector.finish()]);
    if (!isFirst) {
      this.#reported += reports.size;
      for (const id of reports) if (!this.#due.has(id) && !hasLeft(id, dates[0] ?? '')) this.#invented += 1;
      for (const id of this.#due) if (!reports.has(id)) this.#missed += 1;
    }
    this.#due = new Set();
    this.#reports = new Set();
    this.#inWalk = new Set();
  }

  #noteGone(world: ListedWorld): void {
    for (const id of this.#shown.keys()) {
      // Who went after his page was read is due in the next walk.
      if (this.#inWalk.has(id) || world.find(id) !== undefined) continue;
      this.#shown.delete(id);
      this.#due.add(id);
    }
  }

  result(requestsPerDay: number): DetectorResult {
    return {
      name: this.#detector.name,
      requestsPerDay,
      reported: this.#reported,
      missed: this.#missed,
      invented: this.#invented,
      written: this.#detector.written,
    };
  }
}

/** A date that leaves the window takes its records with it; that is not held against anybody. */
function hasLeft(id: string, firstDate: string): boolean {
  const day = Math.floor(Number(id.slice(0, id.indexOf('_'))) / 100_000);
  return day < Date.parse(`${firstDate}T00:00:00Z`) / 86_400_000;
}
