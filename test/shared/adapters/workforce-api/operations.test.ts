import { describe, expect, test } from 'vitest';
import type { WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { SourceError } from '#shared/core/errors.ts';
import { catchError, createFakeSource, json, TOKEN } from './fake-source.ts';
import {
  activity,
  department,
  employee,
  organisation,
  payPeriod,
  timesheet,
  timesheetPage,
} from './records.ts';

interface Operation {
  readonly name: string;
  readonly call: (api: WorkforceApi) => Promise<unknown>;
  readonly asks: string;
  readonly answer: unknown;
}

const OPERATIONS: Operation[] = [
  {
    name: 'lists timesheets of dates',
    call: (api) =>
      api.listTimesheets({ dateFrom: '2026-03-01', dateTo: '2026-03-02', page: 2, pageSize: 50 }),
    asks: '/timesheets?dateFrom=2026-03-01&dateTo=2026-03-02&page=2&pageSize=50',
    answer: timesheetPage,
  },
  {
    name: 'lists timesheets from today on when nothing is given',
    call: (api) => api.listTimesheets(),
    asks: '/timesheets',
    answer: timesheetPage,
  },
  {
    name: 'lists employees',
    call: (api) => api.listEmployees(),
    asks: '/employees',
    answer: [employee],
  },
  {
    name: 'lists departments',
    call: (api) => api.listDepartments(),
    asks: '/departments',
    answer: [department],
  },
  {
    name: 'lists pay periods',
    call: (api) => api.listPayPeriods(),
    asks: '/payperiods',
    answer: [payPeriod, { ...payPeriod, id: '11_2', closed: '2026-03-09' }],
  },
  {
    name: 'lists activities',
    call: (api) => api.listActivities(),
    asks: '/activities',
    answer: [activity],
  },
  {
    name: 'lists organisations',
    call: (api) => api.listOrganisations(),
    asks: '/organisations',
    answer: [organisation],
  },
  {
    name: 'says hello',
    call: (api) => api.helloWorld(),
    asks: '/helloworld',
    answer: 'Hello Harbour',
  },
];

describe('every operation', () => {
  test.each(OPERATIONS)('$name', async ({ call, asks, answer }) => {
    const { api, time, requests } = createFakeSource(() => json(answer));

    expect(await time.run(call(api))).toEqual(answer);
    expect(requests.map(({ url }) => url)).toEqual([`https://acme.example/api/v1${asks}`]);
    expect(requests[0]?.method).toBe('GET');
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
    expect(requests[0]?.headers.get('accept')).toBe('application/json');
  });

  test.each(OPERATIONS)('$name: says which field is wrong, never what was in it', async ({ call }) => {
    const wrong = { data: [{ ...timesheet, hoursToPay: 'canary-pay' }], status: 'canary-status' };
    const { api, time } = createFakeSource(() => json(wrong));

    const error = await time.run(catchError(call(api)));

    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ code: 'source_bad_response', status: 200 });
    expect(String(error)).toContain('at https://acme.example/api/v1/');
    expect(String(error)).not.toContain('canary');
  });
});

describe('lists that come whole', () => {
  test('are requested by ETag if one is kept, and 304 means the same list', async () => {
    const { api, time, requests } = createFakeSource((_request, nth) =>
      nth === 1
        ? json([payPeriod], { headers: { etag: '"v1"' } })
        : nth === 2
          ? new Response(null, { status: 304 })
          : json([], { headers: { etag: '"v2"' } }),
    );
    const list = () => time.run(api.listPayPeriods());

    expect([await list(), await list(), await list()]).toEqual([[payPeriod], [payPeriod], []]);
    expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, '"v1"', '"v1"']);
  });

  test('304 means the list whose ETag was sent, also when another has come meanwhile', async () => {
    const { api, time } = createFakeSource(async (_request, nth) => {
      if (nth === 1) return json([payPeriod], { headers: { etag: '"v1"' } });
      if (nth === 2) return json([], { headers: { etag: '"v2"' } });
      await time.sleep(1_000);
      return new Response(null, { status: 304 });
    });
    await time.run(api.listPayPeriods());

    const both = await time.run(Promise.all([api.listPayPeriods(), api.listPayPeriods()]));

    expect(both.map((list) => list.length)).toEqual([0, 1]);
  });

  test('304 to a request without an ETag is no answer', async () => {
    const { api, time } = createFakeSource(() => new Response(null, { status: 304 }));

    expect(await time.run(catchError(api.listPayPeriods()))).toMatchObject({
      code: 'source_bad_response',
      status: 304,
    });
  });
});
