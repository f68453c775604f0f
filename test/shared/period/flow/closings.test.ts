import { describe, expect, test } from 'vitest';
import type { Account } from '#shared/core/periods/account-data.ts';
import { expectAccount, findTold } from '#test/support/account.ts';
import { MINUTE_MS, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';

const WEEK = { startDate: '2026-03-02', finishDate: '2026-03-05' };
const UNTOTALLED = { hours: null, numberEmployees: null, numberTimesheets: null };
const STAMP = '2026-03-05T01:00:30.000Z';
const SHEETS = 20;

/** One timesheet of each of twenty employees on the last date of a period. */
class Company extends PollHarness {
  values: Partial<SampleRecord> = { ...WEEK, ...UNTOTALLED };
  next: Partial<SampleRecord> | null = null;

  constructor(options: PollHarnessOptions = {}) {
    const connection = { window: { backDays: 4, forwardDays: 2 }, ...options.connection };
    super({ ...options, connection });
    Object.defineProperty(this.lists, 'pay-periods', {
      get: () => [payPeriod(this.values), ...(this.next === null ? [] : [payPeriod(this.next)])],
    });
    for (const [place, id] of WORDS.ids.entries())
      this.put(timesheet({ id, employeeId: `${500 + place}_7` }));
  }
}

const WORDS: Vocabulary<Company> = {
  ids: Array.from({ length: SHEETS }, (_, place) => `${place + 1}_7`),
  changes: {
    approve: () => ({ approvedHours: STAMP }),
    revoke: () => ({ approvedHours: null }),
    process: () => ({ processed: STAMP }),
    revert: () => ({ processed: null }),
    hours: (_, place) => ({ hoursToPay: 8 + place }),
    toNextDay: (harness) => ({ date: harness.day(1) }),
  },
  steps: {
    close: (harness, rest) => show(harness, { closed: rest === '' ? '2026-03-05' : rest }),
    reopen: (harness) => show(harness, { closed: null }),
    spoil: (harness) => show(harness, { startDate: 'Monday' }),
    mend: (harness) => show(harness, WEEK),
    endless: (harness) => show(harness, { startDate: '9999-12-30', finishDate: '9999-12-31' }),
    rename: (harness) => show(harness, { payRollProvider: 'OtherPay' }),
    say: (harness, hours) =>
      show(harness, { hours: Number(hours), numberEmployees: SHEETS, numberTimesheets: SHEETS }),
    next: (harness, calendar) => {
      const dates = { startDate: '2026-03-09', finishDate: '2026-03-15', closed: '2026-03-05' };
      harness.next = { ...dates, id: '4_7', calendar };
    },
    hide: (harness) => {
      harness.listed = (records) => records.filter(({ id }) => id !== '3_7');
    },
    unhide: (harness) => {
      harness.listed = (records) => records;
    },
    account: (harness, rest) => expectAccount(harness, rest),
    settledBy: (harness, rest) => expect(findTold(harness).settledBy).toBe(rest),
    late: (harness, rest) => {
      const event = JSON.parse(harness.texts.at(-1) ?? '{}') as { data: { late: readonly string[] } };
      expect(event.data.late.join(' ')).toBe(rest);
    },
  },
};

function show(company: Company, change: Partial<SampleRecord>): void {
  company.values = { ...company.values, ...change };
}

/** What the last trouble that began says. */
function findTrouble(harness: PollHarness): unknown {
  const events = harness.texts.map((text) => JSON.parse(text) as { type: string; data: unknown });
  return events.findLast(({ type }) => type === 'workforce.trouble.began')?.data;
}

async function playIn(script: string, options: PollHarnessOptions = {}): Promise<Company> {
  const company = new Company(options);
  await company.poll();
  await company.poll();
  company.news();
  await play(company, script, WORDS);
  return company;
}

describe('a closing', () => {
  test.each([
    [
      'is told in the poll that sees it, counted from looks after it',
      'approve 0-2; close; poll 2 approved, 1 closed; account state closed, since 2026-03-05T01:02:00.050Z, verdict not_yet, timesheets 20, hours 150, ready.hours 15, notReady.people 18, unprocessed 20, reserves.length 0, changes -, asOf 2026-03-05T01:02:00.050Z; polls 30',
    ],
    [
      'of which all is approved can be paid',
      'approve; poll 20 approved; close; poll 1 closed; account verdict pay, ready.hours 150, leftOver.length 0',
    ],
    [
      'of hours that were processed without an approval, too',
      'process; poll 20 processed; close; polls 6 1 closed, 1 settled; account verdict pay, ready.timesheets 20',
    ],
    [
      'waits for a date that cannot be read, names it after five minutes, and is recounted',
      'fails 2026-03-05; close; polls 5; polls 2 1 began, 1 closed; account verdict not_yet, reserves.1.kind dates_before_closing, reserves.1.dates.from 2026-03-05, notReady.timesheets 20; approve; fails no more; polls 10 20 approved, 1 ended, 1 recounted; account state closed, verdict pay, reserves.length 0, changes.readyHours 0, changes.hours 150, changes.listed.0.reason approved',
    ],
    [
      'is not told when it is taken back while it waits',
      'fails 2026-03-05; close; polls 2; reopen; fails no more; polls 10',
    ],
    [
      'that is stamped anew in each look waits no longer',
      'fails 2026-03-05; close 2026-03-05T01:00:01Z; polls 2; close 2026-03-05T01:00:02Z; polls 3; close 2026-03-05T01:00:03Z; polls 4 1 began, 1 closed',
    ],
    [
      'that cannot be read for a while waits since it was first seen',
      'fails 2026-03-05; close; poll; spoil; polls 3 1 began; mend; polls 3 1 began, 1 closed, 1 ended',
    ],
    [
      'waits for a doubt, and counts what both looks say',
      'approve; poll 20 approved; revoke; close; poll; 1min; polls 2 20 revoked, 1 closed; account reserves.length 0, notReady.timesheets 20',
    ],
    [
      'whose dates stay in doubt is told with their names',
      'fails lookups; remove 0-15; close; polls 4; polls 4 1 closed; account timesheets 20, reserves.0.kind dates_doubtful, reserves.0.dates.from 2026-03-05, reserves.0.dates.to 2026-03-05',
    ],
    ['beside another change tells both', 'rename; close; poll 1 changed, 1 closed'],
    [
      'of a period of years is told without an account, and so is what follows',
      'close; poll 1 closed; reopen; poll 1 reopened; endless; close; polls 12 1 changed, 1 closed',
    ],
    [
      'of a period that its list leaves out says so',
      'hide; approve 0-2; close; poll 2 approved, 1 closed; account ready.timesheets 2, reserves.0.kind period_unlisted; hours 3-4; poll 1 changed; late close',
    ],
    [
      'makes late what changes after it, also while its list leaves it out',
      'close; poll 1 closed; hide; polls 3; hours 0-1; poll 1 changed; late close',
    ],
    [
      'is taken back by a reopening, which says what changed since',
      'approve; poll 20 approved; close; poll 1 closed; hours 1-2; poll 1 changed; reopen; poll 1 reopened; account state reopened, verdict not_yet, changes.hours 1.5, changes.listed.0.timesheetId 2_7, changes.listed.0.reason changed, changes.open.hours 1.5',
    ],
    [
      'of a reopened period is told again, held against the one before',
      'approve; poll 20 approved; close; poll 1 closed; reopen; poll 1 reopened; hours 1-2; poll 1 changed; close 2026-03-06; poll 1 closed; account changes.readyHours 150, changes.hours 1.5, ready.hours 151.5',
    ],
    ['that follows another stamp is told again', 'close; poll 1 closed; close 2026-03-04; poll 1 closed'],
    [
      'is told by the poll after one that was killed',
      'approve; close; killed 20 approved, 1 closed; 2min; polls 9 1 closed',
    ],
  ])('%s', async (_, script) => {
    await playIn(script);
  });

  test('is told once where a poll is killed before it could commit it', async () => {
    const company = await playIn('close');
    const { commit } = company.store;
    company.store.commit = async (lease, step, time) => {
      if (step.log.length > 0) throw new Error('killed');
      return await commit(lease, step, time);
    };
    await expect(company.poll()).rejects.toThrow('killed');
    company.store.commit = commit;
    await play(company, '2min; polls 3 1 closed; account reserves.length 0', WORDS);
  });

  test('has the instants between which it happened', async () => {
    const company = await playIn('fails 2026-03-05; close; polls 3; fails no more; polls 4 1 closed');
    const events = company.texts.map((text) => JSON.parse(text) as Record<string, unknown>);
    const closed = events.find(({ type }) => String(type).includes('pay_period'));
    expect(closed).toMatchObject({ sequence: 1, data: { observed: { after: '2026-03-05T01:01:00.000Z' } } });
  });

  test('seen after a downtime waits as long as any other', async () => {
    await playIn('60min; fails 2026-03-05; close; polls 5; polls 2 1 began, 1 closed');
  });

  test('names dates that left the window before it, and waits for none of them', async () => {
    const connection = { window: { backDays: 2, forwardDays: 2 } };
    const company = await playIn('2d; polls 3; close 2026-03-07; poll 1 closed', { connection });
    const { account } = findTold(company) as { account: Account };
    expect(account.reserves).toEqual([
      { kind: 'dates_unread', dates: { from: '2026-03-02', to: '2026-03-02' }, timesheets: null },
      { kind: 'dates_before_closing', dates: { from: '2026-03-03', to: '2026-03-04' }, timesheets: null },
    ]);
  });
});

describe('a list of pay periods', () => {
  test('that has a period that ends before it begins says so once, and the others go on', async () => {
    const company = await playIn('');
    company.members = () => WORDS.ids;
    company.next = { id: '4_7', calendar: 'Weekly', startDate: '2026-03-15', finishDate: '2026-03-09' };
    await play(company, 'approve; polls 3 20 approved, 1 began', WORDS);
    expect(findTrouble(company)).toMatchObject({
      kind: 'records_unreadable',
      feed: 'pay-periods',
      cause: 'finishDate',
    });
    await play(company, 'close; polls 2 1 closed; account verdict pay', WORDS);
  });

  test('that has two periods of one id says so once, and tells nothing of it', async () => {
    const company = await playIn('');
    company.next = { ...WEEK, ...UNTOTALLED, id: '3_7', calendar: 'Monthly' };
    await play(company, 'approve; polls 4 20 approved, 1 began; close; polls 3', WORDS);
    expect(findTrouble(company)).toMatchObject({ kind: 'records_unreadable', about: ['3_7'], cause: 'id' });
  });

  test('of 400 open periods on the same dates keeps nothing waiting', async () => {
    const company = new Company();
    const periods = Array.from({ length: 400 }, (_, n) =>
      payPeriod({ ...WEEK, ...UNTOTALLED, id: `${n}_7`, calendar: `C${n}` }),
    );
    Object.defineProperty(company.lists, 'pay-periods', { get: () => periods });
    await company.pollFor(3);
    company.news();
    company.change({ hoursToPay: 9 }, ['1_7']);
    await company.poll({ all: true });
    expect(company.news()).toEqual(['timesheet.changed 1_7']);
    expect(company.requests.members).toBeLessThan(1_000);
  });
});

describe('a period is settled', () => {
  test.each([
    [
      'once all is processed, with what changed since its closing, and once',
      'approve; poll 20 approved; close; poll 1 closed; hours 0-1; polls 20 1 changed; process; polls 11 20 processed, 1 settled; settledBy processed; account state settled, verdict pay, ready.hours 150.5, changes.readyHours 150, changes.hours 0.5, changes.listed.0.timesheetId 1_7, changes.listed.0.reason changed, changes.open.timesheets 0; polls 60',
    ],
    [
      'with what was approved, added and removed since its closing',
      'approve 0-18; poll 18 approved; close; poll 1 closed; approve 18-19; remove 0-1; polls 3 1 approved, 1 removed; process 1-20; polls 12 19 processed, 1 settled; account ready.hours 142.5, changes.readyHours 135, changes.hours 7.5, changes.timesheets 3, changes.open.timesheets 1, changes.open.hours -7.5',
    ],
    ['hours later', 'close; poll 1 closed; 8h; process; polls 11 20 processed, 1 settled'],
    [
      'not while it is open again, and again after its next closing',
      'process; poll 20 processed; close; polls 10 1 closed, 1 settled; reopen; polls 20 1 reopened; close 2026-03-06; polls 10 1 closed, 1 settled',
    ],
    [
      'by the next closing of its calendar alone, with what is left over',
      'close; poll 1 closed; next Fortnightly; polls 6 1 created, 1 closed; next Weekly; polls 11 1 changed, 1 settled; settledBy next_closing; account unprocessed 20, leftOver.0.missing approval,processing',
    ],
    [
      'not while a loss is in doubt',
      'close; poll 1 closed; process; poll 20 processed; revert; polls 12 20 reverted',
    ],
    [
      'after hours where its totals differ from those of the source, and says by how much',
      'say 149; close; poll 1 closed; account difference.hours 1, reserves.0.kind totals_differ; process; polls 300 20 processed; polls 120 1 settled; account verdict not_yet, difference.hours 1, reserves.0.kind totals_differ; say 150; polls 60',
    ],
    [
      'after a recount where the totals agree in the end',
      'approve; say 149; polls 1 20 approved; close; poll 1 closed; account verdict not_yet; say 150; polls 35 1 recounted; account verdict pay, difference.hours 0, changes.timesheets 0; process; polls 12 20 processed, 1 settled',
    ],
  ])('%s', async (_, script) => {
    await playIn(script);
  });

  test('after 35 days in any case', async () => {
    const company = await playIn('close; poll 1 closed');
    company.now += 34 * 24 * 60 * MINUTE_MS;
    await company.pollFor(40);
    expect(company.news().filter((each) => each.includes('pay_period'))).toEqual([]);
    company.now += 24 * 60 * MINUTE_MS;
    await company.pollFor(40);
    expect(company.headings).toEqual(['pay_period.settled 3_7']);
    expect(findTold(company)).toMatchObject({ settledBy: 'age' });
  });

  test('not by a closing that was never told', async () => {
    const company = await playIn('close; poll 1 closed; next Weekly; polls 2 1 created, 1 closed');
    // It is taken back, and comes again, and waits for a date that cannot be read.
    company.next = { ...company.next, closed: null };
    await play(company, 'polls 5 1 reopened; polls 15', WORDS);
    company.next = {
      ...company.next,
      startDate: '2026-03-06',
      finishDate: '2026-03-07',
      closed: '2026-03-05',
    };
    await play(company, 'fails 2026-03-07; polls 3', WORDS);
    company.next = { ...company.next, closed: null };
    await play(company, 'fails no more; polls 20 1 changed', WORDS);
  });
});

describe('what is open of a settled period', () => {
  test('is what changed and no processing covers, until one does', async () => {
    const company = await playIn(
      'approve; process; poll 20 approved, 20 processed; close; polls 7 1 closed, 1 settled',
    );
    await play(
      company,
      'hours 0-1; poll 1 changed; reopen; poll 1 reopened; account changes.open.hours 0.5',
      WORDS,
    );
    company.change({ processed: '2026-03-05T02:00:00Z' }, ['1_7']);
    await play(company, 'polls 2 1 processed; close 2026-03-06; polls 10 1 closed, 1 settled', WORDS);
    await play(company, 'account changes.timesheets 0, ready.hours 150.5', WORDS);
  });
});
