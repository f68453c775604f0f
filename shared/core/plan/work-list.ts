import type { DateClass } from '../snapshot/learned-state.ts';
import type { DueSlice } from './agenda.ts';
import type { PageCost } from './pace-meter.ts';
import { buildPartAround, MAX_SCAN_RECORDS, type PartBounds, type PlanPart } from './parts.ts';

/** Of the time that is left, what one part may take: others that are owed, and hot dates, wait no longer than that. */
const PART_SHARE = 0.1;
/** Of a poll's time, what hot dates may take while others are late (rule 14). */
const HOT_SHARE = 0.5;

/** Turns of the classes when both are late: what is looked at rarely keeps a third, and none starves another. */
const TURNS: readonly DateClass[] = ['active', 'active', 'settled'];

/** The time a poll has, and how fast the source answers. All in milliseconds. */
export interface FetchBudget {
  /** Time in which something may still be fetched. */
  readonly leftMs: number;
  /** All the time that this poll has for fetching. */
  readonly wholeMs: number;
  /** Time spent on hot dates so far. */
  readonly hotMs: number;
  readonly msPerPage: number;
  readonly pageSize: number;
  /** What a page takes was not measured in this poll, and nothing under way is about to tell. */
  readonly isGuess?: boolean;
}

/** A part, and what it may hold at most before it is cut. */
export interface Assignment {
  readonly part: PlanPart;
  readonly maxRecords: number;
}

/** What a poll still has to look at: due slices in the order in which they are owed, and parts of parts. */
export class WorkList {
  #due: readonly DueSlice[];
  #early: readonly DueSlice[];
  readonly #first: PlanPart[] = [];
  readonly #last: PlanPart[] = [];
  #hasWorked = false;
  #turn: number;

  /** `turn`: where an earlier poll stopped taking turns. `early`: what may come along although it is not due yet. */
  constructor(due: readonly DueSlice[], turn = 0, early: readonly DueSlice[] = []) {
    this.#turn = turn;
    this.#early = early;
    this.#due = due;
  }

  /** Where the next poll goes on taking turns. */
  get turn(): number {
    return this.#turn % TURNS.length;
  }

  /** Slices that nobody has looked at yet. */
  get remaining(): string[] {
    const parts = [...this.#first, ...this.#last].flatMap(({ slices }) => slices);
    return [...new Set([...this.#due.map(({ slice }) => slice), ...parts])];
  }

  /** Whether hot dates are to be looked at before anything else. */
  get hasHot(): boolean {
    return this.#first.some(({ isHot }) => isHot) || this.#due[0]?.class === 'hot';
  }

  /** Whether anything but hot dates is left. */
  get hasOthers(): boolean {
    const parts = [...this.#first, ...this.#last];
    return parts.some(({ isHot }) => !isHot) || this.#due.some((each) => each.class !== 'hot');
  }

  /** What is left is expected to take so many milliseconds. */
  expectedMs({ ms, size }: PageCost): number {
    const all = [...this.#due, ...this.#first, ...this.#last];
    const times = all.map(({ expectedRecords }) =>
      estimateMs(expectedRecords, { msPerPage: ms, pageSize: size }),
    );
    return times.reduce((sum, each) => sum + each, 0);
  }

  /** Slices that became due meanwhile, before everything else. */
  addDue(due: readonly DueSlice[]): void {
    const slices = new Set(due.map(({ slice }) => slice));
    this.#due = [...due, ...this.#due.filter(({ slice }) => !slices.has(slice))];
  }

  /** Parts of a part: those that turned out to be too large go on at once, those that failed wait for the others. */
  putBack(parts: readonly PlanPart[], place: 'first' | 'last'): void {
    if (place === 'first') this.#first.unshift(...parts);
    else this.#last.push(...parts);
  }

  /** What to fetch next; null when nothing is left that fits into the time. */
  next(budget: FetchBudget): Assignment | null {
    const isHotDue = this.#due[0]?.class === 'hot';
    const given =
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
    if (first === undefined) return undefined;
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

  /** Hot dates before all others; then what is owed most of the class whose turn it is. */
  #firstOf(due: readonly DueSlice[]): DueSlice | undefined {
    const [first] = due;
    if (first === undefined || first.class === 'hot') return first;
    const turn = TURNS[this.#turn % TURNS.length];
    this.#turn += 1;
    return due.find((each) => each.class === turn) ?? first;
  }

  /**
   * A date that takes longer than the time that is left is for the next poll, which begins with it; so is a hot one
   * beyond its share while others wait.
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
    // A guess that is too large would never be corrected, if what is asked for first failed in each poll.
    const mustTry = !this.#hasWorked || budget.isGuess === true;
    return mustTry || estimateMs(records, budget) <= budget.leftMs;
  }
}

function estimateMs(
  records: number,
  { msPerPage, pageSize }: Pick<FetchBudget, 'msPerPage' | 'pageSize'>,
): number {
  return Math.max(1, Math.ceil(records / pageSize)) * msPerPage;
}

function computeMaxRecords(isHot: boolean, { leftMs, wholeMs, msPerPage, pageSize }: FetchBudget): number {
  const share = isHot ? Math.min(leftMs, HOT_SHARE * wholeMs) : PART_SHARE * leftMs;
  const pages = Math.max(1, Math.floor(share / Math.max(1, msPerPage)));
  return Math.min(MAX_SCAN_RECORDS, pages * pageSize);
}
