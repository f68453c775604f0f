import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { findOperation, OPERATION_IDS } from '#local/source/http/operations.ts';
import {
  activitySchema,
  departmentSchema,
  employeeDailyStatusSchema,
  employeeSchema,
  errorSchema,
  organisationSchema,
  payPeriodSchema,
  timesheetPageSchema,
} from '#local/source/schemas.ts';
import { makeSource } from './support.ts';

const source = makeSource();
const { company } = source.service;
const ids = {
  employee: company.staff[1]?.employee.id ?? '',
  department: company.premises.workplaces[0]?.department.id ?? '',
  timesheet: company.timesheets()[40]?.id ?? '',
  payPeriod: company.payPeriods()[8]?.id ?? '',
  activity: company.premises.activities[0]?.id ?? '',
  organisation: company.premises.organisations[1]?.id ?? '',
};

describe('the served OpenAPI document', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape is inspected.
  let served: any;
  beforeAll(async () => {
    served = (await source.ask('/openapi.json', {})).body;
  });

  it('lists the 14 operations, all of them reads that need the bearer token', () => {
    const paths: [string, Record<string, { operationId: string; security: unknown }>][] = Object.entries(
      served.paths,
    );
    expect(paths.map(([path]) => path).toSorted()).toEqual([
      '/api/v1/activities',
      '/api/v1/activities/{activity_id}',
      '/api/v1/departments',
      '/api/v1/departments/{department_id}',
      '/api/v1/departments/{department_id}/timesheets',
      '/api/v1/employees',
      '/api/v1/employees/{employee_id}',
      '/api/v1/employees/{employee_id}/timesheets',
      '/api/v1/helloworld',
      '/api/v1/organisations',
      '/api/v1/payperiods',
      '/api/v1/payperiods/{payperiod_id}',
      '/api/v1/timesheets',
      '/api/v1/timesheets/{timesheet_id}',
    ]);
    const operations = paths.flatMap(([, methods]) => Object.entries(methods));
    expect(operations.every(([method]) => method === 'get')).toBe(true);
    expect(operations.map(([, { operationId }]) => operationId).toSorted()).toEqual(OPERATION_IDS.toSorted());
    expect(operations.every(([, { security }]) => JSON.stringify(security) === '[{"bearer":[]}]')).toBe(true);
    expect(served.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
  });

  it('describes parameters, nullable members and the version', () => {
    expect(served.info.version).toBe('1.0.0');
    const list = served.paths['/api/v1/timesheets'].get;
    expect(list.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'dateFrom',
      'dateTo',
      'page',
      'pageSize',
    ]);
    expect(list.parameters[2].schema).toMatchObject({ type: 'integer', minimum: 1 });
    expect(Object.keys(list.responses)).toEqual(['200', '400', '401', '403', '404', '429']);
    const { Timesheet } = served.components.schemas;
    expect(Timesheet.required).not.toContain('hourlyRate');
    expect(JSON.stringify(Timesheet.properties.clockIn)).toBe(
      '{"anyOf":[{"$ref":"#/components/schemas/ClockRecord"},{"type":"null"}]}',
    );
  });
});

const arrays: [string, z.ZodType][] = [
  ['/employees', employeeSchema],
  ['/departments', departmentSchema],
  ['/payperiods', payPeriodSchema],
  ['/activities', activitySchema],
  ['/organisations', organisationSchema],
];
const singles: [string, z.ZodType][] = [
  [`/employees/${ids.employee}`, employeeSchema],
  [`/departments/${ids.department}`, departmentSchema],
  [`/payperiods/${ids.payPeriod}`, payPeriodSchema],
  [`/activities/${ids.activity}`, activitySchema],
  [`/employees/${ids.employee}?dailyStatus=05/03/2026`, employeeDailyStatusSchema],
];
const pages = [
  '/timesheets?dateFrom=2026-01-01',
  `/timesheets/${ids.timesheet}`,
  `/employees/${ids.employee}/timesheets?dateFrom=2026-01-01`,
  `/departments/${ids.department}/timesheets?dateFrom=2026-01-01`,
];

