import { describe, expect, test } from 'vitest';
import { dataSchema } from '#shared/core/definitions/event-schemas.ts';
import { SourceError } from '#shared/core/errors.ts';
import { clocking, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PublishedEvent } from '#test/support/poll-harness.ts';

/** The week of Monday 2 to Sunday 8 March closes on Tuesday 10 March at 10:00. */
const CALENDAR = { name: 'Weekly', closesAt: 'Tue 10:00', remindBefore: ['1d', '4h', '1h'] };
const STAMP = '2026-03-09T02:00:00.000Z';
const APPROVED = { approvedHours: '2026-03-05T01:00:00.000Z' };
const SUMMARIES = { summaries: ['08:00'] };
const FAILED = new SourceError('source_failed', 'the source answered 500', { status: 500 });

/** Its source gives no totals. */
function periodOf(values: Partial<SampleRecord> = {}): SampleRecord {
  return payPeriod({ hours: null, numberEmployees: null, numberTimesheets: null, ...values });
}

/** A week with three timesheets, one of them approved. */
class Week extends PollHarness {
  periods: readonly SampleRecord[] = [periodOf()];

  constructor() {
    const connection = { calendars: [CALENDAR], window: { backDays: 10, forwardDays: 3 } };
    super({ connection, startAt: '2026-03-05T01:00:00Z' });
    Object.defineProperty(this.lists, 'pay-periods', { get: () => this.periods });
    this.put(
      timesheet({ id: '1_7', employeeId: '2001_7' }),
      timesheet({ id: '2_7', employeeId: '2002_7', date: '2026-03-06', ...APPROVED }),
      timesheet({
        ...{ id: '3_7', employeeId: '2003_7', date: '2026-03-06', clockIn: clocking() },
        department: { id: '502_7', name: 'Bar' },
      }),
    );
  }

  static async begin(): Promise<Week> {
    const week = new Week();
    await week.poll();
    week.news();
    return week;
  }

  /** Polls at these times of March 2026, such as `10T06:00`, and says which reminders it told since the last call. */
  async remind(times: string, values: { readonly summaries?: string[] } = {}): Promise<unknown[]> {
    for (const time of times.split(' ')) {
      this.now = Date.parse(`2026-03-${time}:00Z`);
      await this.poll({ all: true, ...values });
    }
    const told = this.reminders();
    this.published.length = 0;
    return told.map(
      ({ data }) => (data.reminder as { readonly before: string } | null)?.before ?? data.summaries,
    );
  }

  reminders(): PublishedEvent[] {
    return this.published.filter(({ type }) => type === 'workforce.pay_period.due');
  }
}

