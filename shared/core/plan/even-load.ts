import type { DateClass } from '../snapshot/learned-state.ts';
import type { DueDates, DueSlice } from './agenda.ts';
import { isBusy } from './cadence.ts';
import { countPages } from './pace-meter.ts';

/** Scheduled polls are a minute apart. */
const POLL_MS = 60_000;
/** Pages a minute below which dates may fall due together: a poll reads them within seconds. */
const MIN_PAGES_A_POLL = 10;
/** Hot dates are read by every poll. */
const EVENED_CLASSES: readonly DateClass[] = ['active', 'settled'];

/**
 * Dates that are not due yet and are read now, so that the pages of a class come evenly. Dates that were first read
 * together would fall due together for ever: among 50,000 people that is a poll of minutes, which the hot dates share
 * the source with. Each poll reads as many pages as lets no later one read more, those that are due first before others;
 * once they come evenly, a date is read a poll early at most.
 */
export function bringForward({ due, early }: DueDates, { now, pageSize }: EvenLoad): DueSlice[] {
  return EVENED_CLASSES.flatMap((dateClass) => {
    const isOwn = (each: DueSlice) => each.class === dateClass && !isBusy(each) && each.records !== null;
    const duePages = due
      .filter(isOwn)
      .reduce((pages, each) => pages + countPages(each.expectedRecords, pageSize), 0);
    const coming = early.filter((each) => isOwn(each) && !each.isAlone).sort((a, b) => a.dueAt - b.dueAt);
    const pagesAPoll = findEvenLoad(duePages, coming, { now, pageSize });
    return pagesAPoll < MIN_PAGES_A_POLL ? [] : takePages(coming, pagesAPoll - duePages, pageSize);
  });
}

/** `pageSize`: records on a page. */
interface EvenLoad {
  readonly now: number;
  readonly pageSize: number;
}

/** The most pages of a poll, when this one and all until a date is due read as many. */
function findEvenLoad(duePages: number, coming: readonly DueSlice[], { now, pageSize }: EvenLoad): number {
  let pages = duePages;
  let most = 0;
  for (const slice of coming) {
    pages += countPages(slice.expectedRecords, pageSize);
    const laterPolls = Math.ceil((slice.dueAt - now) / POLL_MS);
    most = Math.max(most, pages / (1 + laterPolls));
  }
  return most;
}

/** The first slices with about so many pages. */
function takePages(coming: readonly DueSlice[], pages: number, pageSize: number): DueSlice[] {
  let taken = 0;
  return coming.filter((slice) => {
    const own = countPages(slice.expectedRecords, pageSize);
    taken += own;
    return taken - own / 2 <= pages;
  });
}
