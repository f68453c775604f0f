import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { isDate } from '#shared/core/dates.ts';
import type { Company } from '../company/company.ts';
import { ACTIVITIES, computeDailyStatus, listOrganisations } from '../company/head-office.ts';
import type { Timesheet, TimesheetPage } from '../schemas.ts';

/** What the API is made of. */
export interface ApiOptions {
  readonly company: Company;
  /** The bearer token that is accepted. */
  readonly token: string;
  /** Simulates the company up to now. */
  readonly catchUp: () => void;
}

/** Of a page whose size is not asked for, too. */
const MAX_PAGE_SIZE = 200;

const date = z.string().refine(isDate, 'must be a date YYYY-MM-DD');
const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be an integer of at least 1')
  .transform(Number);

/** Query of the timesheet lists (docs/source-api.md, Timesheets). */
const listQuerySchema = z.object({
  dateFrom: date.optional(),
  dateTo: date.optional(),
  page: count.default(1),
  pageSize: count.default(MAX_PAGE_SIZE),
  payPeriodId: z.string().optional(),
});
type ListQuery = z.output<typeof listQuerySchema>;

/** A date `DD/MM/YYYY` as `YYYY-MM-DD` (docs/source-api.md, Employees). */
const dailyStatusSchema = z
  .string()
  .regex(/^\d{2}\/\d{2}\/\d{4}$/, 'must be a date DD/MM/YYYY')
  .transform((text) => text.split('/').reverse().join('-'))
  .refine(isDate, 'must be a date DD/MM/YYYY');

/** The operations of docs/source-api.md under `/api/v1`. */
export function createApi({ company, token, catchUp }: ApiOptions): Hono {
  const root = new Hono();
  root.notFound((context) => context.json({ status: 404, message: 'nothing is here' }, 404));
  root.onError((error, context) => {
    if (!(error instanceof z.ZodError)) throw error;
    return context.json({ status: 400, message: z.prettifyError(error) }, 400);
  });
  const api = root.basePath('/api/v1');
  api.use(async (context, next) => {
    if (context.req.header('authorization') !== `Bearer ${token}`)
      return context.json({ status: 401, message: 'no valid token' }, 401, { 'WWW-Authenticate': 'Bearer' });
    catchUp();
    return next();
  });
  addTimesheets(api, company);
  addDailyStatus(api, company);
  addOrganisations(api, company);
  addList(api, '/activities', () => ACTIVITIES);
  addList(api, '/employees', () => company.employees());
  addList(api, '/departments', () => company.departments());
  addList(api, '/payperiods', () => company.payPeriods());
  return root;
}

function addTimesheets(api: Hono, company: Company): void {
  /** The page that is asked for of the timesheets on the dates that are asked for. */
  const listDates = (
    { req }: Context,
    query: ListQuery,
    suits: (timesheet: Timesheet) => boolean,
  ): TimesheetPage => {
    const { dateFrom = company.today(), dateTo } = query;
    const dates = { dateFrom, ...(dateTo === undefined ? {} : { dateTo }) };
    return listPage(req.path, query, company.timesheets({ from: dateFrom, to: dateTo }).filter(suits), dates);
  };
  api.get('/timesheets', (context) => context.json(listDates(context, readQuery(context), () => true)));
  api.get('/timesheets/:id', (context) => {
    const found = company.timesheet(context.req.param('id'));
    return found === undefined ? context.notFound() : context.json(buildPage([found], 1, 1, () => ''));
  });
  api.get('/departments/:id/timesheets', (context) => {
    const id = context.req.param('id');
    return context.json(listDates(context, readQuery(context), ({ department }) => department?.id === id));
  });
  api.get('/employees/:id/timesheets', (context) => {
    const isOwn = ({ employeeId }: Timesheet) => employeeId === context.req.param('id');
    const query = readQuery(context);
    const { payPeriodId } = query;
    if (payPeriodId === undefined) return context.json(listDates(context, query, isOwn));
    if (company.payPeriod(payPeriodId) === undefined) return context.notFound();
    const own = company.members({ id: payPeriodId }).filter(isOwn);
    return context.json(listPage(context.req.path, query, own, { payPeriodId }));
  });
}

function readQuery({ req }: Context): ListQuery {
  return listQuerySchema.parse(req.query());
}

/** In place of the employee, where it is asked for. */
function addDailyStatus(api: Hono, company: Company): void {
  api.get('/employees/:id', async (context, next) => {
    const { dailyStatus } = context.req.query();
    const employee = company.employees().find(({ id }) => id === context.req.param('id'));
    if (dailyStatus === undefined || employee === undefined) return await next();
    const day = dailyStatusSchema.parse(dailyStatus);
    const sheets = company.timesheets({ from: day, to: day });
    const own = sheets.filter(({ employeeId }) => employeeId === employee.id);
    return context.json({ status: computeDailyStatus(employee, own) });
  });
}

function addOrganisations(api: Hono, company: Company): void {
  const organisations = listOrganisations(company.workplaces);
  api.get('/helloworld', (context) => context.json(`Hello, ${organisations[0]?.name}`));
  api.get('/organisations', (context) => {
    const { organisation_id: wanted } = context.req.query();
    const found = organisations.filter(({ id }) => wanted === undefined || wanted === id);
    return found.length === 0 ? context.notFound() : context.json<unknown>(found);
  });
}

function addList(api: Hono, path: string, list: () => readonly { readonly id: string }[]): void {
  api.get(path, (context) => context.json<unknown>(list()));
  api.get(`${path}/:id`, (context) => {
    const found = list().find(({ id }) => id === context.req.param('id'));
    return found === undefined ? context.notFound() : context.json<unknown>(found);
  });
}

/** The page of the records that is asked for. `repeated`: the query of its links to other pages. */
function listPage(
  path: string,
  { page, pageSize }: ListQuery,
  records: readonly Timesheet[],
  repeated: Readonly<Record<string, string>>,
): TimesheetPage {
  const size = Math.min(pageSize, MAX_PAGE_SIZE);
  const link = (wanted: number) =>
    `${path}?${new URLSearchParams({ ...repeated, page: String(wanted), pageSize: String(size) })}`;
  return buildPage(records, page, size, link);
}

/** With links to the neighbours (docs/source-api.md, Paging). */
function buildPage(
  records: readonly Timesheet[],
  page: number,
  pageSize: number,
  link: (page: number) => string,
): TimesheetPage {
  const totalPages = Math.ceil(records.length / pageSize);
  return {
    __type: 'PageOfTimesheets:#Workforce.Sample',
    data: records.slice((page - 1) * pageSize, page * pageSize),
    pagination: {
      page,
      pageSize,
      totalPages,
      totalRecords: records.length,
      nextPage: page < totalPages ? link(page + 1) : '',
      previousPage: page > 1 ? link(page - 1) : '',
    },
  };
}
