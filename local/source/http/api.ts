import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import * as z from 'zod';
import { isDate } from '#shared/core/dates.ts';
import type { Company } from '../company/company.ts';
import type { Timesheet, TimesheetPage } from '../schemas.ts';
import { type Faults, injectFaults } from './faults.ts';

/** What the API is made of. */
export interface ApiOptions {
  readonly company: Company;
  /** The bearer token that is accepted. */
  readonly token: string;
  /** Larger requested page sizes are reduced to this. */
  readonly pageSizeCap: number;
  readonly faults: Faults;
  /** Simulates the company up to now. */
  readonly catchUp: () => void;
}

const DEFAULT_PAGE_SIZE = 200;
const BEARER_PATTERN = /^Bearer (\S+)$/i;
const PAGE_TYPE = 'PageOfTimesheets:#Workforce.Sample';

const date = z.string().refine(isDate, 'must be a date YYYY-MM-DD').optional();
const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be an integer of at least 1')
  .transform(Number)
  .optional();

/** Query of the timesheet lists (docs/source-api.md, Timesheets). */
const querySchema = z.object({
  dateFrom: date,
  dateTo: date,
  page: count,
  pageSize: count,
  payPeriodId: z.string().optional(),
});

/** The operations of docs/source-api.md that the notifier asks for, under `/api/v1`. */
export function createApi(options: ApiOptions): Hono {
  const api = new Hono();
  api.onError(answerProblem);
  api.notFound((context) => sendProblem(context, 404, `nothing here: ${context.req.path}`));
  api.use(injectFaults(options.faults), async (context, next) => {
    refuseWrites(context);
    requireToken(context, options.token);
    options.catchUp();
    await next();
  });
  addTimesheets(api.basePath('/api/v1'), options);
  addLists(api.basePath('/api/v1'), options);
  return api;
}

function addTimesheets(api: Hono, options: ApiOptions): void {
  const { company } = options;
  api.get('/timesheets', (context) => context.json(readPage(context, options, () => true)));
  api.get('/timesheets/:id', (context) =>
    context.json(buildEnvelope(find(context, company.timesheet(context.req.param('id'))))),
  );
  api.get('/employees/:id/timesheets', (context) => {
    const { id } = find(
      context,
      company.employees().find((each) => each.id === context.req.param('id')),
    );
    return context.json(readPage(context, options, ({ employeeId }) => employeeId === id));
  });
}

function addLists(api: Hono, { company }: ApiOptions): void {
  api.get('/helloworld', (context) => context.json('Hello, Sample Company Head Office'));
  const lists = {
    '/employees': () => company.employees(),
    '/departments': () => company.departments(),
    '/payperiods': () => company.payPeriods(),
  };
  for (const [path, list] of Object.entries(lists)) {
    api.get(path, (context) => context.json<unknown>(list()));
    api.get(`${path}/:id`, (context) => {
      const found = list().find(({ id }) => id === context.req.param('id'));
      return context.json<unknown>(find(context, found));
    });
  }
}

/** All operations are reads. */
function refuseWrites({ req, header }: Context): void {
  if (req.method === 'GET' || req.method === 'HEAD') return;
  header('Allow', 'GET, HEAD');
  throw new HTTPException(405, { message: `${req.method} is not allowed: all operations are reads` });
}

/** 401 without the token (docs/source-api.md, Authentication). */
function requireToken({ req, header }: Context, token: string): void {
  const [, given] = BEARER_PATTERN.exec(req.header('authorization') ?? '') ?? [];
  if (given === token) return;
  header('WWW-Authenticate', 'Bearer');
  const message = given === undefined ? 'the bearer token is missing' : 'the token is not valid';
  throw new HTTPException(401, { message });
}

/** Ends the request with 404 for `undefined`. */
function find<T>({ req }: Context, value: T | undefined): T {
  if (value === undefined) throw new HTTPException(404, { message: `nothing is at ${req.path}` });
  return value;
}

/** One page of the timesheets that suit, with links to its neighbours (docs/source-api.md, Paging). */
function readPage(
  context: Context,
  { company, pageSizeCap }: ApiOptions,
  suits: (timesheet: Timesheet) => boolean,
): TimesheetPage {
  const query = parseQuery(context);
  const { dateFrom: from = company.today(), dateTo: to, payPeriodId, page = 1 } = query;
  const pageSize = Math.min(query.pageSize ?? DEFAULT_PAGE_SIZE, pageSizeCap);
  const period = payPeriodId === undefined ? null : find(context, company.payPeriod(payPeriodId));
  const listed = period === null ? company.timesheets({ from, to }) : company.members(period);
  const records = listed.filter(suits);
  const repeated: Record<string, string> =
    payPeriodId === undefined ? { dateFrom: from, ...(to && { dateTo: to }) } : { payPeriodId };
  const link = (wanted: number) =>
    `${context.req.path}?${new URLSearchParams({ ...repeated, page: String(wanted), pageSize: String(pageSize) })}`;
  const totalPages = Math.ceil(records.length / pageSize);
  return {
    __type: PAGE_TYPE,
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

/** The envelope of a single timesheet: page size, pages and records are all 1 (docs/source-api.md, Timesheets). */
function buildEnvelope(timesheet: Timesheet): TimesheetPage {
  const pagination = { page: 1, pageSize: 1, totalPages: 1, totalRecords: 1, nextPage: '', previousPage: '' };
  return { __type: PAGE_TYPE, data: [timesheet], pagination };
}

/** Ends the request with 400 and the name of the first invalid parameter. */
function parseQuery({ req }: Context): z.output<typeof querySchema> {
  const { data, error } = querySchema.safeParse(req.query());
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new HTTPException(400, { message: `${issue?.path.join('.')}: ${issue?.message}` });
}

/** The JSON answer for any error. */
function answerProblem(error: Error, context: Context): Response {
  if (error instanceof HTTPException) return sendProblem(context, error.status, error.message);
  console.error(error);
  return sendProblem(context, 500, 'internal error of the sample source; see its log');
}

/** The form of errors is not specified (docs/source-api.md, Not specified). */
function sendProblem(context: Context, status: ContentfulStatusCode, message: string): Response {
  return context.json({ status, message }, status);
}
