import { beforeEach, describe, expect, it } from 'vitest';
import type { CompanyChange } from '#local/source/company/changes.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { MINUTE_MS, MORNING, makeSource, type SourceUnderTest } from './support.ts';

let source: SourceUnderTest;
beforeEach(() => {
  // Only manual changes happen.
  source = makeSource({ speed: 0 });
});

/** The state of a record, a change, and the expected result. */
type Step = readonly [
  { readonly change: CompanyChange['change']; readonly [member: string]: unknown },
  object,
];

const ON_A_TIMESHEET: Step[] = [
  [
    { change: 'clock-in', variance: 4, kiosk: true },
    { clockIn: { variance: 4, kiosk: true, beacon: false, overrideEmployee: null } },
  ],
  [{ change: 'correct-clock-in' }, { clockIn: { variance: 9 } }],
  [{ change: 'clock-out', variance: -2, timeless: true }, { clockOut: { variance: -2, localTime: null } }],
  [{ change: 'correct-clock-out', minutes: 2 }, { clockOut: { variance: 0, localTime: expect.any(String) } }],
  [{ change: 'approve' }, { approvedHours: new Date(MORNING).toISOString() }],
  [
    { change: 'change', hours: 6.25 },
    { hoursToPay: 6.25, approvedHours: expect.any(String) },
  ],
  [{ change: 'approve-payroll' }, { approvedPayroll: expect.stringContaining('PAYROLL-2026-03-05-') }],
  [{ change: 'process' }, { processed: new Date(MORNING).toISOString() }],
  [{ change: 'revert-processing' }, { processed: null }],
  [{ change: 'revoke-payroll-approval' }, { approvedPayroll: null }],
  [{ change: 'revoke-approval' }, { approvedHours: null }],
  [{ change: 'remove-clock-out' }, { clockOut: null }],
  [{ change: 'remove-clock-in' }, { clockIn: null }],
  [{ change: 'change', date: '2026-03-09' }, { date: '2026-03-09' }],
];

describe('changes by control', () => {
  it('make each of the 15 kinds on a timesheet, and serve the result', async () => {
    const created = await change({ change: 'create', date: '2026-03-06', start: 540, hours: 4 });
    expect(created.body).toMatchObject({ change: 'create', at: new Date(MORNING).toISOString() });
    const { id } = created.body.record;
    expect(await served(id)).toMatchObject({ date: '2026-03-06', hoursToPay: 4, casualJob: true });
    for (const [step, expected] of ON_A_TIMESHEET) {
      const { status, body } = await change({ ...step, id });
      expect({ step, status }).toEqual({ step, status: 200 });
      expect(body.record).toMatchObject(expected);
      expect(await served(id)).toEqual(body.record);
    }
    expect((await change({ change: 'remove', id })).body.record).toBeNull();
    expect((await source.get(`/timesheets/${id}`)).status).toBe(404);
  });

  it('make each of the 5 kinds on a pay period', async () => {
    const created: PayPeriod = (await change({ change: 'create-pay-period' })).body.record;
    expect(created).toMatchObject({ calendar: 'Weekly', closed: null, numberTimesheets: 0 });
    const { id } = created;
    const steps: Step[] = [
      [{ change: 'change-pay-period', calendar: 'Sample' }, { calendar: 'Sample' }],
      [{ change: 'close-pay-period' }, { closed: '2026-03-05' }],
      [{ change: 'reopen-pay-period' }, { closed: null }],
    ];
    for (const [step, expected] of steps) {
      expect((await change({ ...step, id })).body.record).toMatchObject(expected);
      expect((await source.get(`/payperiods/${id}`)).body).toMatchObject(expected);
    }
    expect((await change({ change: 'remove-pay-period', id })).body.record).toBeNull();
    expect((await source.get(`/payperiods/${id}`)).status).toBe(404);
  });

  it('move a timesheet with its times and details, and change hours with the finish', async () => {
    const before = await served(anyTimesheet());
    const moved: Timesheet = (await change({ change: 'change', id: before.id, date: '2026-03-20' })).body
      .record;
    expect(moved.startTime.slice(11)).toBe(before.startTime.slice(11));
    expect(moved.details.map(({ id }) => id)).toEqual(before.details.map(({ id }) => id));
    const longer: Timesheet = (await change({ change: 'change', id: before.id })).body.record;
    expect(longer.hoursToPay).toBe(before.hoursToPay + 0.5);
    expect(Date.parse(longer.finishTime) - Date.parse(moved.finishTime)).toBe(30 * MINUTE_MS);
    expect(longer.details.at(-1)?.finishTime).toBe(longer.finishTime);
  });

  it('are refused with 409 when nothing would change, and with 404 for unknown records', async () => {
    const id = anyTimesheet();
    const refused: [CompanyChange['change'], number][] = [
      ['revoke-approval', 409],
      ['approve', 200],
      ['approve', 409],
      ['correct-clock-in', 409],
      ['clock-in', 200],
      ['clock-in', 409],
    ];
    for (const [kind, status] of refused) expect((await change({ change: kind, id })).status).toBe(status);
    expect((await change({ change: 'approve', id: '1_1' })).status).toBe(404);
    expect((await change({ change: 'close-pay-period', id: '1_1' })).status).toBe(404);
    expect((await change({ change: 'create', employeeId: '1_1' })).status).toBe(404);
  });

  it('are refused with 400 when they are invalid', async () => {
    for (const body of [{}, { change: 'explode' }, { change: 'approve' }, { change: 'approve', id: 7 }]) {
      expect((await change(body)).status).toBe(400);
    }
    const headers = { authorization: `Bearer ${source.service.tokens.token}` };
    expect((await source.ask('/control/changes', { method: 'POST', headers, body: '{' })).status).toBe(400);
  });
});

