import type { DateClass } from '../snapshot/learned-state.ts';
import type { DueSlice } from './agenda.ts';
import { countPages, type PageCost } from './pace-meter.ts';
import { buildPartAround, MAX_SCAN_RECORDS, type PartBounds, type PlanPart } from './parts.ts';

/** Share of the remaining time that one part may take: other due dates, and hot ones, wait no longer than that. */
const PART_SHARE = 0.1;
/** Share of a poll's time that hot dates may take while others are due (rule 14). */
const HOT_SHARE = 0.5;

/** The rotation of the classes when both are due: settled dates get a third, and neither class starves the other. */
const ROTATION: readonly DateClass[] = ['active', 'active', 'settled'];

/** The time a poll has, and how fast the source answers. All in milliseconds. */
export interface FetchBudget {
  /** Remaining time for fetching. */
  readonly leftMs: number;
  /** Total time of this poll for fetching. */
  readonly wholeMs: number;
  /** Time spent on hot dates so far. */
  readonly hotMs: number;
  readonly msPerPage: number;
  readonly pageSize: number;
  /** `msPerPage` was not measured in this poll, and no walk is under way that will. */
  readonly isGuess?: boolean;
}

/** A part, and the records beyond which it is cut. */
export interface Assignment {
  readonly part: PlanPart;
  readonly maxRecords: number;
}

/** What a poll still has to scan: due slices, most overdue first, and parts that were put back. */
export class WorkList {
  #due: readonly DueSlice[];
  #early: readonly DueSlice[];
  readonly #first: PlanPart[] = [];
  readonly #last: PlanPart[] = [];
  readonly #addedAt = new Map<string, number>();
  #hasWorked = false;
  #rotation: number;

  /** `rotation`: where the last poll stopped. `early`: slices that may join a part before they are due. */
  constructor(due: readonly DueSlice[], rotation = 0, early: readonly DueSlice[] = []) {
    this.#rotation = rotation;
    this.#early = early;
    this.#due = due;
  }

  /** Where the next poll continues the rotation. */
  get rotation(): number {
    return this.#rotation % ROTATION.length;
  }

