import { DAY_MS } from '../fortnight/trace/calendar.ts';
import { readRecordId, type Trace } from '../fortnight/trace/trace.ts';
import { type ListedRecord, ListedWindow } from './listed-window.ts';

/**
 * Small imitations of other tools' change detection, from their documentation. All of them walk the whole window at an
 * interval, since the source can neither filter nor sort by time of change.
 */
export interface WalkDetector {
  readonly name: string;
  /** Takes a page; returns the ids that are reported at once. */
  takePage(records: readonly ListedRecord[]): string[];
  /** Ends the walk; returns the ids that are reported now, including those taken for deleted. */
  finish(): string[];
  /** Rows or items written so far, and their bytes. */
  readonly written: { rows: number; bytes: number };
}

const ROW_BYTES = 1_000;

/**
 * As Nango documents its full syncs (nango.dev/docs: records cache, deletion detection): a cache compares the hash of
 * every record's payload, and cached records that a run did not save are taken for deleted.
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
 * As n8n documents "Remove Items Processed in Previous Executions": an item passes when the hash of its id and contents
 * is not in a list of bounded length, which is one row. Deletions are not noticed.
 */
export function createHistoryDetector(maxHistory: number): WalkDetector {
  const seen = new Set<string>();
  const history: string[] = [];
  let saved = 0;
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
        // The newest hash replaces the oldest one.
        const oldest = history[saved % maxHistory];
        if (oldest !== undefined) seen.delete(oldest);
        history[saved % maxHistory] = hash;
        saved += 1;
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
  /** Records that a walk showed changed or gone, and that it did not report. */
  readonly missed: number;
  /** Reports of unchanged records. */
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

/** Runs detectors over the same walks. The first walk is their baseline and is not compared. */
export function runDetectors(
  detectors: readonly WalkDetector[],
  order: DetectorRunOptions,
): DetectorResult[] {
  const window = new ListedWindow(order.trace);
  const judges = detectors.map((detector) => new Judge(detector));
  let requests = 0;
  let at = order.from;
  for (let walk = 0; at < order.to; walk += 1) {
    const beganAt = at;
    const dates = window.datesAt(at);
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const answer = window.page(dates, { page, pageSize: order.pageSize, at: at + order.requestMs / 2 });
      pages = answer.pagination.totalPages;
      at += order.requestMs;
      requests += 1;
      for (const judge of judges) judge.takePage(answer.records);
    }
    for (const judge of judges) judge.finish(window, { isFirst: walk === 0, dates });
    at = Math.max(at, beganAt + order.intervalMs);
  }
  const days = (order.to - order.from) / DAY_MS;
  return judges.map((judge) => judge.result(requests / days));
}

/** Compares the reports of a detector with what each walk showed. */
class Judge {
  readonly #detector: WalkDetector;
  /** Version of each record when it was last shown. */
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

  finish(window: ListedWindow, { isFirst, dates }: { isFirst: boolean; dates: readonly string[] }): void {
    this.#noteGone(window);
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

  #noteGone(window: ListedWindow): void {
    for (const id of this.#shown.keys()) {
      // A record that is removed after its page was read is due in the next walk.
      if (this.#inWalk.has(id) || window.find(id) !== undefined) continue;
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

/** A report of a record whose date has left the window does not count as invented. */
function hasLeft(id: string, firstDate: string): boolean {
  return readRecordId(id).date < firstDate;
}
