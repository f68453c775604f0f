/** The operations of docs/source-api.md as routes under `/api/v1`. */
import { createRoute, z } from '@hono/zod-openapi';
import {
  activitySchema,
  departmentSchema,
  employeeDailyStatusSchema,
  employeeSchema,
  errorSchema,
  organisationSchema,
  payPeriodSchema,
  timesheetPageSchema,
} from '../schemas.ts';
import {
  dailyStatusQuery,
  employeeRangeQuery,
  idParameter,
  organisationQuery,
  rangeQuery,
} from './parameters.ts';

const buildProblemResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorSchema } },
});

const buildResponses = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: { description, content: { 'application/json': { schema } } },
  400: buildProblemResponse('Malformed request syntax or invalid parameters'),
  401: buildProblemResponse('Missing or invalid token'),
  403: buildProblemResponse('Valid token, insufficient permissions'),
  404: buildProblemResponse('Requested resource does not exist'),
  429: buildProblemResponse('Rate limit exceeded'),
});

const GET = { method: 'get' as const, security: [{ bearer: [] }] };

export const helloWorld = createRoute({
  ...GET,
  operationId: 'helloWorld',
  path: '/helloworld',
  responses: buildResponses('A greeting with the name of the organisation', z.string()),
});

export const listTimesheets = createRoute({
  ...GET,
  operationId: 'listTimesheets',
  path: '/timesheets',
  request: { query: rangeQuery },
  responses: buildResponses('One page of timesheets', timesheetPageSchema),
});

export const listEmployeeTimesheets = createRoute({
  ...GET,
  operationId: 'listEmployeeTimesheets',
  path: '/employees/{employee_id}/timesheets',
  request: { params: idParameter('employee_id'), query: employeeRangeQuery },
  responses: buildResponses('One page of timesheets of an employee', timesheetPageSchema),
});

export const listDepartmentTimesheets = createRoute({
  ...GET,
  operationId: 'listDepartmentTimesheets',
  path: '/departments/{department_id}/timesheets',
  request: { params: idParameter('department_id'), query: rangeQuery },
  responses: buildResponses('One page of timesheets of a department', timesheetPageSchema),
});

export const getTimesheet = createRoute({
  ...GET,
  operationId: 'getTimesheet',
  path: '/timesheets/{timesheet_id}',
  request: { params: idParameter('timesheet_id') },
  responses: buildResponses('An envelope with exactly one timesheet', timesheetPageSchema),
});

export const listEmployees = createRoute({
  ...GET,
  operationId: 'listEmployees',
  path: '/employees',
  responses: buildResponses('All employees', z.array(employeeSchema)),
});

export const getEmployee = createRoute({
  ...GET,
  operationId: 'getEmployee',
  path: '/employees/{employee_id}',
  request: { params: idParameter('employee_id'), query: dailyStatusQuery },
  responses: buildResponses(
    'The employee, or the daily status instead when it is asked for',
    z.union([employeeSchema, employeeDailyStatusSchema]),
  ),
});

export const listDepartments = createRoute({
  ...GET,
  operationId: 'listDepartments',
  path: '/departments',
  responses: buildResponses('All departments', z.array(departmentSchema)),
});

export const getDepartment = createRoute({
  ...GET,
  operationId: 'getDepartment',
  path: '/departments/{department_id}',
  request: { params: idParameter('department_id') },
  responses: buildResponses('The department', departmentSchema),
});

export const listPayPeriods = createRoute({
  ...GET,
  operationId: 'listPayPeriods',
  path: '/payperiods',
  responses: buildResponses('All pay periods', z.array(payPeriodSchema)),
});

export const getPayPeriod = createRoute({
  ...GET,
  operationId: 'getPayPeriod',
  path: '/payperiods/{payperiod_id}',
  request: { params: idParameter('payperiod_id') },
  responses: buildResponses('The pay period', payPeriodSchema),
});

export const listActivities = createRoute({
  ...GET,
  operationId: 'listActivities',
  path: '/activities',
  responses: buildResponses('All activities', z.array(activitySchema)),
});

export const getActivity = createRoute({
  ...GET,
  operationId: 'getActivity',
  path: '/activities/{activity_id}',
  request: { params: idParameter('activity_id') },
  responses: buildResponses('The activity', activitySchema),
});

export const listOrganisations = createRoute({
  ...GET,
  operationId: 'listOrganisations',
  path: '/organisations',
  request: { query: organisationQuery },
  responses: buildResponses(
    'The head office and the organisations under it, or one of them',
    z.array(organisationSchema),
  ),
});

const OPERATIONS = [
  helloWorld,
  listTimesheets,
  listEmployeeTimesheets,
  listDepartmentTimesheets,
  getTimesheet,
  listEmployees,
  getEmployee,
  listDepartments,
  getDepartment,
  listPayPeriods,
  getPayPeriod,
  listActivities,
  getActivity,
  listOrganisations,
] as const;

export type OperationId = (typeof OPERATIONS)[number]['operationId'];
export const OPERATION_IDS: readonly OperationId[] = OPERATIONS.map(({ operationId }) => operationId);

const PATTERNS = OPERATIONS.map(({ operationId, path }) => ({
  operationId,
  pattern: new RegExp(`^/api/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The operation that a path belongs to, or `null`. */
export function findOperation(path: string): OperationId | null {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.operationId ?? null;
}
