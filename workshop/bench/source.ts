import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { Records } from '#local/source/world/records.ts';
import type { SourceClient } from '#shared/adapters/workforce-api/client.ts';
import type { RequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { addDays, listDates, toLocalDate } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import { isHotDate } from '#shared/core/plan/cadence.ts';
import type { PageRequest, SourceApi } from '#shared/flow/poll/ports.ts';
import type { VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { BEGINS, buildPage, type Recording } from './company.ts';

/** Until the source has answered. The answer shows what is there half-way through. */
export const REQUEST_MS = 300;

interface SourceOptions {
  readonly recording: Recording;
  readonly copies: number;
  readonly time: VirtualTime;
  readonly queue: RequestQueue;
  /** Most records that the source gives on a page. */
  readonly pageSize: number;
}

type Query = Readonly<Record<string, unknown>>;

/** A source that shows a recording in virtual time, below the product's own adapter and queue. It has no directory. */
export class CompanySource {
  requests = 0;
  /** Longest time from the start of a look at a hot date to the end of the next one. */
  hotAgeMs = 0;
  readonly #options: SourceOptions;
  readonly #records = new Records<Timesheet>('timesheets');
  readonly #lookedAt = new Map<string, number>();
  #next = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    for (const record of options.recording.timesheets) this.#records.add(record.id, { at: BEGINS, record });
  }

  /** The port of one poll, which sends no request from `deadline` on. `compute`: takes the time to read so many records. */
  port(deadline: number, compute: (records: number) => Promise<void>): SourceApi {
    const { queue, time } = this.#options;
    const read: SourceClient['read'] = async ({ path, query = {} }) => {
      const { value, ...times } = await queue.ask(async () => {
        const answer = await this.#answer(path, query);
        return { outcome: 'answered', answer, askedWaitMs: null };
      }, deadline);
      await compute((value as { data?: unknown[] } | undefined)?.data?.length ?? 0);
      if (value !== undefined) return { value, ...times, place: path };
      throw new SourceError('source_not_found', `${path} is gone`, { status: 404 });
    };
    const port = createSourceApi(
      {
        ...{ read, nextPage: (path) => new URL(path, 'https://source.example') },
        ...{ learnedPace: queue.learnedPace, resumePace: queue.resumePace },
        counts: () => ({ requests: 0, throttled: 0 }),
      },
      time.now,
    );
    const page = async (request: PageRequest) => {
      const answer = await port.page(request);
      this.#noteLook(request, answer);
      return answer;
    };
    return { ...port, page };
  }

  /** Timesheets on dates, of all copies. */
  count(dates: readonly string[]): number {
    return this.#list(dates).length * this.#options.copies;
  }

  #noteLook(
    { range, page }: PageRequest,
    { requestedAt, totalPages }: { readonly requestedAt: number; readonly totalPages: number },
  ): void {
    const now = this.#options.time.now();
    const today = toLocalDate(now, 'UTC');
    for (const date of (range === null ? [] : listDates(range)).filter((each) => isHotDate(each, today))) {
      // A date that became hot at midnight was not due every minute before.
      const since = Math.max(this.#lookedAt.get(date) ?? now, Date.parse(addDays(date, -1)));
      if (page === totalPages) this.hotAgeMs = Math.max(this.hotAgeMs, now - since);
      if (page === 1) this.#lookedAt.set(date, requestedAt);
    }
  }

  /** `value` is undefined for what is gone. */
  async #answer(path: string, query: Query) {
    const { time } = this.#options;
    this.requests += 1;
    const requestedAt = time.now();
    await time.sleep(REQUEST_MS / 2);
    this.#advanceTo(time.now());
    const value = this.#show(path, query, time.now());
    await time.sleep(REQUEST_MS / 2);
    return { value, requestedAt, receivedAt: time.now() };
  }

  #show(path: string, query: Query, now: number): unknown {
    const [, list, id, timesheets] = path.split('/');
    if (timesheets !== undefined) return this.#showMembers(String(id), String(query.payPeriodId), now);
    if (list === 'payperiods') return this.#listPeriods(now);
    if (list !== 'timesheets') return id === undefined ? [] : undefined;
    if (id === undefined) return this.#showDates(query);
    const [base, copy] = splitId(id);
    const found = this.#records.get(base)?.latest ?? null;
    return found === null ? undefined : { data: [copyOf(found, copy)] };
  }

  #showDates(query: Query): unknown {
    const { copies } = this.#options;
    const records = this.#list(listDates({ from: String(query.dateFrom), to: String(query.dateTo) }));
    const pageSize = Math.min(this.#options.pageSize, Number(query.pageSize ?? this.#options.pageSize));
    const size = { page: Number(query.page ?? 1), pageSize, total: records.length * copies };
    return buildPage(size, (place) =>
      copyOf(records[Math.floor(place / copies)] as Timesheet, place % copies),
    );
  }

  #showMembers(employeeId: string, periodId: string, now: number): unknown {
    const [base, copy] = splitId(employeeId);
    const { fortnightly } = this.#options.recording;
    const period = this.#listPeriods(now).find(({ id }) => id === periodId);
    const isTheirs = fortnightly.size === 0 || (period?.calendar === 'Fortnightly') === fortnightly.has(base);
    const dates =
      period === undefined || !isTheirs ? [] : listDates({ from: period.startDate, to: period.finishDate });
    const records = this.#list(dates).filter((each) => each.employeeId === base);
    const size = { page: 1, pageSize: Math.max(1, records.length), total: records.length };
    return buildPage(size, (place) => copyOf(records[place] as Timesheet, copy));
  }

  #listPeriods(now: number): PayPeriod[] {
    const { recording, copies } = this.#options;
    const list = recording.periods.findLast(({ at }) => at <= now)?.list ?? [];
    return list.map((period) => ({
      ...period,
      hours: period.hours * copies,
      numberEmployees: period.numberEmployees * copies,
      numberTimesheets: period.numberTimesheets * copies,
    }));
  }

  #list(dates: readonly string[]): readonly Timesheet[] {
    return dates.flatMap((date) => this.#records.between({ from: date, to: date }));
  }

  #advanceTo(now: number): void {
    const { changes } = this.#options.recording;
    for (
      let entry = changes[this.#next];
      entry !== undefined && entry.at <= now;
      entry = changes[this.#next]
    ) {
      if (entry.feed === 'timesheets') this.#records.add(entry.id, entry);
      this.#next += 1;
    }
  }
}

/** The company's own id, which ends with `_1`, and which of its copies it is. */
export function splitId(id: string): readonly [base: string, copy: number] {
  const [number, suffix] = id.split('_');
  return [`${number}_1`, Number(suffix) - 1];
}

function copyOf(timesheet: Timesheet, copy: number): Timesheet {
  if (copy === 0) return timesheet;
  const rename = (id: string) => `${id.slice(0, id.indexOf('_'))}_${copy + 1}`;
  return { ...timesheet, id: rename(timesheet.id), employeeId: rename(timesheet.employeeId) };
}
