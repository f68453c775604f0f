import * as z from 'zod';
import type { Query } from './addresses.ts';
import { createListReader, type ListReader, type ListReaderOptions } from './list-reader.ts';
import { Activity, Department, Employee, Organisation, PayPeriod, TimesheetPage } from './schemas.ts';
import { parseShape } from './shape.ts';

/** Dates are `YYYY-MM-DD`, both included; `dateFrom` is today by default, `dateTo` has no bound by default. */
interface TimesheetQuery {
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** The lists of docs/source-api.md, checked, for what an operator asks of a source. Each throws `SourceError`. */
export interface WorkforceApi extends ListReader {
  /** `GET /timesheets` */
  listTimesheets(query?: TimesheetQuery): Promise<TimesheetPage>;
  /** `GET /employees` */
  listEmployees(): Promise<Employee[]>;
  /** `GET /departments` */
  listDepartments(): Promise<Department[]>;
  /** `GET /payperiods` */
  listPayPeriods(): Promise<PayPeriod[]>;
  /** `GET /activities` */
  listActivities(): Promise<Activity[]>;
  /** `GET /organisations` */
  listOrganisations(): Promise<Organisation[]>;
  /** `GET /helloworld`: a greeting and the name of the caller's organisation. */
  helloWorld(): Promise<string>;
}

/** A client of one instance; sends nothing until an operation is called. Throws `NotifierError` `base_url_invalid`. */
export function createWorkforceApi(options: ListReaderOptions): WorkforceApi {
  const reader = createListReader(options);
  const { read } = reader;
  const get = async <S extends z.ZodType>(schema: S, path: string, query?: Query): Promise<z.output<S>> => {
    const { value, place } = await read({ path, query: query ?? {} });
    return parseShape(schema, value, place);
  };
  const list = async <S extends z.ZodType>(item: S, path: string): Promise<z.output<S>[]> => {
    const { value, place } = await read({ path, remember: true });
    return parseShape(z.array(item), value, place);
  };

  return {
    ...reader,
    listTimesheets: (query) => get(TimesheetPage, '/timesheets', { ...query }),
    listEmployees: () => list(Employee, '/employees'),
    listDepartments: () => list(Department, '/departments'),
    listPayPeriods: () => list(PayPeriod, '/payperiods'),
    listActivities: () => list(Activity, '/activities'),
    listOrganisations: () => get(z.array(Organisation), '/organisations'),
    helloWorld: () => get(z.string(), '/helloworld'),
  };
}
