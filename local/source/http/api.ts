import { OpenAPIHono } from '@hono/zod-openapi';
import type { Timesheet, TimesheetPage } from '../schemas.ts';
import type { Service } from '../service.ts';
import * as operations from './operations.ts';
import type { RangeQuery } from './parameters.ts';
import { answerInvalid, createProblem } from './problems.ts';

const DEFAULT_PAGE_SIZE = 200;

/** The operations of docs/source-api.md, without tokens, rate limit and faults. */
export function createApi(service: Service): OpenAPIHono {
  const api = new OpenAPIHono({ defaultHook: answerInvalid });
  addTimesheets(api, service);
  addPeople(api, service);
  addCompany(api, service);
  return api;
}

function addTimesheets(api: OpenAPIHono, service: Service): void {
  const { company } = service;
  api.openapi(operations.listTimesheets, (context) =>
    context.json(readPage(service, { path: context.req.path, query: context.req.valid('query') }), 200),
  );
  api.openapi(operations.listEmployeeTimesheets, (context) => {
    const { employee_id } = context.req.valid('param');
    requireFound(employeeOf(service, employee_id), employee_id);
    const { payPeriodId, ...range } = context.req.valid('query');
    const suits = ({ employeeId }: Timesheet): boolean => employeeId === employee_id;
    if (payPeriodId === undefined) {
      return context.json(readPage(service, { path: context.req.path, query: range, suits }), 200);
    }
    const period = requireFound(company.payPeriod(payPeriodId), payPeriodId);
    const query = { ...range, dateFrom: period.startDate, dateTo: period.finishDate };
    const members = new Set(company.members(period).map(({ id }) => id));
    const isOwn = (timesheet: Timesheet): boolean => suits(timesheet) && members.has(timesheet.id);
    return context.json(
      readPage(service, { path: context.req.path, query, suits: isOwn, links: { payPeriodId } }),
      200,
    );
  });
  api.openapi(operations.listDepartmentTimesheets, (context) => {
    const { department_id } = context.req.valid('param');
    requireFound(departmentOf(service, department_id), department_id);
    const suits = ({ department }: Timesheet): boolean => department?.id === department_id;
    const query = context.req.valid('query');
    return context.json(readPage(service, { path: context.req.path, query, suits }), 200);
  });
  api.openapi(operations.getTimesheet, (context) => {
    const { timesheet_id } = context.req.valid('param');
    return context.json(
      buildSingleRecordPage(requireFound(company.timesheet(timesheet_id), timesheet_id)),
      200,
    );
  });
}

function addPeople(api: OpenAPIHono, service: Service): void {
  const { company } = service;
  api.openapi(operations.listEmployees, (context) =>
    context.json(
      company.staff.map(({ employee }) => employee),
      200,
    ),
  );
  api.openapi(operations.getEmployee, (context) => {
    const { employee_id } = context.req.valid('param');
    const { employee } = requireFound(employeeOf(service, employee_id), employee_id);
    const { dailyStatus } = context.req.valid('query');
    if (dailyStatus === undefined) return context.json(employee, 200);
    return context.json(company.dailyStatus(employee_id, dailyStatus), 200);
  });
  api.openapi(operations.listDepartments, (context) =>
    context.json(
      company.premises.workplaces.map(({ department }) => department),
      200,
    ),
  );
  api.openapi(operations.getDepartment, (context) => {
    const { department_id } = context.req.valid('param');
    return context.json(requireFound(departmentOf(service, department_id), department_id), 200);
  });
}

function addCompany(api: OpenAPIHono, { company }: Service): void {
  const { activities, organisations } = company.premises;
  api.openapi(operations.helloWorld, (context) =>
    context.json(`Hello, ${organisations[0]?.name ?? 'world'}`, 200),
  );
  api.openapi(operations.listPayPeriods, (context) => context.json(company.payPeriods(), 200));
  api.openapi(operations.getPayPeriod, (context) => {
    const { payperiod_id } = context.req.valid('param');
    return context.json(requireFound(company.payPeriod(payperiod_id), payperiod_id), 200);
  });
  api.openapi(operations.listActivities, (context) => context.json([...activities], 200));
  api.openapi(operations.getActivity, (context) => {
    const { activity_id } = context.req.valid('param');
    const activity = activities.find(({ id }) => id === activity_id);
    return context.json(requireFound(activity, activity_id), 200);
  });
  api.openapi(operations.listOrganisations, (context) => {
    const { organisation_id } = context.req.valid('query');
    if (organisation_id === undefined) return context.json([...organisations], 200);
    const organisation = organisations.find(({ id }) => id === organisation_id);
    return context.json([requireFound(organisation, organisation_id)], 200);
  });
}

interface ListRequest {
  readonly path: string;
  readonly query: RangeQuery;
  readonly suits?: (timesheet: Timesheet) => boolean;
  /** Query of the links to other pages; default: the dates. */
  readonly links?: Readonly<Record<string, string>>;
}

function readPage({ company, pageSizeCap }: Service, request: ListRequest): TimesheetPage {
  const { path, query, suits = () => true, links } = request;
  const from = query.dateFrom ?? company.today();
  const dates = { dateFrom: from, ...(query.dateTo === undefined ? {} : { dateTo: query.dateTo }) };
  return buildPage(company.timesheets({ from, to: query.dateTo }).filter(suits), {
    path,
    query: links ?? dates,
    page: query.page ?? 1,
    pageSize: Math.min(query.pageSize ?? DEFAULT_PAGE_SIZE, pageSizeCap),
  });
}

function employeeOf({ company }: Service, wanted: string) {
  return company.staff.find(({ employee }) => employee.id === wanted);
}

function departmentOf({ company }: Service, wanted: string) {
  return company.premises.workplaces.find(({ department }) => department.id === wanted)?.department;
}

/** Ends the request with 404 for `undefined`. */
function requireFound<T>(value: T | undefined, id: string): T {
  if (value === undefined) throw createProblem(404, `nothing has the id ${id}`);
  return value;
}

const PAGE_TYPE = 'PageOfTimesheets:#Workforce.Sample';

interface PageRequest {
  /** Path of the operation, from `/api/v1` on. */
  readonly path: string;
  /** The parameters that the links to other pages repeat. */
  readonly query: Readonly<Record<string, string>>;
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** One page of the records, with links to its neighbours (docs/source-api.md, Paging). */
function buildPage(records: readonly Timesheet[], request: PageRequest): TimesheetPage {
  const { page, pageSize } = request;
  const totalPages = Math.ceil(records.length / pageSize);
  const first = (page - 1) * pageSize;
  return {
    __type: PAGE_TYPE,
    data: records.slice(first, first + pageSize),
    pagination: {
      page,
      pageSize,
      totalPages,
      totalRecords: records.length,
      nextPage: page < totalPages ? buildLink(request, page + 1) : '',
      previousPage: page > 1 ? buildLink(request, page - 1) : '',
    },
  };
}

/** The envelope of a single timesheet: page size, pages and records are all 1 (docs/source-api.md, Timesheets). */
function buildSingleRecordPage(timesheet: Timesheet): TimesheetPage {
  return {
    __type: PAGE_TYPE,
    data: [timesheet],
    pagination: { page: 1, pageSize: 1, totalPages: 1, totalRecords: 1, nextPage: '', previousPage: '' },
  };
}

function buildLink({ path, query, pageSize }: PageRequest, page: number): string {
  return `${path}?${new URLSearchParams({ ...query, page: String(page), pageSize: String(pageSize) })}`;
}
