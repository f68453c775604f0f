import { expect, test } from 'vitest';
import { dataSchema } from '#shared/core/definitions/event-schemas.ts';
import { SourceError } from '#shared/core/errors.ts';
import { expectAccount } from '#test/support/account.ts';
import { clocking, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PublishedEvent } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';

/** The week of Monday 2 to Sunday 8 March closes on Tuesday 10 March at 10:00. */
const CALENDAR = { name: 'Weekly', closesAt: 'Tue 10:00', remindBefore: ['1d', '4h', '1h'] };
const STAMP = '2026-03-05T01:00:00.000Z';
const UNTOTALLED = { hours: null, numberEmployees: null, numberTimesheets: null };
const FAILED = new SourceError('source_failed', 'the source answered 500', { status: 500 });

/** A week with three timesheets, one of them approved. Its source gives no totals. */
class Week extends PollHarness {
  periods: readonly SampleRecord[] = [payPeriod(UNTOTALLED)];
  summaries: string[] = [];

  constructor() {
    const connection = { calendars: [CALENDAR], window: { backDays: 10, forwardDays: 3 } };
    super({ connection, startAt: '2026-03-05T01:00:00Z' });
    Object.defineProperty(this.lists, 'pay-periods', { get: () => this.periods });
    this.put(
      timesheet({ id: '1_7', employeeId: '2001_7' }),
      timesheet({ id: '2_7', employeeId: '2002_7', date: '2026-03-06', approvedHours: STAMP }),
      timesheet({
        ...{ id: '3_7', employeeId: '2003_7', date: '2026-03-06', clockIn: clocking() },
        department: { id: '502_7', name: 'Bar' },
      }),
    );
  }

  /** Polls at a time of March 2026, such as `10T06:00`, and gives the reminders and summaries that it told. */
  async remindAt(time: string): Promise<PublishedEvent[]> {
    this.now = Date.parse(`2026-03-${time}Z`);
    this.published.length = 0;
    await this.poll({ all: true, summaries: this.summaries });
    return this.published.filter(({ type }) => type === 'workforce.pay_period.due');
  }
}

const STEPS: Vocabulary<Week>['steps'] = {
  /** `at 10T06:00 4h`: a poll, and all that it reminds of: leads, or times of summaries. */
  at: async (week, rest) => {
    const [time = '', ...expected] = rest.split(' ');
    const told = await week.remindAt(time);
    const words = told.flatMap(({ data: { reminder, summaries } }) => [
      ...(reminder === null ? [] : [(reminder as { readonly before: string }).before]),
      ...(summaries as readonly string[]),
    ]);
    expect(words, rest).toEqual(expected);
  },
  summaries: (week, times) => {
    week.summaries = times.split(' ');
  },
  close: (week) => alter(week, { closed: '2026-03-10' }),
  reopen: (week) => alter(week, { closed: null }),
  garble: (week) => alter(week, { finishDate: 'Sunday' }),
  ungarble: (week) => alter(week, { finishDate: '2026-03-08' }),
  unlist: (week) => {
    week.periods = [];
    week.onLookUp = () => FAILED;
  },
  relist: (week) => {
    week.periods = [payPeriod()];
  },
  next: (week, dates) => {
    const [startDate = '', finishDate = ''] = dates.split(' ');
    week.periods = [...week.periods, payPeriod({ id: startDate, startDate, finishDate })];
  },
  silent: (week) => {
    week.onPage = () => FAILED;
  },
  sheets: (week, count) => {
    for (let number = 0; number < Number(count); number += 1)
      week.put(timesheet({ id: `s${number}`, date: '2026-03-06', approvedHours: STAMP }));
  },
  sheet: (week, employeeId) =>
    week.put(timesheet({ id: `of_${employeeId}`, employeeId, date: '2026-03-09' })),
  revokeAll: (week) => week.change({ approvedHours: null }),
  account: (week, rest) => expectAccount(week, rest),
  /** What is open of closed periods, by the last events: how many of these, timesheets and hours; `-` where it says nothing. */
  open: ({ published }, expected) => {
    const found = published.map(({ data }) => data.stillOpen as Readonly<Record<string, unknown>> | null);
    expect(
      found
        .map((each) => (each === null ? '-' : `${each.payPeriods} ${each.timesheets} ${each.hours}`))
        .join(', '),
    ).toBe(expected);
  },
  sequence: ({ published }, expected) => {
    expect(String(published.at(-1)?.sequence)).toBe(expected);
  },
};

function alter(week: Week, values: Partial<SampleRecord>): void {
  week.periods = week.periods.map((each, place) => (place === 0 ? { ...each, ...values } : each));
}

const WORDS: Vocabulary<Week> = {
  ids: ['1_7', '2_7', '3_7'],
  changes: {
    approve: () => ({ approvedHours: STAMP }),
    revoke: () => ({ approvedHours: null }),
    process: ({ now }) => ({ processed: new Date(now).toISOString() }),
    revert: () => ({ processed: null }),
    longer: () => ({ hoursToPay: 8 }),
    spoil: () => ({ hoursToPay: 'eight', approvedHours: STAMP }),
  },
  steps: STEPS,
};

async function begin(): Promise<Week> {
  const week = new Week();
  await week.poll();
  week.news();
  return week;
}

