import * as z from 'zod';
import { type Query, toPathSegment } from './addresses.ts';
import { createListReader, type ListReader, type ListReaderOptions } from './list-reader.ts';
import {
  Activity,
  Department,
  Employee,
  EmployeeDailyStatus,
  Organisation,
  PayPeriod,
  Timesheet,
  TimesheetPage,
} from './schemas.ts';
import { parseShape } from './shape.ts';

/** Dates are `YYYY-MM-DD`, both included; `dateFrom` is today by default, `dateTo` has no bound by default. */
interface TimesheetQuery {
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** Every operation of docs/source-api.md. Each throws `SourceError`. */
export interface WorkforceApi extends ListReader {
  /** `GET /timesheets` */
  listTimesheets(query?: TimesheetQuery): Promise<TimesheetPage>;
  /** `GET /employees/{id}/timesheets`; with `payPeriodId` the source ignores the dates. */
  listEmployeeTimesheets(
    employeeId: string,
    query?: TimesheetQuery & { readonly payPeriodId?: string | undefined },
  ): Promise<TimesheetPage>;
  /** `GET /departments/{id}/timesheets` */
  listDepartmentTimesheets(departmentId: string, query?: TimesheetQuery): Promise<TimesheetPage>;
  /** `GET /timesheets/{id}` */
  getTimesheet(id: string): Promise<Timesheet>;
  /** `GET /employees` */
  listEmployees(): Promise<Employee[]>;
  /** `GET /employees/{id}` */
  getEmployee(id: string): Promise<Employee>;
  /** `GET /employees/{id}?dailyStatus=DD/MM/YYYY`; `date` is `YYYY-MM-DD`. */
  getEmployeeDailyStatus(id: string, date: string): Promise<EmployeeDailyStatus>;
  /** `GET /departments` */
  listDepartments(): Promise<Department[]>;
  /** `GET /departments/{id}` */
  getDepartment(id: string): Promise<Department>;
  /** `GET /payperiods` */
  listPayPeriods(): Promise<PayPeriod[]>;
  /** `GET /payperiods/{id}` */
  getPayPeriod(id: string): Promise<PayPeriod>;
  /** `GET /activities` */
  listActivities(): Promise<Activity[]>;
  /** `GET /activities/{id}` */
  getActivity(id: string): Promise<Activity>;
  /** `GET /organisations`; with an id, that one organisation under the caller's head office. */
  listOrganisations(organisationId?: string): Promise<Organisation[]>;
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
    listEmployeeTimesheets: async (id, query) =>
      get(TimesheetPage, `/employees/${toPathSegment(id)}/timesheets`, { ...query }),
    listDepartmentTimesheets: async (id, query) =>
      get(TimesheetPage, `/departments/${toPathSegment(id)}/timesheets`, { ...query }),
    getTimesheet: async (id) => {
      const page = await get(SingleTimesheet, `/timesheets/${toPathSegment(id)}`);
      return page.data[0];
    },
    listEmployees: () => list(Employee, '/employees'),
    getEmployee: async (id) => get(Employee, `/employees/${toPathSegment(id)}`),
    getEmployeeDailyStatus: async (id, date) =>
      get(EmployeeDailyStatus, `/employees/${toPathSegment(id)}`, { dailyStatus: toDayFirst(date) }),
    listDepartments: () => list(Department, '/departments'),
    getDepartment: async (id) => get(Department, `/departments/${toPathSegment(id)}`),
    listPayPeriods: () => list(PayPeriod, '/payperiods'),
    getPayPeriod: async (id) => get(PayPeriod, `/payperiods/${toPathSegment(id)}`),
    listActivities: () => list(Activity, '/activities'),
    getActivity: async (id) => get(Activity, `/activities/${toPathSegment(id)}`),
    listOrganisations: (id) => get(z.array(Organisation), '/organisations', { organisation_id: id }),
    helloWorld: () => get(z.string(), '/helloworld'),
  };
}

/** The envelope of a single timesheet has exactly one record. */
const SingleTimesheet = TimesheetPage.extend({ data: z.tuple([Timesheet]) });

/** From `YYYY-MM-DD` to `DD/MM/YYYY`, which `dailyStatus` takes. */
function toDayFirst(date: string): string {
  return date.split('-').reverse().join('/');
}
