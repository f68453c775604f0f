import { createHead, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { ChangeType } from '../trace/life.ts';
import { countUntil, type DateChanges, readChange, type TraceChange } from '../trace/trace.ts';

/** The instant that each page of a walk shows, and the instant at which it arrived. */
export interface PageTimes {
  readonly shownAt: readonly number[];
  readonly endedAt: readonly number[];
}

/** Where the timesheets of a date are in a walk. */
export interface Place {
  /** Timesheets of the walk before the first of this date. */
  readonly offset: number;
  readonly records: number;
  readonly pageSize: number;
}

/** A change that a walk showed. */
export interface SeenChange extends TraceChange {
  /** When the page that showed it arrived. */
  readonly seenAt: number;
}

/** A date and which of its changes have been seen. */
export class WatchedDate {
  readonly #changes: DateChanges;
  /** Index of the first change that no walk has reached. */
  #next: number;
  /** Earlier changes that a walk missed, since their page had been read before. */
  #missed: number[] = [];
  #recordCount = 0;
  #processed = 0;
  #head: SliceHead;

  /** Changes until `knownUntil` are known. */
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

  /** Returns the changes that a walk shows. */
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

  /** Records a complete scan. */
  finish(startedAt: number): void {
    this.#head = this.#newHead(startedAt);
  }

  /** Changes until an instant that no walk has shown. */
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