describe('before the deadline of an open pay period', () => {
  test.each<[string, string, unknown[]]>([
    ['each moment is told once', '09T09:59 09T10:00 09T10:01 10T06:00 10T09:00 10T09:01', ['1d', '4h', '1h']],
    ['after an outage the latest is told', '10T09:40', ['1h']],
    ['none is told after the deadline', '10T10:00', []],
  ])('%s', async (_, times, expected) => {
    expect(await (await Week.begin()).remind(times)).toEqual(expected);
  });

  test('its event says whose timesheets these are, by department', async () => {
    const week = await Week.begin();
    week.now = Date.parse('2026-03-10T06:00:00Z');
    await week.poll({ all: true });
    const [event] = week.reminders();
    dataSchema('pay_period.due').parse(event?.data);
    expect(event).toMatchObject({
      ...{ subject: '3_7', sequence: 1 },
      data: {
        ...{ payPeriodId: '3_7', current: { calendar: 'Weekly', closed: null }, changed: [], summaries: [] },
        observed: { after: '2026-03-10T06:00:00.000Z' },
        stillOpen: null,
        reminder: { before: '4h', at: '2026-03-10T06:00:00.000Z' },
        account: {
          ...{ state: 'open', since: null, verdict: 'not_yet', closesAt: '2026-03-10T10:00:00.000Z' },
          ...{ through: '2026-03-08', people: 3, timesheets: 3, hours: 22.5, reserves: [], changes: null },
          ready: { people: 1, timesheets: 1, hours: 7.5 },
          notReady: { people: 2, timesheets: 2, hours: 15 },
          departments: 2,
          byDepartment: [
            { departmentId: '501_7', timesheets: 2, notReady: { timesheets: 1, hours: 7.5 } },
            { departmentId: '502_7', timesheets: 1, notReady: { timesheets: 1, hours: 7.5 } },
          ],
          leftOver: [
            {
              timesheetId: '1_7',
              employeeId: '2001_7',
              date: '2026-03-05',
              hours: 7.5,
              missing: ['approval'],
            },
            { timesheetId: '3_7', date: '2026-03-06', missing: ['clock_out', 'approval'] },
          ],
        },
      },
    });
  });

  test('it says of timesheets that cannot be read that they count as last read', async () => {
    const week = await Week.begin();
    week.change({ approvedHours: '2026-03-10T05:00:00Z', hoursToPay: 'eight' }, ['1_7']);
    await week.remind('10T05:58');
    week.now = Date.parse('2026-03-10T06:00:00Z');
    await week.poll({ all: true });
    expect(week.reminders()[0]?.data.account).toMatchObject({
      notReady: { timesheets: 2 },
      reserves: [{ kind: 'records_unreadable', dates: null, timesheets: 1 }],
    });
  });

  test('nothing is told when all is approved, neither then nor a minute later', async () => {
    const week = await Week.begin();
    week.change(APPROVED);
    await week.remind('10T05:50');
    expect(await week.remind('10T06:00')).toEqual([]);
    week.change({ approvedHours: null }, ['1_7']);
    expect(await week.remind('10T06:01')).toEqual([]);
  });

  test.each<[string, (week: Week) => void]>([
    [
      'its list leaves it out',
      (week) => {
        week.periods = [];
        week.onLookUp = () => FAILED;
      },
    ],
    [
      'it is bad',
      (week) => {
        week.periods = [payPeriod({ finishDate: 'Sunday' })];
      },
    ],
    [
      'the source is silent',
      (week) => {
        week.onPage = () => FAILED;
      },
    ],
  ])('a moment at which %s is told of what is stored', async (_, spoil) => {
    const week = await Week.begin();
    await week.remind('09T09:50');
    spoil(week);
    expect(await week.remind('09T09:58 09T09:59 09T10:00 09T10:01')).toEqual(['1d']);
    week.periods = [payPeriod()];
    week.onPage = () => null;
    expect(await week.remind('09T10:02 09T10:03')).toEqual([]);
  });

  test('a moment that falls into a doubt comes after it', async () => {
    const week = await Week.begin();
    for (let number = 10; number < 30; number += 1)
      week.put(timesheet({ id: `${number}_7`, date: '2026-03-06', ...APPROVED }));
    await week.remind('10T05:57');
    week.change({ approvedHours: null });
    expect(await week.remind('10T06:00')).toEqual([]);
    week.now = Date.parse('2026-03-10T06:01:10Z');
    await week.poll({ all: true });
    expect(week.reminders()[0]?.data.account).toMatchObject({
      reserves: [],
      notReady: { timesheets: 23 },
    });
  });

  test('of many periods each is told of once, twenty in a poll', async () => {
    const week = await Week.begin();
    week.periods = Array.from({ length: 45 }, (_, n) => payPeriod({ id: `${n + 1}_7` }));
    await week.remind('09T09:59');
    const told: number[] = [];
    for (const minute of ['00', '01', '02', '03']) told.push((await week.remind(`09T10:${minute}`)).length);
    expect(told).toEqual([20, 20, 5, 0]);
  });

  test('a period that closes is left alone, also while its closing waits', async () => {
    const week = await Week.begin();
    week.periods = [payPeriod({ closed: '2026-03-10' })];
    expect(await week.remind('10T06:00')).toEqual([]);
    const other = await Week.begin();
    await other.remind('10T05:58');
    other.onPage = ({ range }) => (range === null ? null : FAILED);
    other.periods = [payPeriod({ closed: '2026-03-10' })];
    expect(await other.remind('10T06:00 10T06:01 10T06:07')).toEqual([]);
  });

  test('a period that is reopened after a moment is told of at the next one', async () => {
    const week = await Week.begin();
    week.periods = [payPeriod({ closed: '2026-03-09' })];
    await week.remind('10T06:00');
    week.periods = [payPeriod()];
    expect(await week.remind('10T06:05 10T09:00')).toEqual(['1h']);
  });

  test('its later events go on with the sequence', async () => {
    const week = await Week.begin();
    await week.remind('10T06:00');
    week.periods = [payPeriod({ closed: '2026-03-10' })];
    week.now = Date.parse('2026-03-10T06:30:00Z');
    await week.poll();
    expect(week.published.map(({ sequence }) => sequence)).toEqual([2]);
  });

  test('it is told once where a poll is killed', async () => {
    const week = await Week.begin();
    const { giveBack } = week.store;
    week.store.giveBack = () => Promise.reject(new Error('killed'));
    await expect(week.remind('10T06:00')).rejects.toThrow('killed');
    week.store.giveBack = giveBack;
    await week.remind('10T06:02 10T06:03');
    const ids = week.texts
      .filter((text) => text.includes('pay_period.due'))
      .map((text) => (JSON.parse(text) as { id: string }).id);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('a daily summary', () => {
  test('is told once a day while the period is open, of the days that are over', async () => {
    const week = await Week.begin();
    // On the fifth no day with a timesheet is over yet.
    expect(await week.remind('05T07:59 05T08:00 05T08:01', SUMMARIES)).toEqual([]);
    week.now = Date.parse('2026-03-06T08:00:00Z');
    await week.poll({ all: true, ...SUMMARIES });
    expect(week.reminders()[0]?.data.account).toMatchObject({
      through: '2026-03-05',
      notReady: { timesheets: 1 },
    });
    expect(await week.remind('06T08:01 06T09:00', SUMMARIES)).toEqual([['08:00']]);
  });

  test('is not told without channels that want one', async () => {
    expect(await (await Week.begin()).remind('06T08:00')).toEqual([]);
  });
});

describe('what is open of a closed period', () => {
  test('stands in the daily summary of its calendar until it is processed', async () => {
    const week = await closedWeek();
    week.change({ hoursToPay: 8, processed: null }, ['1_7']);
    const open = { payPeriods: 1, timesheets: 1, hours: 0.5, complete: true };
    expect(await stillOpen(week, '10T07:00 10T08:00 11T08:00')).toEqual([open, open]);
    week.change({ processed: '2026-03-11T09:00:00.000Z' }, ['1_7']);
    expect(await stillOpen(week, '12T07:00 12T08:00')).toEqual([null]);
  });

  test('is in no reminder, and not known any more when its dates are not read any more', async () => {
    const week = await closedWeek();
    week.change({ hoursToPay: 8 }, ['1_7']);
    expect(await stillOpen(week, '09T12:00 18T08:00 19T08:00')).toEqual([
      { payPeriods: 1, timesheets: 1, hours: 0.5, complete: true },
      null,
    ]);
    expect(await stillOpen(week, '23T10:00', {})).toEqual([null]);
  });

  test('is said once where two open periods of a calendar are summarized', async () => {
    const week = await closedWeek();
    week.change({ hoursToPay: 8 }, ['1_7']);
    week.put(timesheet({ id: '5_7', employeeId: '2002_7', date: '2026-03-09' }));
    week.periods = [
      ...week.periods,
      payPeriod({ id: '5_7', startDate: '2026-03-09', finishDate: '2026-03-15' }),
    ];
    expect(await stillOpen(week, '09T12:10 10T08:00')).toEqual([
      expect.objectContaining({ timesheets: 1 }),
      null,
    ]);
  });
});

test('between the moments nothing more is read than without a calendar', async () => {
  const week = await Week.begin();
  await week.remind('10T06:05');
  const { readBuckets } = week.store;
  let reads = 0;
  week.store.readBuckets = async (connection, keys) => {
    reads += 1;
    return await readBuckets(connection, keys);
  };
  await week.remind('10T06:06 10T06:07 10T06:08');
  expect(reads).toBe(0);
});

/** A week that closed, all of it processed, and the next one. */
async function closedWeek(): Promise<Week> {
  const week = await Week.begin();
  week.change({ ...APPROVED, processed: STAMP });
  const next = payPeriod({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-22' });
  week.periods = [periodOf({ closed: '2026-03-09' }), next];
  week.put(timesheet({ id: '4_7', employeeId: '2001_7', date: '2026-03-09' }));
  await week.remind('09T03:00 09T03:05 09T03:10 09T03:35');
  return week;
}

async function stillOpen(
  week: Week,
  times: string,
  values: { summaries?: string[] } = SUMMARIES,
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const time of times.split(' ')) {
    week.now = Date.parse(`2026-03-${time}:00Z`);
    await week.poll({ all: true, ...values });
    found.push(...week.reminders().map(({ data }) => data.stillOpen));
    week.published.length = 0;
  }
  return found;
}
