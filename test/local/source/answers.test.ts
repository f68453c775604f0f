import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import {
  activitySchema,
  departmentSchema,
  employeeSchema,
  organisationSchema,
  payPeriodSchema,
  timesheetPageSchema,
} from '#local/source/schemas.ts';
import { openSource } from './support.ts';

const source = await openSource();
const { company } = source;
const ids = {
  employee: company.employees()[1]?.id,
  department: company.departments()[0]?.id,
  timesheet: company.timesheets()[40]?.id,
  payPeriod: company.payPeriods()[8]?.id,
};

describe('every operation answers in its shape', () => {
  it.each<[string, z.ZodType]>([
    ['/employees', employeeSchema],
    ['/departments', departmentSchema],
    ['/payperiods', payPeriodSchema],
    ['/activities', activitySchema],
    ['/organisations', organisationSchema],
  ])('%s is a bare array', async (path, schema) => {
    const { status, body } = await source.ask(path);
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThan(2);
    expect(schema.array().safeParse(body).error).toBeUndefined();
  });

  it.each<[string, z.ZodType]>([
    [`/employees/${ids.employee}`, employeeSchema],
    [`/departments/${ids.department}`, departmentSchema],
    [`/payperiods/${ids.payPeriod}`, payPeriodSchema],
    ['/activities/501_1', activitySchema],
  ])('%s is one object', async (path, schema) => {
    const { status, body } = await source.ask(path);
    expect(status).toBe(200);
    expect(schema.parse(body)).toMatchObject({ id: path.split('/')[2] });
  });

  it.each([
    '/timesheets?dateFrom=2026-01-01',
    `/timesheets/${ids.timesheet}`,
    `/employees/${ids.employee}/timesheets?payPeriodId=${ids.payPeriod}`,
    `/employees/${ids.employee}/timesheets?dateFrom=2026-01-01`,
    `/departments/${ids.department}/timesheets?dateFrom=2026-01-01`,
  ])('%s is a page in an envelope', async (path) => {
    const { status, body } = await source.ask(path);
    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(0);
    expect(timesheetPageSchema.safeParse(body).error).toBeUndefined();
  });

  it('gives the daily status in place of an employee, and one organisation where it is asked for', async () => {
    const worked = company.timesheets().find(({ includesLeave }) => !includesLeave);
    const day = worked?.date.split('-').reverse().join('/');
    const status = await source.ask(`/employees/${worked?.employeeId}?dailyStatus=${day}`);
    expect(status.body).toEqual({ status: 'Working' });
    const { body } = await source.ask('/organisations?organisation_id=12_1');
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['12_1']);
  });

  it.each([
    '/timesheets?page=0',
    '/timesheets?pageSize=x',
    '/timesheets?dateFrom=31/01/2026',
    '/timesheets?dateTo=2026-13-45',
    `/employees/${ids.employee}?dailyStatus=2026-01-31`,
  ])('%s is 400, and says what is wrong', async (path) => {
    const { status, body } = await source.ask(path);
    expect([status, body.message]).toEqual([400, expect.stringContaining('must be')]);
  });

  it('greets with the name of the organisation', async () => {
    expect((await source.ask('/helloworld')).body).toBe('Hello, Sample Company Head Office');
  });

  it.each([
    '/timesheets/999999999_1',
    '/employees/999999999_1',
    `/employees/${ids.employee}/timesheets?payPeriodId=999999999_1`,
    '/departments/999999999_1',
    '/payperiods/999999999_1',
    '/activities/999999999_1',
    '/organisations?organisation_id=999999999_1',
    '/nothing',
  ])('%s is 404 with a small JSON body', async (path) => {
    const { status, body } = await source.ask(path);
    expect([status, body]).toEqual([404, { status: 404, message: expect.any(String) }]);
  });

  it('writes unset texts as empty strings', () => {
    expect(company.departments()).toContainEqual(
      expect.objectContaining({ manager: '', workDayStartTime: '' }),
    );
    expect(company.employees()).toContainEqual(expect.objectContaining({ payRollCode: '' }));
    expect(company.employees()).toContainEqual(expect.objectContaining({ contractedHours: [] }));
  });
});

describe('the bearer token', () => {
  it.each([{}, 'Bearer nope', 'Basic eDp5'])('is needed: not %j', async (given) => {
    const init = { headers: typeof given === 'string' ? { authorization: given } : given };
    for (const path of ['/timesheets', '/employees', '/helloworld', '/nothing']) {
      const { status, headers, body } = await source.ask(path, init);
      expect([status, headers.get('www-authenticate'), body.status]).toEqual([401, 'Bearer', 401]);
    }
  });

  it('can be set', async () => {
    const headers = { authorization: 'Bearer sample-token' };
    const own = await openSource({ token: 'sample-token' });
    expect((await own.ask('/helloworld', { headers })).status).toBe(200);
  });
});
