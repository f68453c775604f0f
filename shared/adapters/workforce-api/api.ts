import * as z from 'zod';
import type { SourceClient } from './client.ts';
import { parseShape, uncheckedList } from './shape.ts';

/** Dates are `YYYY-MM-DD`, both included; `dateFrom` is today by default, `dateTo` has no bound by default. */
interface TimesheetQuery {
  readonly dateFrom?: string;
  readonly dateTo?: string;
  /** From 1. */
  readonly page?: number;
  readonly pageSize?: number | undefined;
}

/** What commands read of the records of docs/source-api.md; a poll checks each record by itself. */
const payPeriod = z.object({ calendar: z.string(), finishDate: z.string(), closed: z.string().nullable() });
type PayPeriod = z.output<typeof payPeriod>;

const department = z.object({ id: z.string(), name: z.string() });
type Department = z.output<typeof department>;

const timesheet = z.object({
  startTime: z.string(),
  clockIn: z.object({ localTime: z.string().nullable(), variance: z.number() }).nullable(),
});
export type Timesheet = z.output<typeof timesheet>;

const timesheetPage = z.object({
  data: z.array(timesheet),
  pagination: z.object({ pageSize: z.int(), totalPages: z.int(), totalRecords: z.int() }),
});
export type TimesheetPage = z.output<typeof timesheetPage>;

/** The lists of docs/source-api.md for whoever asks a source by hand. Each throws `SourceError`. */
export interface WorkforceApi {
  /** `GET /timesheets` */
  listTimesheets(query?: TimesheetQuery): Promise<TimesheetPage>;
  /** `GET /employees`, unchecked. */
  listEmployees(): Promise<readonly unknown[]>;
  /** `GET /departments` */
  listDepartments(): Promise<readonly Department[]>;
  /** `GET /payperiods` */
  listPayPeriods(): Promise<readonly PayPeriod[]>;
  /** `GET /helloworld`: a greeting and the name of the caller's organisation. */
  helloWorld(): Promise<string>;
}

export function createWorkforceApi({ read }: Pick<SourceClient, 'read'>): WorkforceApi {
  const get = async <S extends z.ZodType>(
    schema: S,
    path: string,
    query: TimesheetQuery = {},
  ): Promise<z.output<S>> => {
    const { value, place } = await read({ path, query: { ...query } });
    return parseShape(schema, value, place);
  };
  return {
    listTimesheets: (query) => get(timesheetPage, '/timesheets', query),
    listEmployees: () => get(uncheckedList, '/employees'),
    listDepartments: () => get(z.array(department), '/departments'),
    listPayPeriods: () => get(z.array(payPeriod), '/payperiods'),
    helloWorld: () => get(z.string(), '/helloworld'),
  };
}
