import { type DateRange, listDates } from '#shared/core/dates.ts';
import { type Page, type WalkEnd, walkPages } from '#shared/core/fetch/pages.ts';
import type { Lookup, SourceApi } from '#shared/flow/poll/ports.ts';
import { buildListPage, readPageNumber } from '../../list-page.ts';
import { DAY_MS, dateOf } from '../trace/calendar.ts';
import { readRecordId, type Trace } from '../trace/trace.ts';
import { DateList } from './date-list.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface TraceSourceOptions {
  readonly trace: Trace;
  readonly time: VirtualTime;
  readonly requestMs: number;
  readonly pageSize: number;
}

/** Requests by what they are for; `records` are requests by id. */
export interface RequestCounts {
  pages: number;
  records: number;
  payPeriods: number;
}

/** A source that answers from a trace. An answer takes `requestMs` and shows the trace half-way through. */
export class TraceSource {
  readonly requests: RequestCounts = { pages: 0, records: 0, payPeriods: 0 };
  readonly #order: TraceSourceOptions;
  readonly #lists = new Map<string, DateList>();

  constructor(order: TraceSourceOptions) {
    this.#order = order;
  }

  /** The port of one poll. */
  port(): SourceApi {
    const { requests } = this;
    return {
      counts: () => ({ requests: requests.pages + requests.records + requests.payPeriods, throttled: 0 }),
      lookUp: (_feed, id) => this.#lookUp(id),
      pages: (_feed, range) => (range === null ? this.#payPeriods() : this.#timesheets(range)),
    };
  }

  /** Frees dates that will not be requested again. */
  forgetBefore(date: string): void {
    for (const known of this.#lists.keys()) if (known < date) this.#lists.delete(known);
  }

  #timesheets(range: DateRange): AsyncGenerator<Page, WalkEnd> {
    const { pageSize } = this.#order;
    return walkPages((nextPage) => {
      const page = readPageNumber(nextPage);
      this.requests.pages += 1;
      return this.#answer((shownAt) => {
        const lists = listDates(range).map((date) => this.#listOf(date).at(shownAt));
        return buildListPage(lists, { page, pageSize });
      });
    });
  }

  #payPeriods(): AsyncGenerator<Page, WalkEnd> {
    return walkPages(() => {
      this.requests.payPeriods += 1;
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
    this.requests.records += 1;
    const { date, record } = readRecordId(id);
    const list = this.#listOf(date);
    const requestedAt = this.#order.time.now();
    const { found, receivedAt } = await this.#answer((shownAt) => {
      list.at(shownAt);
      return { found: list.record(record) };
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

/** Polls request no date before it: the window and the lookback behind it take fewer than 75 days. */
export function computeFirstDate(now: number): string {
  return dateOf(Math.floor(now / DAY_MS) - 75);
}
