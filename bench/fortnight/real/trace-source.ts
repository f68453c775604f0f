import { type DateRange, listDates } from '#shared/core/dates.ts';
import { type Page, type WalkEnd, walkPages } from '#shared/core/fetch/pages.ts';
import type { Lookup, SourceApi } from '#shared/ports/poll.ts';
import { DAY_MS, dateOf } from '../trace/calendar.ts';
import type { Trace } from '../trace/trace.ts';
import { DateList } from './date-list.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface TraceSourceOptions {
  readonly trace: Trace;
  readonly time: VirtualTime;
  readonly requestMs: number;
  readonly pageSize: number;
}

/** Requests of a source, by what was asked for. */
export interface RequestCounts {
  pages: number;
  records: number;
  payPeriods: number;
}

/** A source that shows a trace: an answer takes its time and shows what was there in the middle of it. */
export class TraceSource {
  readonly asked: RequestCounts = { pages: 0, records: 0, payPeriods: 0 };
  readonly #order: TraceSourceOptions;
  readonly #lists = new Map<string, DateList>();

  constructor(order: TraceSourceOptions) {
    this.#order = order;
  }

  /** The port of one poll. */
  port(): SourceApi {
    const { asked } = this;
    return {
      counts: () => ({ requests: asked.pages + asked.records + asked.payPeriods, throttled: 0 }),
      lookUp: (_feed, id) => this.#lookUp(id),
      pages: (_feed, range) => (range === null ? this.#payPeriods() : this.#timesheets(range)),
    };
  }

  /** Forgets dates that nobody will ask for again. */
  forgetBefore(date: string): void {
    for (const known of this.#lists.keys()) if (known < date) this.#lists.delete(known);
  }

  #timesheets(range: DateRange): AsyncGenerator<Page, WalkEnd> {
    const { pageSize } = this.#order;
    return walkPages((nextPage) => {
      const page = nextPage === null ? 1 : Number(nextPage);
      this.asked.pages += 1;
      return this.#answer((shownAt) => {
        const lists = listDates(range).map((date) => this.#listOf(date).at(shownAt));
        const totalRecords = lists.reduce((sum, list) => sum + list.length, 0);
        const totalPages = Math.max(1, Math.ceil(totalRecords / pageSize));
        const nextPage = page < totalPages ? String(page + 1) : '';
        const records = sliceRecords(lists, (page - 1) * pageSize, page * pageSize);
        return { records, pagination: { page, pageSize, totalPages, totalRecords, nextPage } };
      });
    });
  }

  #payPeriods(): AsyncGenerator<Page, WalkEnd> {
    return walkPages(() => {
      this.asked.payPeriods += 1;
      return this.#answer((shownAt) => ({ records: this.#payPeriodsAt(shownAt), pagination: null }));
    });
  }

  #payPeriodsAt(shownAt: number): unknown[] {
    return this.#order.trace
      .payPeriodsAt(shownAt)
      .map(({ id, calendar, startDate, finishDate, closed, totals }) => {
        const [moves = '0', people = '0', timesheets = '0'] = totals.split('/');
        return {
          __type: 'Wfm.PayPeriod',
          id,
          calendar,
          startDate,
          finishDate,
          closed: closed ? `${finishDate}T23:00:00.000Z` : null,
          hours: Number(moves) / 4,
          numberEmployees: Number(people),
          numberTimesheets: Number(timesheets),
          payRollCompanyId: '',
          payRollProvider: 'PaySys',
        };
      });
  }

  async #lookUp(id: string): Promise<Lookup> {
    this.asked.records += 1;
    const place = Number(id.slice(0, id.indexOf('_')));
    const list = this.#listOf(dateOf(Math.floor(place / 100_000)));
    const requestedAt = this.#order.time.now();
    const { found, receivedAt } = await this.#answer((shownAt) => {
      list.at(shownAt);
      return { found: list.record(place % 100_000) };
    });
    if (found === undefined) return { outcome: 'gone', requestedAt, receivedAt };
    return { outcome: 'found', record: found, requestedAt, receivedAt };
  }

  async #answer<Contents extends object>(
    show: (shownAt: number) => Contents,
  ): Promise<Contents & { requestedAt: number; receivedAt: number }> {
    const { time, requestMs } = this.#order;
    const requestedAt = time.now();
    await time.sleep(requestMs / 2);
    const contents = show(time.now());
    await time.sleep(requestMs / 2);
    return { ...contents, requestedAt, receivedAt: time.now() };
  }

  #listOf(date: string): DateList {
    const known = this.#lists.get(date);
    if (known !== undefined) return known;
    const made = new DateList(this.#order.trace, date);
    this.#lists.set(date, made);
    return made;
  }
}

function sliceRecords(lists: readonly (readonly unknown[])[], from: number, to: number): unknown[] {
  const records: unknown[] = [];
  let start = 0;
  for (const list of lists) {
    if (start < to && start + list.length > from)
      records.push(...list.slice(Math.max(0, from - start), to - start));
    start += list.length;
  }
  return records;
}

/** The first date a source can still be asked for: the window and the lookback behind it, with room to spare. */
export function computeFirstDate(now: number): string {
  return dateOf(Math.floor(now / DAY_MS) - 75);
}
