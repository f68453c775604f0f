import { type Context, Hono } from 'hono';
import type { Company } from '../company/company.ts';
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

/** The operations of docs/source-api.md that the notifier asks for, under `/api/v1`. Parameters are not checked. */
export function createApi({ company, token, catchUp }: ApiOptions): Hono {
  const root = new Hono();
  root.notFound((context) => context.json({ status: 404, message: 'nothing is here' }, 404));
  const api = root.basePath('/api/v1');
  api.use(async (context, next) => {
    if (context.req.header('authorization') !== `Bearer ${token}`)
      return context.json({ status: 401, message: 'no valid token' }, 401, { 'WWW-Authenticate': 'Bearer' });
    catchUp();
    return next();
  });
  api.get('/helloworld', (context) => context.json('Hello, Sample Company Head Office'));
  addTimesheets(api, company);
  addList(api, '/employees', () => company.employees());
  addList(api, '/departments', () => company.departments());
  addList(api, '/payperiods', () => company.payPeriods());
  return root;
}

function addTimesheets(api: Hono, company: Company): void {
  api.get('/timesheets', (context) => {
    const { dateFrom: from = company.today(), dateTo: to } = context.req.query();
    const repeated = { dateFrom: from, ...(to && { dateTo: to }) };
    return context.json(listPage(context, company.timesheets({ from, to }), repeated));
  });
  api.get('/timesheets/:id', (context) => {
    const found = company.timesheet(context.req.param('id'));
    return found === undefined ? context.notFound() : context.json(buildPage([found], 1, 1, () => ''));
  });
  api.get('/employees/:id/timesheets', (context) => {
    const { payPeriodId = '' } = context.req.query();
    if (company.payPeriod(payPeriodId) === undefined) return context.notFound();
    const employeeId = context.req.param('id');
    const own = company.members({ id: payPeriodId }).filter((each) => each.employeeId === employeeId);
    return context.json(listPage(context, own, { payPeriodId }));
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
  { req }: Context,
  records: readonly Timesheet[],
  repeated: Readonly<Record<string, string>>,
): TimesheetPage {
  const { page = 1, pageSize = MAX_PAGE_SIZE } = req.query();
  const size = Math.min(Number(pageSize), MAX_PAGE_SIZE);
  const link = (wanted: number) =>
    `${req.path}?${new URLSearchParams({ ...repeated, page: String(wanted), pageSize: String(size) })}`;
  return buildPage(records, Number(page), size, link);
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
