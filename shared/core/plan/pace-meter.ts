/** Before anything was measured. */
const GUESSED_MS_PER_PAGE = 300;
const GUESSED_PAGE_SIZE = 200;

/** What a page took and held: milliseconds and records. */
export interface PageCost {
  readonly ms: number;
  readonly size: number;
}

/** What one walk brought, and how many more pages were expected of it when it ended. */
export interface WalkMeasure {
  readonly isHot: boolean;
  readonly startedAt: number;
  readonly size: number | null;
  readonly missing: number;
}

/**
 * Measures what a page of the source takes: the time in which some walk waited for a page that came. Walks that run
 * side by side share their time; what is spent on a page that never comes says nothing about the others.
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

  /** A walk begins. */
  begin(now: number): void {
    if (this.#walks === 0) this.#since = now;
    this.#walks += 1;
  }

  /** A page came. */
  arrive(now: number): void {
    this.#pages += 1;
    this.#busyMs += now - this.#since;
    this.#since = now;
  }

  /** More pages, or fewer, are expected of the walks that are under way. */
  expect(pages: number): void {
    this.#pledged += pages;
  }

  /** Pages that walks under way still ask for, as far as they know. */
  get pledgedPages(): number {
    return this.#pledged;
  }

  /** Whether nothing came in this poll yet, and no walk is under way: what a page takes is known from before at best. */
  get isGuessing(): boolean {
    return this.#pages === 0 && this.#walks === 0;
  }

  /** Time that the walks under way still take. */
  get pledgedMs(): number {
    return this.#pledged * this.cost.ms;
  }

  /** `size`: records of its largest page that was not the last one; null when there was none. */
  end(now: number, { isHot, startedAt, size, missing }: WalkMeasure): void {
    this.#walks -= 1;
    this.#pledged -= missing;
    if (size !== null && size > 0) this.#size = Math.max(this.#size ?? 0, size);
    if (isHot) this.#hotMs += now - startedAt;
  }

  /** Time spent on hot dates. */
  get hotMs(): number {
    return this.#hotMs;
  }

  /** Measured in this poll, or known from the ones before. */
  get cost(): PageCost {
    const ms = this.#pages === 0 ? (this.#known?.ms ?? GUESSED_MS_PER_PAGE) : this.#busyMs / this.#pages;
    return { ms, size: this.#size ?? this.#known?.size ?? GUESSED_PAGE_SIZE };
  }

  /** What the next poll is to begin with: half of what was known, half of what was measured. */
  get remembered(): PageCost | undefined {
    if (this.#pages === 0) return this.#known;
    const { ms, size } = this.cost;
    return { ms: Math.round(this.#known === undefined ? ms : (this.#known.ms + ms) / 2), size };
  }
}