  /** Slices that have not been scanned yet. */
  get remaining(): string[] {
    const parts = [...this.#first, ...this.#last].flatMap(({ slices }) => slices);
    return [...new Set([...this.#due.map(({ slice }) => slice), ...parts])];
  }

  /** Whether a hot date comes next. */
  get hasHot(): boolean {
    return this.#first.some(({ isHot }) => isHot) || this.#due[0]?.class === 'hot';
  }

  /** Whether dates that are not hot are left. */
  get hasOthers(): boolean {
    const parts = [...this.#first, ...this.#last];
    return parts.some(({ isHot }) => !isHot) || this.#due.some((each) => each.class !== 'hot');
  }

  /** Milliseconds that the remaining work is expected to take. */
  expectedMs({ ms, size }: PageCost): number {
    const all = [...this.#due, ...this.#first, ...this.#last];
    const times = all.map(({ expectedRecords }) =>
      estimateMs(expectedRecords, { msPerPage: ms, pageSize: size }),
    );
    return times.reduce((sum, each) => sum + each, 0);
  }

  /** Adds slices that became due meanwhile, before everything else. `now`: milliseconds since 1970. */
  addDue(due: readonly DueSlice[], now: number): void {
    const slices = new Set(due.map(({ slice }) => slice));
    for (const slice of slices) this.#addedAt.set(slice, now);
    this.#due = [...due, ...this.#due.filter(({ slice }) => !slices.has(slice))];
  }

  /** Whether a slice was added since a complete scan of it: the scan that it was added for failed, or is yet to come. */
  wasAddedSince(slice: string, scannedAt: number): boolean {
    return (this.#addedAt.get(slice) ?? 0) > scannedAt;
  }

  /** `first`: pieces of a part that was too large. `last`: parts that failed, after everything else. */
  putBack(parts: readonly PlanPart[], place: 'first' | 'last'): void {
    if (place === 'first') this.#first.unshift(...parts);
    else this.#last.push(...parts);
  }

  /** What to fetch next; null when nothing that is left fits the time. */
  next(budget: FetchBudget): Assignment | null {
    const isHotDue = this.#due[0]?.class === 'hot';
    const given =
      this.#takeCrowdedOut(budget) ??
      (isHotDue ? this.#takeDue(budget) : undefined) ??
      this.#take(this.#first, budget) ??
      this.#takeDue(budget) ??
      this.#take(this.#last, budget);
    if (given === undefined) return null;
    this.#hasWorked = true;
    return { part: given, maxRecords: computeMaxRecords(given.isHot, budget) };
  }

  #take(parts: PlanPart[], budget: FetchBudget): PlanPart | undefined {
    const place = parts.findIndex(({ expectedRecords }) => this.#hasTimeFor(expectedRecords, budget));
    return place < 0 ? undefined : parts.splice(place, 1)[0];
  }

  #takeDue(budget: FetchBudget): PlanPart | undefined {
    const first = this.#firstOf(this.#due.filter((slice) => this.#fits(slice, budget)));
    return first === undefined ? undefined : this.#takePartAround(first, budget);
  }

  /** Hot dates could starve a slow date: once it is relatively later than they are, it goes first (rule 14). */
  #takeCrowdedOut(budget: FetchBudget): PlanPart | undefined {
    const [hot] = this.#due;
    if (this.#hasWorked || hot?.class !== 'hot') return undefined;
    const { wholeMs } = budget;
    const leftMs = wholeMs - Math.max(HOT_SHARE * wholeMs, estimateMs(hot.expectedRecords, budget));
    const first = this.#due.find(
      (each) =>
        each.class !== 'hot' &&
        each.lateness > hot.lateness &&
        estimateMs(each.expectedRecords, budget) > leftMs,
    );
    return first === undefined ? undefined : this.#takePartAround(first, budget);
  }

  #takePartAround(first: DueSlice, budget: FetchBudget): PlanPart {
    const isHot = first.class === 'hot';
    const bounds: PartBounds = {
      maxRecords: computeMaxRecords(isHot, budget),
      pageSize: budget.pageSize,
    };
    const part = buildPartAround(first, { due: this.#due, early: this.#early }, bounds);
    const taken = new Set(part.slices);
    this.#due = this.#due.filter(({ slice }) => !taken.has(slice));
    this.#early = this.#early.filter(({ slice }) => !taken.has(slice));
    return part;
  }

  /** Hot dates before all others, then the most overdue of the class whose turn it is. */
  #firstOf(due: readonly DueSlice[]): DueSlice | undefined {
    const [first] = due;
    if (first === undefined || first.class === 'hot') return first;
    const dateClass = ROTATION[this.#rotation % ROTATION.length];
    this.#rotation += 1;
    return due.find((each) => each.class === dateClass) ?? first;
  }

  /**
   * A date that needs more than the remaining time waits for the next poll, which begins with it; so does a hot date
   * beyond the share of hot dates while others wait.
   */
  #fits({ class: dateClass, expectedRecords }: DueSlice, budget: FetchBudget): boolean {
    const { wholeMs, hotMs } = budget;
    const neededMs = estimateMs(expectedRecords, budget);
    const othersWait = this.#due.some((each) => each.class !== 'hot');
    if (dateClass === 'hot' && othersWait && hotMs > 0 && hotMs + neededMs > HOT_SHARE * wholeMs)
      return false;
    return this.#hasTimeFor(expectedRecords, budget);
  }

  #hasTimeFor(records: number, budget: FetchBudget): boolean {
    // A guess that is too large would never be corrected if the first part failed in every poll.
    const mustTry = !this.#hasWorked || budget.isGuess === true;
    return mustTry || estimateMs(records, budget) <= budget.leftMs;
  }
}

function estimateMs(
  records: number,
  { msPerPage, pageSize }: Pick<FetchBudget, 'msPerPage' | 'pageSize'>,
): number {
  return countPages(records, pageSize) * msPerPage;
}

function computeMaxRecords(isHot: boolean, { leftMs, wholeMs, msPerPage, pageSize }: FetchBudget): number {
  const share = isHot ? Math.min(leftMs, HOT_SHARE * wholeMs) : PART_SHARE * leftMs;
  const pages = Math.max(1, Math.floor(share / Math.max(1, msPerPage)));
  return Math.min(MAX_SCAN_RECORDS, pages * pageSize);
}