it('nobody steers the company without the token of the start, or with one that was issued', async () => {
  const { access_token } = source.service.tokens.issue('sample-client', 'sample-secret') ?? {};
  for (const authorization of ['', 'Bearer x', `Bearer ${access_token}`]) {
    const { status, text } = await source.ask('/control/state', { headers: { authorization } });
    expect([status, text]).toEqual([401, expect.not.stringContaining('employees')]);
  }
});

describe('the clock', () => {
  it('stands still at speed 0 until it is moved, and the minutes are simulated', async () => {
    source.passReal(3_600_000);
    expect((await source.get('/control/clock')).body).toEqual({
      now: new Date(MORNING).toISOString(),
      speed: 0,
    });
    const { body } = await source.send('POST', '/control/clock', { advanceMinutes: 180 });
    expect(body.now).toBe(new Date(MORNING + 180 * MINUTE_MS).toISOString());
    expect((await source.get('/control/state')).body.changes['close-pay-period']).toBe(1);
  });

  it('runs at the given speed', async () => {
    const fast = makeSource({ speed: 60 });
    fast.passReal(MINUTE_MS);
    expect((await fast.get('/control/clock')).body.now).toBe(
      new Date(MORNING + 60 * MINUTE_MS).toISOString(),
    );
    const before = fast.service.company.history.length;
    fast.passReal(MINUTE_MS);
    await fast.get('/helloworld');
    expect(fast.service.company.history.length).toBeGreaterThan(before);
  });

  it('is the real one at speed 1', async () => {
    const real = makeSource({ speed: 1, startsAt: undefined });
    real.passReal(12_345);
    expect((await real.get('/control/clock')).body.now).toBe(new Date(MORNING + 12_345).toISOString());
  });

  it('does not go back', async () => {
    expect((await source.send('POST', '/control/clock', { advanceMinutes: -1 })).status).toBe(400);
  });
});

describe('reports of control', () => {
  it('list the requests with their status, without those of control', async () => {
    await source.get('/timesheets?page=0');
    await source.get('/payperiods');
    await source.ask('/api/v1/helloworld', {});
    const at = new Date(MORNING).toISOString();
    expect((await source.get('/control/requests')).body).toEqual([
      { at, method: 'GET', path: '/api/v1/timesheets?page=0', status: 400 },
      { at, method: 'GET', path: '/api/v1/payperiods', status: 200 },
      { at, method: 'GET', path: '/api/v1/helloworld', status: 401 },
    ]);
    await source.send('DELETE', '/control/requests');
    expect((await source.get('/control/requests')).body).toEqual([]);
  });

  it('count the records', async () => {
    const { body } = await source.get('/control/state');
    const { company } = source.service;
    expect(body).toMatchObject({
      now: new Date(MORNING).toISOString(),
      startsAt: new Date(MORNING).toISOString(),
      timeZone: 'Pacific/Auckland',
      seed: 1,
      counts: { employees: 30, departments: 4, organisations: 3, timesheets: company.timesheets().length },
      changes: {},
    });
    const { approved, payrollApproved, processed, timesheets } = body.counts;
    expect([
      timesheets > approved,
      approved > payrollApproved,
      payrollApproved > processed,
      processed > 0,
    ]).toEqual([true, true, true, true]);
  });
});

const change = (body: unknown) => source.send('POST', '/control/changes', body);

/** A rostered timesheet of a future date without any change. */
function anyTimesheet(): string {
  const [timesheet] = source.service.company
    .timesheets({ from: '2026-03-12' })
    .filter(({ casualJob, includesLeave }) => !casualJob && !includesLeave);
  return timesheet?.id ?? '';
}

async function served(id: string): Promise<Timesheet> {
  return (await source.get(`/timesheets/${id}`)).body.data[0];
}