describe('every operation answers in its shape', () => {
  it('is asked for in full below', () => {
    const asked = [...arrays, ...singles, ...pages.map((path) => [path]), ['/helloworld']].map(([path]) =>
      findOperation(`/api/v1${String(path).split('?')[0]}`),
    );
    expect([...new Set(asked)].toSorted()).toEqual(OPERATION_IDS.toSorted());
  });

  it('greets with the name of the organisation', async () => {
    expect((await source.get('/helloworld')).body).toBe('Hello, Sample Company Head Office');
  });

  it.each(arrays)('%s is a bare array', async (path, schema) => {
    const { status, body } = await source.get(path);
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThan(2);
    expect(schema.array().safeParse(body).error).toBeUndefined();
  });

  it.each(singles)('%s is one object', async (path, schema) => {
    const { status, body } = await source.get(path);
    expect(status).toBe(200);
    expect(schema.safeParse(body).error).toBeUndefined();
  });

  it.each(pages)('%s is a page in an envelope', async (path) => {
    const { status, body } = await source.get(path);
    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(0);
    expect(timesheetPageSchema.safeParse(body).error).toBeUndefined();
  });

  it.each([
    '/timesheets/999999999_1',
    '/employees/999999999_1',
    '/employees/999999999_1/timesheets',
    `/employees/${ids.employee}/timesheets?payPeriodId=999999999_1`,
    '/departments/999999999_1',
    '/departments/999999999_1/timesheets',
    '/payperiods/999999999_1',
    '/activities/999999999_1',
    '/organisations?organisation_id=999999999_1',
    '/nothing',
  ])('%s is 404 with a small JSON body', async (path) => {
    const { status, body } = await source.get(path);
    expect(status).toBe(404);
    expect(errorSchema.parse(body).status).toBe(404);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is 405: all operations are reads', async (method) => {
    const { status, headers } = await source.send(method, '/api/v1/timesheets');
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('the other lists', () => {
  it('resolves the daily status: leave before work before unavailable before available', async () => {
    const statuses = new Set<string>();
    for (const { employee } of company.staff) {
      const { body } = await source.get(`/employees/${employee.id}?dailyStatus=05/03/2026`);
      const timesheets = company
        .timesheets({ from: '2026-03-05', to: '2026-03-05' })
        .filter(({ employeeId }) => employeeId === employee.id);
      if (timesheets.some(({ includesLeave }) => includesLeave)) expect(body.status).toBe('OnLeave');
      else if (timesheets.length > 0) expect(body.status).toBe('Working');
      else expect(['Unavailable', 'Available']).toContain(body.status);
      statuses.add(body.status);
    }
    expect(statuses.size).toBeGreaterThan(1);
  });

  it.each(['2026-03-05', '5/3/2026', '31/02/2026', '', 'today'])(
    'refuses the daily status of %j with 400',
    async (date) => {
      const { status, body } = await source.get(`/employees/${ids.employee}?dailyStatus=${date}`);
      expect(status).toBe(400);
      expect(body.message).toContain('dailyStatus: must be a date DD/MM/YYYY');
    },
  );

  it('selects one organisation under the head office', async () => {
    const { body } = await source.get(`/organisations?organisation_id=${ids.organisation}`);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([ids.organisation]);
  });

  it('write unset texts as empty strings', async () => {
    const departments = (await source.get('/departments')).body;
    expect(
      departments.some(
        ({ manager, workDayStartTime }: Record<string, string>) => manager === '' && workDayStartTime === '',
      ),
    ).toBe(true);
    const employees = (await source.get('/employees')).body;
    expect(employees.some(({ payRollCode }: Record<string, string>) => payRollCode === '')).toBe(true);
    expect(employees.some(({ address }: { address: Record<string, string> }) => address.id === '')).toBe(
      true,
    );
    expect(
      employees.some(({ contractedHours }: { contractedHours: unknown[] }) => contractedHours.length === 0),
    ).toBe(true);
  });
});
