import { createHead, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { ChangeType } from '../trace/life.ts';
import { countUntil, type DateChanges, readChange, type TraceChange } from '../trace/trace.ts';

/** When each page of a walk showed the source, and when its answer was there. */
export interface PageTimes {
  readonly shownAt: readonly number[];
  readonly endedAt: readonly number[];
}

/** Where the timesheets of a date stand in a walk. */
export interface Place {
  /** Timesheets of the walk before the date's first. */
  readonly offset: number;
  readonly records: number;
  readonly pageSize: number;
}

/** A change that a walk showed. */
export interface SeenChange extends TraceChange {
  /** The end of the page that showed it. */
  readonly seenAt: number;
}

/** One date as the notifier knows it: what of its changes was seen so far. */
export class WatchedDate {
  readonly #changes: DateChanges;
  /** Changes from here on were not shown by any walk yet. */
  #next: number;
  /** Changes before that which a walk passed by: their page had been read already. */
  #missed: number[] = [];
  #recordCount = 0;
  #processed = 0;
  #head: SliceHead;

  /** Everything up to the given instant is known. */
  constructor(changes: DateChanges, knownUntil: number) {
    this.#changes = changes;
    this.#next = countUntil(changes.at, knownUntil);
    this.#head = { ...createHead(changes.date, '1'), baselinedAt: knownUntil, observedAt: knownUntil };
    for (let index = 0; index < this.#next; index += 1) this.#count(readChange(changes, index).type);
    this.#head = this.#newHead(knownUntil);
  }

  get head(): SliceHead {
    return this.#head;
  }

  /** Takes in what a walk showed of this date. */
  take(times: PageTimes, place: Place): SeenChange[] {
    const seen: SeenChange[] = [];
    const missed: number[] = [];
    const end = countUntil(this.#changes.at, times.shownAt.at(-1) ?? 0);
    const due = [...this.#missed];
    for (let index = this.#next; index < end; index += 1) due.push(index);
    for (const index of due) {
      const change = readChange(this.#changes, index);
      const page = this.#pageOf(change, place);
      const shownAt = times.shownAt[page];
      if (shownAt === undefined || change.at > shownAt) missed.push(index);
      else seen.push({ ...change, seenAt: times.endedAt[page] ?? shownAt });
    }
    this.#next = Math.max(this.#next, end);
    this.#missed = missed;
    for (const { type } of seen) this.#count(type);
    return seen;
  }

  /** Notes a whole look, by its beginning. */
  finish(startedAt: number): void {
    this.#head = this.#newHead(startedAt);
  }

  /** Changes that no walk showed, up to an instant. */
  unseen(until: number): TraceChange[] {
    const end = countUntil(this.#changes.at, until);
    const open = this.#missed.map((index) => readChange(this.#changes, index));
    for (let index = this.#next; index < end; index += 1) open.push(readChange(this.#changes, index));
    return open;
  }

  #pageOf({ record }: TraceChange, { offset, records, pageSize }: Place): number {
    const among = Math.floor((record / Math.max(1, this.#changes.employees.length)) * records);
    return Math.floor((offset + among) / pageSize);
  }

  #count(type: ChangeType): void {
    if (type === 'timesheet.created') this.#recordCount += 1;
    if (type === 'timesheet.removed') this.#recordCount -= 1;
    if (type === 'timesheet.processed') this.#processed += 1;
    if (type === 'timesheet.processing_reverted') this.#processed -= 1;
  }

  #newHead(observedAt: number): SliceHead {
    return {
      ...this.#head,
      revision: this.#head.revision + 1,
      observedAt,
      recordCount: this.#recordCount,
      unsettledCount: this.#recordCount - this.#processed,
    };
  }
}
