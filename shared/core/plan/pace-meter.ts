import type { FeedState } from '../snapshot/feed-state.ts';

/** Until the first measurement. */
const GUESSED_MS_PER_PAGE = 300;
const GUESSED_PAGE_SIZE = 200;

/** Milliseconds that a page takes, and records that it holds. */
export type PageCost = NonNullable<FeedState['pages']>;

/** Pages that so many records take; a list without records is a page as well. `pageSize`: records on a page. */
export function countPages(records: number, pageSize: number): number {
  return Math.max(1, Math.ceil(records / pageSize));
}

/** A walk that ended. */
export interface WalkMeasure {
  readonly isHot: boolean;
  readonly startedAt: number;
  /** Records of its largest page before the last one; null when there was none. */
  readonly size: number | null;
  /** Pages that were expected of it and did not come. */
  readonly missing: number;
}

/**
 * Measures how long a page of the source takes: the time during which at least one walk was under way, divided by the
 * pages that came. Concurrent walks share this time; time after the last page that came is not counted.
 */
export class PaceMeter {
  readonly #known: PageCost | undefined;
  #pages = 0;
  #size: number | null = null;
  #busyMs = 0;
  #hotMs = 0;
  #walks = 0;
  #since = 0;
  #pledged = 0;

  constructor(known: PageCost | undefined) {
    this.#known = known;
  }

  begin(now: number): void {
    if (this.#walks === 0) this.#since = now;
    this.#walks += 1;
  }

  arrive(now: number): void {
    this.#pages += 1;
    this.#busyMs += now - this.#since;
    this.#since = now;
  }

  /** More pages, or fewer (negative), are expected of the walks under way. */
  expect(pages: number): void {
    this.#pledged += pages;
  }

  /** Pages that came in this poll. */
  get pages(): number {
    return this.#pages;
  }

  /** Pages that are still expected of the walks under way. */
  get pledgedPages(): number {
    return this.#pledged;
  }

  /** Whether no page came in this poll and no walk is under way, so that `cost` is from earlier polls or a guess. */
  get isGuessing(): boolean {
    return this.#pages === 0 && this.#walks === 0;
  }

  /** Time that the walks under way are expected to take. */
  get pledgedMs(): number {
    return this.#pledged * this.cost.ms;
  }

  end(now: number, { isHot, startedAt, size, missing }: WalkMeasure): void {
    this.#walks -= 1;
    this.#pledged -= missing;
    if (size !== null && size > 0) this.#size = Math.max(this.#size ?? 0, size);
    if (isHot) this.#hotMs += now - startedAt;
  }

  /** Time spent on hot dates, in milliseconds. */
  get hotMs(): number {
    return this.#hotMs;
  }

  /** Measured in this poll, else known from earlier polls, else guessed. */
  get cost(): PageCost {
    const ms = this.#pages === 0 ? (this.#known?.ms ?? GUESSED_MS_PER_PAGE) : this.#busyMs / this.#pages;
    return { ms, size: this.#size ?? this.#known?.size ?? GUESSED_PAGE_SIZE };
  }

  /** What the next poll begins with: the mean of the known and the measured time. */
  get remembered(): PageCost | undefined {
    if (this.#pages === 0) return this.#known;
    const { ms, size } = this.cost;
    return { ms: Math.round(this.#known === undefined ? ms : (this.#known.ms + ms) / 2), size };
  }
}