test.each([
  [
    'each moment is told once',
    'at 09T09:59; at 09T10:00 1d; at 09T10:01; at 10T06:00 4h; at 10T09:00 1h; at 10T09:01',
  ],
  ['after an outage the latest is told', 'at 10T09:40 1h'],
  ['none is told after the deadline', 'at 10T10:00'],
  [
    'timesheets that cannot be read count as last read, and are said to',
    'spoil 0-1; at 10T05:58 1d; at 10T06:00 4h; account notReady.timesheets 2, reserves.0.kind records_unreadable, reserves.0.timesheets 1',
  ],
  [
    'nothing is told when all is approved, neither then nor a minute later',
    'approve; at 10T05:50; at 10T06:00; revoke 0-1; at 10T06:01',
  ],
  [
    'a moment at which its list leaves it out is told of what is stored',
    'at 09T09:50; unlist; at 09T09:58; at 09T09:59; at 09T10:00 1d; at 09T10:01; relist; at 09T10:02; at 09T10:03',
  ],
  [
    'also one at which it is bad',
    'at 09T09:50; garble; at 09T09:58; at 09T09:59; at 09T10:00 1d; at 09T10:01; ungarble; at 09T10:02',
  ],
  [
    'and one at which the source is silent',
    'at 09T09:50; silent; at 09T09:58; at 09T09:59; at 09T10:00 1d; at 09T10:01; fails no more; at 09T10:02',
  ],
  [
    'a moment that falls into a doubt comes after it',
    'sheets 20; at 10T05:57 1d; revokeAll; at 10T06:00; at 10T06:01:10 4h; account reserves.length 0, notReady.timesheets 23',
  ],
  ['a period that closes is left alone', 'close; at 10T06:00'],
  [
    'also while its closing waits',
    'at 10T05:58 1d; fails 2026-03-06; close; at 10T06:00; at 10T06:01; at 10T06:07',
  ],
  [
    'a period that is reopened after a moment is told of at the next one',
    'close; at 10T06:00; reopen; at 10T06:05; at 10T09:00 1h',
  ],
  ['its later events go on with the sequence', 'at 10T06:00 4h; close; at 10T06:30; sequence 2'],
  [
    'a summary is told once a day while the period is open, of the days that are over',
    'summaries 08:00; at 05T07:59; at 05T08:00; at 05T08:01; at 06T08:00 08:00; account through 2026-03-05, notReady.timesheets 1; at 06T08:01; at 06T09:00',
  ],
  ['none is told without channels that want one', 'at 06T08:00'],
])('before the deadline of an open pay period, %s', async (_, script) => {
  await play(await begin(), script, WORDS);
});

/** The week closed, all of it processed, and the next period is open. */
const CLOSED =
  'approve; process; close; next 2026-03-09 2026-03-22; sheet 2001_7; at 09T03:00; at 09T03:05; at 09T03:10; at 09T03:35; summaries 08:00';

test.each([
  [
    'stands in the daily summary of its calendar until it is processed',
    'longer 0-1; revert 0-1; at 10T07:00; at 10T08:00 08:00; open 1 1 0.5; at 11T08:00 08:00; open 1 1 0.5; process 0-1; at 12T07:00; at 12T08:00 08:00; open -',
  ],
  [
    'is in no reminder, and not known any more when its dates are not read any more',
    'longer 0-1; at 09T12:00; at 18T08:00 08:00; open 1 1 0.5; at 19T08:00 08:00; open -; summaries ; at 23T10:00 1d; open -',
  ],
  [
    'is said once where two open periods of a calendar are summarized',
    'longer 0-1; sheet 2002_7; next 2026-03-08 2026-03-15; at 09T12:10; at 10T08:00 08:00 08:00; open 1 1 0.5, -',
  ],
])('what is open of a closed period %s', async (_, script) => {
  await play(await begin(), `${CLOSED}; ${script}`, WORDS);
});

test('a reminder says whose timesheets these are, by department', async () => {
  const [event] = await (await begin()).remindAt('10T06:00');
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
        byDepartment: [
          { departmentId: '501_7', timesheets: 2, notReady: { timesheets: 1, hours: 7.5 } },
          { departmentId: '502_7', timesheets: 1, notReady: { timesheets: 1, hours: 7.5 } },
        ],
        leftOver: [
          { timesheetId: '1_7', employeeId: '2001_7', hours: 7.5, missing: ['approval'] },
          { timesheetId: '3_7', date: '2026-03-06', missing: ['clock_out', 'approval'] },
        ],
      },
    },
  });
});

test('of many periods each is told of once, twenty in a poll', async () => {
  const week = await begin();
  week.periods = Array.from({ length: 45 }, (_, n) => payPeriod({ id: `${n + 1}_7` }));
  await week.remindAt('09T09:59');
  const told: number[] = [];
  for (const minute of ['00', '01', '02', '03']) told.push((await week.remindAt(`09T10:${minute}`)).length);
  expect(told).toEqual([20, 20, 5, 0]);
});

test('a reminder is told once where a poll is killed', async () => {
  const week = await begin();
  const { giveBack } = week.store;
  week.store.giveBack = () => Promise.reject(new Error('killed'));
  await expect(week.remindAt('10T06:00')).rejects.toThrow('killed');
  week.store.giveBack = giveBack;
  for (const time of ['10T06:02', '10T06:03']) await week.remindAt(time);
  const ids = week.texts
    .filter((text) => text.includes('pay_period.due'))
    .map((text) => (JSON.parse(text) as { id: string }).id);
  expect(new Set(ids).size).toBe(1);
});

test('between the moments nothing more is read than without a calendar', async () => {
  const week = await begin();
  await week.remindAt('10T06:05');
  const { readBuckets } = week.store;
  let reads = 0;
  week.store.readBuckets = async (connection, keys) => {
    reads += 1;
    return await readBuckets(connection, keys);
  };
  for (const time of ['10T06:06', '10T06:07', '10T06:08']) await week.remindAt(time);
  expect(reads).toBe(0);
});
