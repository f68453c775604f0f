import type { Company } from '#local/source/company/company.ts';
import type { Timesheet } from '#local/source/schemas.ts';
import type { SourceClient } from '#shared/adapters/workforce-api/client.ts';
import type { RequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import type { VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { buildPage } from './company.ts';

/** Until the source has answered. The answer shows what is there half-way through. */
export const REQUEST_MS = 300;

interface SourceOptions {
  readonly company: Company;
  readonly copies: number;
  readonly time: VirtualTime;
  readonly queue: RequestQueue;
  /** Most records that the source gives on a page. */
  readonly pageSize: number;
}

type Query = Readonly<Record<string, unknown>>;

/** A source that shows the company in virtual time, below the product's own adapter and queue. It has no directory. */
export class CompanySource {
  requests = 0;
  readonly #options: SourceOptions;

  constructor(options: SourceOptions) {
    this.#options = options;
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
    const client = {
      ...{ read, nextPage: (path: string) => new URL(path, 'https://source.example') },
      ...{ learnedPace: queue.learnedPace, resumePace: queue.resumePace },
      counts: () => ({ requests: 0, throttled: 0 }),
    };
    return createSourceApi(client, time.now);
  }

  /** `value` is undefined for what is gone. */
  async #answer(path: string, query: Query) {
    const { company, time } = this.#options;
    this.requests += 1;
    const requestedAt = time.now();
    await time.sleep(REQUEST_MS / 2);
    company.advanceTo(time.now());
    const value = this.#show(path, query);
    await time.sleep(REQUEST_MS / 2);
    return { value, requestedAt, receivedAt: time.now() };
  }

  #show(path: string, query: Query): unknown {
    const { company } = this.#options;
    const [, list, id = '', timesheets] = path.split('/');
    const [base, copy] = splitId(id);
    if (timesheets !== undefined) return this.#showMembers(base, copy, String(query.payPeriodId));
    if (list === 'payperiods') return this.#listPeriods();
    if (list !== 'timesheets') return id === '' ? [] : undefined;
    if (id === '') return this.#showDates(query);
    const found = company.timesheet(base);
    return found === undefined ? undefined : { data: [copyOf(found, copy)] };
  }

  #showDates(query: Query): unknown {
    const { company, copies, pageSize } = this.#options;
    const records = company.timesheets({ from: String(query.dateFrom), to: String(query.dateTo) });
    const size = {
      page: Number(query.page ?? 1),
      pageSize: Math.min(pageSize, Number(query.pageSize ?? pageSize)),
      total: records.length * copies,
    };
    const make = (place: number) => copyOf(records[Math.floor(place / copies)] as Timesheet, place % copies);
    return buildPage(size, make);
  }

  #showMembers(base: string, copy: number, periodId: string): unknown {
    const { company } = this.#options;
    const period = company.payPeriod(periodId);
    const records = period === undefined ? [] : company.members(period);
    const own = records.filter(({ employeeId }) => employeeId === base);
    const size = { page: 1, pageSize: Math.max(1, own.length), total: own.length };
    return buildPage(size, (place) => copyOf(own[place] as Timesheet, copy));
  }

  #listPeriods(): unknown {
    const { company, copies } = this.#options;
    return company.payPeriods().map((period) => ({
      ...period,
      hours: period.hours * copies,
      numberEmployees: period.numberEmployees * copies,
      numberTimesheets: period.numberTimesheets * copies,
    }));
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
