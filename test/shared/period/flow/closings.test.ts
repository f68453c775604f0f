import { describe, expect, test } from 'vitest';
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

const WORDS: Vocabulary = {
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
      if (harness instanceof Company) harness.next = { ...dates, id: '4_7', calendar };
    },
    hide: (harness) => {
      harness.listed = (records) => records.filter(({ id }) => id !== '3_7');
    },
    unhide: (harness) => {
      harness.listed = (records) => records;
    },
    manifest: (harness, rest) => expectNumbers(harness, '.closed', 'closeManifest', rest),
    statement: (harness, rest) => expectNumbers(harness, '.statement', 'statement', rest),
    late: (harness, rest) => {
      const event = JSON.parse(harness.texts.at(-1) ?? '{}') as { data: { late: readonly string[] } };
      expect(event.data.late.join(' ')).toBe(rest);
    },
  },
};

function show(harness: PollHarness, change: Partial<SampleRecord>): void {
  if (harness instanceof Company) harness.values = { ...harness.values, ...change };
}

/** `approved 2, held.from 2026-03-05, lookedAtBefore -`: members of the last numbers; `-` for none. */
function expectNumbers(harness: PollHarness, type: string, member: string, expected: string): void {
  const text = harness.texts.findLast((each) => (JSON.parse(each) as { type: string }).type.endsWith(type));
  const { data } = JSON.parse(text ?? '{}') as { data: Record<string, unknown> };
  for (const line of expected.split(', ')) {
    const [path = '', value = ''] = line.split(' ');
    const found = path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], data[member]);
    expect(String(found ?? '-'), line).toBe(value);
  }
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
      'approve 0-2; close; poll 2 approved, 1 closed, 1 statement; manifest complete true, timesheets 20, approved 2, unprocessed 20, lookedAtBefore -, asOf 2026-03-05T01:02:00.050Z; polls 30',
    ],
    [
      'waits for a date that cannot be read, names it after five minutes, and is corrected',
      'fails 2026-03-05; close; polls 5; polls 2 1 began, 1 closed; manifest lookedAtBefore.from 2026-03-05, unapproved 20; approve; fails no more; polls 10 20 approved, 1 ended, 1 statement; statement stage closed, corrects true, unapproved 0',
    ],
    [
      'does not wait for dates that are not watched any more',
      'close; poll 1 closed, 1 statement; manifest missing -, complete true',
    ],
    [
      'is not told when it is taken back while it waits',
      'fails 2026-03-05; close; polls 2; reopen; fails no more; polls 10',
    ],
    [
      'that is stamped anew in each look is told all the same',
      'fails 2026-03-05; close 2026-03-05T01:00:01Z; polls 2; close 2026-03-05T01:00:02Z; polls 4; close 2026-03-05T01:00:03Z; polls 4 1 began; close 2026-03-05T01:00:04Z; polls 2 1 closed',
    ],
    [
      'that cannot be read for a while is held since it was first seen',
      'fails 2026-03-05; close; poll; spoil; polls 3 1 began; mend; polls 4 1 began, 1 closed, 1 ended',
    ],
    [
      'waits for a doubt, and counts what both looks say',
      'approve; poll 20 approved; revoke; close; poll; 1min; polls 2 20 revoked, 1 closed, 1 statement; manifest complete true, unapproved 20',
    ],
    [
      'whose dates stay in doubt is told with their names',
      'fails lookups; remove 0-15; close; polls 4; polls 4 1 closed, 1 statement; manifest complete false, missing -, timesheets 20, held.from 2026-03-05, held.to 2026-03-05',
    ],
    ['beside another change tells both', 'rename; close; poll 1 changed, 1 closed, 1 statement'],
    [
      'of a period of years is told without numbers, and so is what follows',
      'close; poll 1 closed, 1 statement; reopen; poll 1 reopened; endless; close; polls 12 1 changed, 1 closed',
    ],
    [
      'of a period that its list leaves out waits as any other',
      'hide; approve 0-2; close; poll 2 approved, 1 closed, 1 statement; manifest complete true, approved 2; hours 3-4; poll 1 changed; late close',
    ],
    [
      'makes late what changes after it, also while its list leaves it out',
      'close; poll 1 closed, 1 statement; hide; polls 3; hours 0-1; poll 1 changed; late close',
    ],
    [
      'of a reopened period is told again, with the difference',
      'close; poll 1 closed, 1 statement; reopen; poll 1 reopened; hours 1-2; poll 1 changed; close 2026-03-06; poll 1 closed, 1 statement; manifest change.hours 1.5; statement stage closed_again, closings 2, change.hours 1.5, sinceClose.changes.0.reason reopened',
    ],
    [
      'that follows another stamp is told again',
      'close; poll 1 closed, 1 statement; close 2026-03-04; poll 1 closed, 1 statement; statement closings 2',
    ],
    [
      'is told by the poll after one that was killed',
      'approve; close; killed 20 approved, 1 closed, 1 statement; 2min; polls 9 1 closed, 1 statement',
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
    await play(company, '2min; polls 3 1 closed, 1 statement; manifest complete true', WORDS);
  });

  test('has the instants between which it happened, and each part of it in one commit', async () => {
    const company = await playIn(
      'fails 2026-03-05; close; polls 3; fails no more; polls 4 1 closed, 1 statement',
    );
    const events = company.texts.map((text) => JSON.parse(text) as Record<string, unknown>);
    const [closed, statement] = events.filter(({ type }) => String(type).includes('pay_period'));
    expect(closed).toMatchObject({ sequence: 1, data: { observed: { after: '2026-03-05T01:01:00.000Z' } } });
    expect(statement).toMatchObject({ sequence: 2, time: closed?.time, epoch: closed?.epoch });
  });

  test('comes without a statement where the config wants none, and has its numbers all the same', async () => {
    await playIn(
      'close; poll 1 closed; manifest timesheets 20, change -; process; polls 30 20 processed; reopen; poll 1 reopened; close 2026-03-06; poll 1 closed',
      { connection: { statements: false } },
    );
  });

  test('seen after a downtime waits as long as any other', async () => {
    await playIn('60min; fails 2026-03-05; close; polls 5; polls 2 1 began, 1 closed');
  });
});

