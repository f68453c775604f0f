import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeOutcome, CompanyChange } from '#local/source/company/changes.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { countChanges, MINUTE_MS, MORNING, openSource, type SourceUnderTest } from './support.ts';

let source: SourceUnderTest;
beforeEach(async () => {
  // Only manual changes happen.
  source = await openSource({ speed: 0 });
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
  [{ change: 'correct-clock-in', minutes: 5 }, { clockIn: { variance: 9 } }],
  [{ change: 'clock-out', variance: -2, localTime: null }, { clockOut: { variance: -2, localTime: null } }],
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

describe('changes by hand', () => {
  it('make each of the 15 kinds on a timesheet, and serve the result', async () => {
    const { id } = recordAfter({ change: 'create', date: '2026-03-06', start: 540, hours: 4 }) as Timesheet;
    expect(await served(id)).toMatchObject({ date: '2026-03-06', hoursToPay: 4, casualJob: true });
    for (const [step, expected] of ON_A_TIMESHEET) {
      const record = recordAfter({ ...step, id });
      expect(record).toMatchObject(expected);
      expect(await served(id)).toEqual(record);
    }
    expect(recordAfter({ change: 'remove', id })).toBeNull();
    expect((await source.ask(`/timesheets/${id}`)).status).toBe(404);
  });

  it('make each of the 5 kinds on a pay period', async () => {
    const created = recordAfter({ change: 'create-pay-period', startDate: '2026-04-06' }) as PayPeriod;
    expect(created).toMatchObject({ calendar: 'Weekly', closed: null, numberTimesheets: 0 });
    const { id } = created;
    const steps: Step[] = [
      [{ change: 'change-pay-period', calendar: 'Sample' }, { calendar: 'Sample' }],
      [{ change: 'close-pay-period' }, { closed: '2026-03-05' }],
      [{ change: 'reopen-pay-period' }, { closed: null }],
    ];
    for (const [step, expected] of steps) {
      expect(recordAfter({ ...step, id })).toMatchObject(expected);
      expect((await source.ask(`/payperiods/${id}`)).body).toMatchObject(expected);
    }
    expect(recordAfter({ change: 'remove-pay-period', id })).toBeNull();
    expect((await source.ask(`/payperiods/${id}`)).status).toBe(404);
  });

  it('move a timesheet with its times and details, and change hours with the finish', async () => {
    const before = await served(anyTimesheet());
    const moved = recordAfter({ change: 'change', id: before.id, date: '2026-03-20' }) as Timesheet;
    expect(moved.startTime.slice(11)).toBe(before.startTime.slice(11));
    expect(moved.details.map(({ id }) => id)).toEqual(before.details.map(({ id }) => id));
    const longer = recordAfter({ change: 'change', id: before.id }) as Timesheet;
    expect(longer.hoursToPay).toBe(before.hoursToPay + 0.5);
    expect(Date.parse(longer.finishTime) - Date.parse(moved.finishTime)).toBe(30 * MINUTE_MS);
    expect(longer.details.at(-1)?.finishTime).toBe(longer.finishTime);
  });

  it('are refused when nothing would change, or a record is not there', () => {
    const id = anyTimesheet();
    const steps: [CompanyChange['change'], ChangeOutcome['outcome']][] = [
      ['revoke-approval', 'refused'],
      ['approve', 'done'],
      ['approve', 'refused'],
      ['correct-clock-in', 'refused'],
      ['clock-in', 'done'],
      ['clock-in', 'refused'],
    ];
    for (const [kind, outcome] of steps) expect(change({ change: kind, id }).outcome).toBe(outcome);
    for (const unknown of ['approve', 'close-pay-period'])
      expect(change({ change: unknown, id: '1_1' }).outcome).toBe('refused');
    expect(change({ change: 'create', employeeId: '1_1' }).outcome).toBe('refused');
  });
});

describe('the clock', () => {
  it('stands still at speed 0 until it is moved, and the minutes are simulated', () => {
    source.passReal(3_600_000);
    expect(source.now()).toBe(MORNING);
    source.advance(180 * MINUTE_MS);
    expect(source.now()).toBe(MORNING + 180 * MINUTE_MS);
    expect(countChanges(source.company)['close-pay-period']).toBe(1);
  });

  it('runs at the given speed, and at speed 1 it is the real one', async () => {
    for (const speed of [1, 60]) {
      const running = await openSource({ speed, ...(speed === 1 ? { startsAt: undefined } : {}) });
      running.passReal(12_345);
      await running.ask('/helloworld');
      expect(running.company.now()).toBe(MORNING + 12_345 * speed);
    }
  });
});

/** Applies a change, and returns what became of it. */
function change(body: unknown): ChangeOutcome {
  return source.company.apply(body as CompanyChange);
}

function recordAfter(body: unknown) {
  const outcome = change(body);
  if (outcome.outcome !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.record;
}

/** A rostered timesheet of a future date without any change. */
function anyTimesheet(): string {
  const [timesheet] = source.company
    .timesheets({ from: '2026-03-12' })
    .filter(({ casualJob, includesLeave }) => !casualJob && !includesLeave);
  return timesheet?.id ?? '';
}

async function served(id: string): Promise<Timesheet> {
  return (await source.ask(`/timesheets/${id}`)).body.data[0];
}
