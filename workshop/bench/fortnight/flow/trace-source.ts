import type { RateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { addDays, type DateRange, listDates, toLocalDate } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import { NO_QUOTA } from '#shared/core/fetch/pace/throttle-wait.ts';
import { ABANDONED_WALK, type Page, type WalkEnd } from '#shared/core/fetch/pages.ts';
import { classifyDate } from '#shared/core/plan/agenda.ts';
import { DATE_CLASSES, type DateClass } from '#shared/core/snapshot/learned-state.ts';
import { createHead } from '#shared/core/snapshot/snapshot.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import type { VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { buildListPage } from '../../ports.ts';
import { DAY_MS, dateOf } from '../trace/calendar.ts';
import { readRecordId, type Trace } from '../trace/trace.ts';
import { DateList } from './date-list.ts';
import { type Processor, RECORD_CPU_MS, REQUEST_CPU_MS } from './function-time.ts';

export interface TraceSourceOptions {
  readonly trace: Trace;
  readonly time: VirtualTime;
  readonly limiter: RateLimiter;
  readonly requestMs: number;
  /** Records that the source gives when 1,000 are requested. */
  readonly pageSize: number;
}

/** Requests by what they are for; `records` are requests by id. */
export interface RequestCounts {
  pages: number;
  records: number;
  payPeriods: number;
}

/** Longest time from the start of a complete scan of a date to the end of the next one, by class of the date. */
export type MaxAges = Record<DateClass, number>;

const REQUESTED_PAGE_SIZE = 1_000;

/**
 * A source that answers from a trace, below the product's own adapter and rate limiter. An answer takes `requestMs` and
 * shows the trace half-way through.
 */
export class TraceSource {
  readonly requests: RequestCounts = { pages: 0, records: 0, payPeriods: 0 };
  maxAgeMs: MaxAges = { hot: 0, active: 0, settled: 0 };
  readonly #order: TraceSourceOptions;
  readonly #lists = new Map<string, DateList>();
  readonly #scannedAt = new Map<string, number>();

  constructor(order: TraceSourceOptions) {
    this.#order = order;
  }

  /** The port of one poll, which sends no request from `deadline` on, and computes on its own processor. */
  port(deadline: number, processor: Processor): SourceApi {
    const { time, limiter } = this.#order;
    let sent = 0;
    const { listMembers: _never, ...port } = createSourceApi(
      {
        read: async ({ path, query, nextPage, signal }) => {
          const reply = await limiter.ask(
            async () => {
              sent += 1;
              return {
                outcome: 'answered',
                answer: await this.#read(path, nextPage ?? query),
                quota: NO_QUOTA,
              };
            },
            deadline,
            signal,
          );
          await processor.compute(REQUEST_CPU_MS + RECORD_CPU_MS * countRecords(reply.value));
          if (reply.value !== undefined) return { ...reply, place: path };
          throw new SourceError('source_not_found', `${path} is gone`, { status: 404 });
        },
        counts: () => ({ requests: sent, throttled: 0 }),
        learnedPace: () => limiter.learnedPace(),
        resumePace: (pace) => limiter.resumePace(pace),
      },
      { pageSize: REQUESTED_PAGE_SIZE, now: time.now },
    );
    const pages: SourceApi['pages'] = (feed, range) =>
      range === null ? port.pages(feed, null) : this.#watchWalk(range, port.pages(feed, range));
    return { ...port, pages };
  }

  /** Frees dates that will not be requested again. */
  forgetBefore(date: string): void {
    for (const known of this.#lists.keys()) if (known < date) this.#lists.delete(known);
    for (const known of this.#scannedAt.keys()) if (known < date) this.#scannedAt.delete(known);
  }

  /** Counts dates of the window that were not read again until now. */
  closeAges(range: DateRange): void {
    const now = this.#order.time.now();
    for (const date of listDates(range)) this.#noteAge(date, now);
  }

  async *#watchWalk(range: DateRange, walk: AsyncGenerator<Page, WalkEnd>): AsyncGenerator<Page, WalkEnd> {
    let startedAt: number | null = null;
    try {
      for (;;) {
        const next = await walk.next();
        if (next.done === true) {
          const endedAt = this.#order.time.now();
          if (next.value.complete) this.#noteScan(range, startedAt ?? endedAt, endedAt);
          return next.value;
        }
        startedAt ??= next.value.requestedAt;
        yield next.value;
      }
    } finally {
      await walk.return(ABANDONED_WALK);
    }
  }

  #noteScan(range: DateRange, startedAt: number, endedAt: number): void {
    for (const date of listDates(range)) {
      this.#noteAge(date, endedAt);
      this.#scannedAt.set(date, startedAt);
    }
  }

  #noteAge(date: string, now: number): void {
    const scannedAt = this.#scannedAt.get(date);
    if (scannedAt === undefined) return;
    const dateClass = this.#classOf(date, now);
    // A date that became hot at midnight was not due every minute before.
    const since = dateClass === 'hot' ? Date.parse(`${addDays(date, -1)}T00:00:00Z`) : 0;
    const age = now - Math.max(since, scannedAt);
    this.maxAgeMs[dateClass] = Math.max(this.maxAgeMs[dateClass], age);
  }

  #classOf(date: string, now: number): DateClass {
    const list = () => this.#listOf(date).at(now);
    const head = {
      ...createHead(date, '1'),
      baselinedAt: 0,
      get recordCount() {
        return list().length;
      },
      get unsettledCount() {
        return list().filter(({ processed }) => processed === null).length;
      },
    };
    const payPeriods = this.#order.trace.payPeriodsAt(now);
    return classifyDate(date, { today: toLocalDate(now, 'UTC'), payPeriods }, head);
  }

  /** `value` is undefined for a timesheet that is gone. */
  async #read(path: string, query: string | Readonly<Record<string, unknown>> | undefined) {
    const { time, requestMs } = this.#order;
    const requestedAt = time.now();
    await time.sleep(requestMs / 2);
    const value = this.#show(path, query, time.now());
    await time.sleep(requestMs / 2);
    return { value, requestedAt, receivedAt: time.now() };
  }

  #show(path: string, query: string | Readonly<Record<string, unknown>> = {}, at: number): unknown {
    if (path === '/payperiods') {
      this.requests.payPeriods += 1;
      return this.#payPeriodsAt(at);
    }
    if (path === '/timesheets') {
      this.requests.pages += 1;
      const asked = typeof query === 'string' ? query.slice(query.indexOf('?') + 1) : toQueryText(query);
      return this.#pageAt(new URLSearchParams(asked), at);
    }
    this.requests.records += 1;
    const { date, record } = readRecordId(path.slice(path.lastIndexOf('/') + 1));
    const list = this.#listOf(date);
    list.at(at);
    const found = list.record(record);
    return found === undefined ? undefined : { data: [found] };
  }

  #pageAt(query: URLSearchParams, at: number): unknown {
    const from = query.get('dateFrom') ?? '';
    const to = query.get('dateTo') ?? '';
    const page = Number(query.get('page') ?? 1);
    const lists = listDates({ from, to }).map((date) => this.#listOf(date).at(at));
    const { records, pagination } = buildListPage(lists, { page, pageSize: this.#order.pageSize });
    query.set('page', String(page + 1));
    const nextPage = pagination.nextPage === '' ? '' : `/timesheets?${query}`;
    return {
      data: records,
      pagination: { ...pagination, nextPage },
    };
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

  #listOf(date: string): DateList {
    const known = this.#lists.get(date);
    if (known !== undefined) return known;
    const made = new DateList(this.#order.trace, date);
    this.#lists.set(date, made);
    return made;
  }
}

function countRecords(answer: unknown): number {
  const { data = [] } = (answer ?? {}) as { data?: readonly unknown[] };
  return data.length;
}

function toQueryText(query: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(texts).toString();
}

/** The longest of all classes of dates, in minutes. */
export function longestAgeMinutes(ages: MaxAges): number {
  return Math.max(...DATE_CLASSES.map((name) => ages[name])) / 60_000;
}

/** Polls request no date before it: the window and the lookback behind it take fewer than 75 days. */
export function computeFirstDate(now: number): string {
  return dateOf(Math.floor(now / DAY_MS) - 75);
}