describe('the final statement', () => {
  test.each([
    [
      'comes once all is processed, with what changed since, and once',
      'close; poll 1 closed, 1 statement; hours 0-1; polls 20 1 changed; process; polls 11 20 processed, 1 statement; statement stage final, settledBy processed, hours 150.5, previous.hours 150, sinceClose.changes.0.reason late, sinceClose.timesheets.0.timesheetId 1_7; polls 60',
    ],
    [
      'comes hours later',
      'close; poll 1 closed, 1 statement; 8h; process; polls 11 20 processed, 1 statement',
    ],
    [
      'is not told while the period is open again, and again after its next closing',
      'process; poll 20 processed; close; polls 10 1 closed, 2 statement; reopen; polls 20 1 reopened; close 2026-03-06; polls 10 1 closed, 2 statement; statement stage final, closings 2',
    ],
    [
      'comes with the next closing of its calendar alone',
      'close; poll 1 closed, 1 statement; next Fortnightly; polls 6 1 created, 1 closed, 1 statement; next Weekly; polls 11 1 changed, 1 statement; statement settledBy next_closing, unprocessed 20',
    ],
    [
      'waits while a loss is in doubt',
      'close; poll 1 closed, 1 statement; process; poll 20 processed; revert; polls 12 20 reverted',
    ],
    [
      'that differs from the source waits for hours, is told as it is, and corrected once it agrees',
      'say 149; close; poll 1 closed, 1 statement; process; polls 300 20 processed; polls 120 1 statement; statement stage final, addsUp false, difference.hours 1, corrects -; say 150; polls 60 1 statement; statement stage final, addsUp true, corrects true; polls 60',
    ],
  ])('%s', async (_, script) => {
    await playIn(script);
  });

  test('comes after 35 days in any case', async () => {
    const company = await playIn('close; poll 1 closed, 1 statement');
    company.now += 34 * 24 * 60 * MINUTE_MS;
    await company.pollFor(40);
    expect(company.news().filter((each) => each.includes('pay_period'))).toEqual([]);
    company.now += 24 * 60 * MINUTE_MS;
    await company.pollFor(40);
    expect(company.headings).toEqual(['pay_period.statement 3_7']);
    expect(company.published[0]?.data.statement).toMatchObject({ stage: 'final', settledBy: 'age' });
  });
});
