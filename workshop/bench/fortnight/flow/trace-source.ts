import type { SourceClient } from '#shared/adapters/workforce-api/client.ts';
import type { RequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { addDays, type DateRange, listDates, toLocalDate } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import { isHotDate } from '#shared/core/plan/cadence.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import type { VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { readEmployee } from '../../sample-records.ts';
import { assignPlacement, DAY_MS, dateOf } from '../trace/calendar.ts';
import { nameCalendar, readRecordId, type Trace } from '../trace/trace.ts';
import { DateList, type SourceTimesheet } from './date-list.ts';
import { type Processor, RECORD_CPU_MS, REQUEST_CPU_MS } from './function-time.ts';

export interface TraceSourceOptions {
  readonly trace: Trace;
  readonly time: VirtualTime;
  readonly queue: RequestQueue;
  readonly requestMs: number;
  /** Most records that the source gives on a page. */
  readonly pageSize: number;
}

/** Polls request no date before it. */
const DAYS_KEPT = 75;

/**
 * A source that answers from a trace, below the product's own adapter and queue. An answer takes `requestMs` and shows
 * the trace half-way through. It has no employees and no departments.
 */
export class TraceSource {
  requests = 0;
  /** Longest time from the start of a look at a hot date to the end of the next one. */
  hotAgeMs = 0;
  readonly #order: TraceSourceOptions;
  readonly #lists = new Map<string, DateList>();
  readonly #lookedAt = new Map<string, number>();

  constructor(order: TraceSourceOptions) {
    this.#order = order;
  }

  /** The port of one poll, which sends no request from `deadline` on, and computes on its own processor. */
  port(deadline: number, processor: Processor): SourceApi {
    const { time, queue } = this.#order;
    const read: SourceClient['read'] = async ({ path, query = {} }) => {
      const reply = await queue.ask(async () => {
        const answer = await this.#answer(path, query);
        return { outcome: 'answered', answer, askedWaitMs: null };
      }, deadline);
      await processor.compute(REQUEST_CPU_MS + RECORD_CPU_MS * countRecords(reply.value));
      if (reply.value !== undefined) return { ...reply, place: path };
      throw new SourceError('source_not_found', `${path} is gone`, { status: 404 });
    };
    const port = createSourceApi(
      {
        read,
        nextPage: (path) => new URL(path, 'https://source.example'),
        counts: () => ({ requests: 0, throttled: 0 }),
        learnedPace: queue.learnedPace,
        resumePace: queue.resumePace,
      },
      time.now,
    );
    return {
      ...port,
      page: async (request) => {
        const page = await port.page(request);
        const { range, page: number } = request;
        if (range !== null)
          this.#noteLook(range, { isFirst: number === 1, isLast: number === page.totalPages, page });
        return page;
      },
    };
  }

  /** Frees dates that will not be requested again. */
  forgetBefore(now: number): void {
    const first = dateOf(Math.floor(now / DAY_MS) - DAYS_KEPT);
    for (const known of this.#lists.keys()) if (known < first) this.#lists.delete(known);
  }

  #noteLook(
    range: DateRange,
    look: {
      readonly isFirst: boolean;
      readonly isLast: boolean;
      readonly page: { readonly requestedAt: number };
    },
  ): void {
    const now = this.#order.time.now();
    const today = toLocalDate(now, 'UTC');
    for (const date of listDates(range).filter((each) => isHotDate(each, today))) {
      const before = this.#lookedAt.get(date);
      // A date that became hot at midnight was not due every minute before.
      const since = Math.max(before ?? now, Date.parse(`${addDays(date, -1)}T00:00:00Z`));
      if (look.isLast) this.hotAgeMs = Math.max(this.hotAgeMs, now - since);
      if (look.isFirst) this.#lookedAt.set(date, look.page.requestedAt);
    }
  }

  /** `value` is undefined for what is gone. */
  async #answer(path: string, query: Readonly<Record<string, unknown>>) {
    const { time, requestMs } = this.#order;
    this.requests += 1;
    const requestedAt = time.now();
    await time.sleep(requestMs / 2);
    const value = this.#show(path, query, time.now());
    await time.sleep(requestMs / 2);
    return { value, requestedAt, receivedAt: time.now() };
  }

  #show(path: string, query: Readonly<Record<string, unknown>>, at: number): unknown {
    if (path === '/timesheets') return this.#pageAt(query, at);
    if (path === '/payperiods') return this.#payPeriodsAt(at);
    const [, list, id = '', timesheets] = path.split('/');
    if (timesheets !== undefined) return this.#membersAt(id, String(query.payPeriodId), at);
    if (id === '') return [];
    if (list !== 'timesheets') return undefined;
    const { date, record } = readRecordId(id);
    const dateList = this.#listOf(date);
    dateList.at(at);
    const found = dateList.record(record);
    return found === undefined ? undefined : { data: [found] };
  }

  #pageAt(query: Readonly<Record<string, unknown>>, at: number): unknown {
    const dates = listDates({ from: String(query.dateFrom), to: String(query.dateTo) });
    const pageSize = Math.min(this.#order.pageSize, Number(query.pageSize ?? this.#order.pageSize));
    const records = dates.flatMap((date) => this.#listOf(date).at(at));
    return toPage(records, Number(query.page ?? 1), pageSize);
  }

  #membersAt(employeeId: string, periodId: string, at: number): unknown {
    const { trace } = this.#order;
    const employee = readEmployee(employeeId);
    const calendar = nameCalendar(assignPlacement(employee, trace.size).calendar);
    const period = trace.payPeriodsAt(at).find(({ id }) => id === periodId);
    const isTheirs = period?.calendar === calendar;
    const dates = isTheirs ? listDates({ from: period.startDate, to: period.finishDate }) : [];
    const records = dates.flatMap((date) => {
      const list = this.#listOf(date);
      list.at(at);
      const found = list.ofEmployee(employee);
      return found === undefined ? [] : [found];
    });
    return toPage(records, 1, Math.max(1, records.length));
  }

  #payPeriodsAt(shownAt: number): unknown[] {
    return this.#order.trace
      .payPeriodsAt(shownAt)
      .map(({ closed, changes, people, timesheets, ...period }) => ({
        ...{ __type: 'Wfm.PayPeriod', ...period },
        closed: closed ? `${period.finishDate}T23:00:00.000Z` : null,
        ...{ hours: changes / 4, numberEmployees: people, numberTimesheets: timesheets },
        ...{ payRollCompanyId: '', payRollProvider: 'PaySys' },
      }));
  }

  #listOf(date: string): DateList {
    const known = this.#lists.get(date) ?? new DateList(this.#order.trace, date);
    this.#lists.set(date, known);
    return known;
  }
}

function toPage(records: readonly SourceTimesheet[], page: number, pageSize: number): unknown {
  const totalPages = Math.max(1, Math.ceil(records.length / pageSize));
  return {
    data: records.slice((page - 1) * pageSize, page * pageSize),
    pagination: {
      ...{ page, pageSize, totalPages, totalRecords: records.length },
      nextPage: page < totalPages ? `/timesheets?page=${page + 1}` : '',
    },
  };
}

function countRecords(answer: unknown): number {
  const { data = [] } = (answer ?? {}) as { data?: readonly unknown[] };
  return data.length;
}
