import { expect, test, vi } from 'vitest';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import { readPeriod } from '#shared/period/flow/read-period.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { expectAccount } from '#test/support/account.ts';
import { DATE, MINUTE_MS, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions, type PublishedEvent } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';

const HOUR_MS = 60 * MINUTE_MS;
const NONE = { hours: null, numberEmployees: null, numberTimesheets: null };

/**
 * Two pay calendars whose periods `week` and `fort` share dates. Employee `n` has the timesheet `s<n>`; those of even
 * numbers are paid weekly, the others fortnightly, unless a script says something else.
 */
class Company extends PollHarness {
  readonly periods: Record<string, Partial<SampleRecord>> = {
    week: { calendar: 'Weekly', startDate: '2026-03-02', finishDate: '2026-03-08' },
    fort: { calendar: 'Fortnightly', startDate: '2026-03-02', finishDate: '2026-03-15' },
  };
  /** Whose period is said otherwise: timesheets, or employees. */
  readonly moved = new Map<string, string>();
  hasTotals = true;
  /** What the source answers when it is asked about these employees; without one about all. */
  fails: { readonly code: SourceErrorCode; readonly employees: readonly string[] } | null = null;
  questions: string[] = [];

  constructor(options: PollHarnessOptions = {}) {
    super({ connection: { window: { backDays: 5, forwardDays: 12 } }, requestMs: 10, ...options });
    Object.defineProperty(this.lists, 'pay-periods', {
      get: () => ['week', 'fort'].map((id) => this.#describe(id)),
    });
    this.members = (employee, period) => {
      this.questions.push(`${employee} ${period}`);
      const { code, employees = [] } = this.fails ?? {};
      if (code !== undefined && (employees.length === 0 || employees.includes(employee)))
        throw new SourceError(code, 'on purpose');
      return this.#own(period).flatMap(({ id, employeeId }) => (employeeId === employee ? [id] : []));
    };
  }

  add(id: string, values: Partial<SampleRecord> = {}): void {
    this.put(timesheet({ id, employeeId: `e${id.slice(1)}`, date: '2026-03-04', ...values }));
  }

  #own(period: string): SampleRecord[] {
    return [...this.timesheets.values()].filter(({ id, employeeId }) => {
      const usual = Number(String(employeeId).slice(1)) % 2 === 0 ? 'week' : 'fort';
      return (this.moved.get(id) ?? this.moved.get(String(employeeId)) ?? usual) === period;
    });
  }

  #describe(id: string): SampleRecord {
    const own = this.#own(id);
    const totals = {
      hours: own.reduce((sum, { hoursToPay }) => sum + Number(hoursToPay), 0),
      numberEmployees: new Set(own.map(({ employeeId }) => employeeId)).size,
      numberTimesheets: own.length,
    };
    return payPeriod({ id, ...(this.hasTotals ? totals : NONE), ...this.periods[id] });
  }
}

/** Late, what it makes of closed periods, and whose it is: `late close, changes week 1.5, of week closed`. */
function describeTold({ data }: PublishedEvent): string {
  const { late, closedPeriods = [], payPeriods } = data as Record<string, readonly Record<string, unknown>[]>;
  const lines = [
    ...(late?.length === 0 ? [] : [`late ${late?.join(' ')}`]),
    ...closedPeriods.map(({ id, effect, hours, certain = true }) =>
      [effect, id, hours, ...(certain ? [] : ['perhaps'])].join(' '),
    ),
    `of ${payPeriods?.map(({ id, state }) => `${id} ${state}`).join(' ') ?? 'unknown'}`.trim(),
  ];
  return lines.join(', ');
}

/** Each of the words that follow it. */
const STEPS: Readonly<Record<string, (company: Company, words: readonly string[]) => unknown>> = {
  /** So many employees, and the first poll, which asks about them ahead. */
  employ: async (company, [count]) => {
    for (let number = 0; number < Number(count); number += 1) company.add(`s${number}`);
    await company.poll();
    company.news();
  },
  add: (company, [id = '', employee = '', date = '2026-03-04']) =>
    company.add(id, { ...(employee === '' ? {} : { employeeId: employee }), date }),
  give: (company, [whose = '', period = '']) => company.moved.set(whose, period),
  close: (company, [period = '']) => alter(company, period, { closed: DATE }),
  rename: (company, [period = '']) => alter(company, period, { calendar: 'Another name' }),
  spoil: (company, [period = '']) => alter(company, period, { startDate: 'soon' }),
  extend: (company, [period = '', finishDate]) => alter(company, period, { finishDate }),
  untotal: (company) => {
    company.hasTotals = false;
  },
  deny: (company) => {
    company.members = () => [];
  },
  refuse: (company, [code, ...employees]) => {
    company.fails = { code: code as SourceErrorCode, employees };
  },
  /** How many questions came since the last time, or which. */
  asked: (company, words) => {
    const { questions } = company;
    company.questions = [];
    const isCount = /^\d+$/.test(words[0] ?? '');
    expect(isCount ? String(questions.length) : questions.sort().join(' ')).toBe(words.join(' '));
  },
  answer: async (company, [period = '', employee = '', ...said]) => {
    const [, own] = (await company.store.loadAnswers('main', period)).get(employee) ?? [];
    const parts = typeof own === 'object' ? [...own.own, 'not', ...own.others] : [own ?? 'unasked'];
    expect(parts).toEqual(said);
  },
  account: (company, words) => expectAccount(company, words.join(' ')),
  told: (company, [id, ...words]) => {
    const events = company.texts.map((text) => JSON.parse(text) as PublishedEvent);
    const last = events.findLast(({ subject }) => subject === id);
    expect(last === undefined ? 'nothing' : describeTold(last)).toBe(words.join(' '));
  },
  /** As it is read beside polls: its timesheets, and those of which it is not known. */
  read: async (company, [period = '', ...words]) => {
    const { timesheets = [], unknown = [] } = (await readBeside(company, period)) ?? {};
    expect([...timesheets.map(({ id }) => id), 'unknown', ...unknown]).toEqual(words);
  },
  /** The hours of what changed since it was told, by that reading; `-` where that is not known. */
  open: async (company, [period = '', hours]) => {
    const { account } = (await readBeside(company, period)) ?? {};
    expect(String(account?.changes?.open.hours ?? '-')).toBe(hours);
  },
  forget: (company) => {
    company.store.loadAnswers = async () => new Map();
  },
};

async function readBeside({ connection, store, now }: Company, id: string): Promise<PeriodReading | null> {
  return await readPeriod(id, connection, {
    ...{ store, log: createEventLog(store), range: { from: 0, to: now + 1 } },
  });
}

function alter({ periods }: Company, id: string, values: Partial<SampleRecord>): void {
  periods[id] = { ...periods[id], ...values };
}

const WORDS: Vocabulary<Company> = {
  ids: Array.from({ length: 6 }, (_, place) => `s${place}`),
  changes: {
    hours: () => ({ hoursToPay: 9 }),
    toOdd: () => ({ employeeId: 'e1' }),
    toEven: () => ({ employeeId: 'e2' }),
    approve: () => ({ approvedHours: '2026-03-05T01:00:00Z' }),
  },
  steps: Object.fromEntries(
    Object.entries(STEPS).map(([verb, step]) => [
      verb,
      (company: Company, rest: string) => step(company, rest.split(' ')),
    ]),
  ),
};

const OF_THREE = 'timesheets 3, people 3, reserves.length 0';

test.each([
  [
    'counts its own members, without asking about those that are known',
    `employ 6; asked 9; polls 60; asked 0; close week; poll 1 closed; account ${OF_THREE}; close fort; poll 1 closed; account ${OF_THREE}; asked 0`,
  ],
  [
    'asks about those that are not known, and remembers the answers',
    `employ 4; asked 6; add s4; add s5; close week; poll 2 created, 1 closed; account ${OF_THREE}; asked e4 week e5 week; answer week e4 all; answer week e5 none`,
  ],
  [
    'leaves out those it gets no answer for, and says how many',
    'refuse source_failed e2 e3; employ 6; close week; poll 1 closed; account timesheets 2, verdict not_yet, reserves.0.kind members_unknown, reserves.0.timesheets 2, difference -',
  ],
  [
    'counts by the answer where an employee has timesheets of both calendars',
    `give s7 fort; add s7 e2; employ 6; answer week e2 s2 not s7; close week; poll 1 closed; account ${OF_THREE}; close fort; poll 1 closed; account timesheets 4, people 4, reserves.length 0`,
  ],
  [
    'counts its own members although the record of the other period was never readable',
    `spoil fort; employ 6; close week; poll 1 closed; account ${OF_THREE}`,
  ],
  [
    'is not touched by another name of its calendar: an answer is about a period',
    `employ 6; asked 9; rename week; close week; poll 1 changed, 1 closed; account ${OF_THREE}; asked 0`,
  ],
  [
    'counts nothing, and says so, where the source refuses to say',
    'refuse source_forbidden; employ 6; close week; poll 1 closed; account timesheets 0, verdict not_yet, reserves.0.kind members_unknown, reserves.0.timesheets 6',
  ],
  [
    'or where by the source nobody has anything in it',
    'deny; employ 6; close week; poll 1 closed; account timesheets 0, reserves.0.kind members_unknown, reserves.0.timesheets 6',
  ],
  [
    'counts by the later of two answers that claim a timesheet',
    'employ 6; untotal; give e2 fort; close fort; poll 1 closed; account timesheets 4; refuse source_failed e2; close week; poll 1 closed; account timesheets 2',
  ],
  [
    'asks again where its period has other dates by then',
    'give s10 fort; employ 4; add s10 e2 2026-03-10; all 1 created; answer week e2 all; extend week 2026-03-11; 30min; all 1 changed; answer week e2 s2 not s10; close week; poll 1 closed; account timesheets 2, reserves.length 0',
  ],
  [
    'asks all again where its figures are not those of the source, and is right in the end',
    'employ 6; give e1 week; asked 9; close week; poll 1 closed; account timesheets 4, reserves.length 0; asked 6; close fort; poll 1 closed; account timesheets 2, reserves.length 0',
  ],
  [
    'is told as it is where the source fails when it is asked again',
    'employ 6; give e1 week; refuse source_failed e1; close week; poll 1 closed; account timesheets 3, difference.timesheets -1, verdict not_yet, reserves.0.kind totals_differ',
  ],
  [
    'asks all again where the source gives no totals',
    'employ 6; untotal; give e3 week; asked 9; close week; poll 1 closed; account timesheets 4, reserves.length 0; asked 6',
  ],
])('where two calendars share dates, a closing %s', async (_, script) => {
  await play(new Company(), script, WORDS);
});

const CLOSED = 'employ 6; close week; poll 1 closed; all';

test.each([
  [
    'is late for employees of that calendar alone',
    'hours 0-2; all 2 changed; told s0 late close, changes week 1.5, of week closed; told s1 of fort open',
  ],
  [
    'goes by the employee before the change, and by the one after it',
    'toOdd 0-1; toEven 3-4; all 2 changed; told s0 late close, loses week -7.5, of fort open; told s3 late close, gains week 7.5, of week closed',
  ],
  ['is late only when all are closed, of an unknown employee', 'add s20; all 1 created; told s20 of unknown'],
])('a change on a date where one of two calendars closed %s', async (_, script) => {
  await play(new Company(), `${CLOSED}; ${script}`, WORDS);
});

test.each([
  [
    'has its own timesheets, and names those of which it is not known',
    'employ 6; refuse source_failed; add s20; all 1 created; read week s0 s2 s4 unknown s20',
  ],
  [
    'knows what is open, or says that it does not: never 0 by ignorance',
    `${CLOSED}; approve 2-3; all 1 approved; open week 7.5; rename week; all 1 changed; open week 7.5; forget; open week -`,
  ],
])('a pay period that is read beside polls, where two calendars share dates, %s', async (_, script) => {
  await play(new Company(), script, WORDS);
});

test('a poll reads the answers about a period once', async () => {
  const company = new Company();
  await play(company, CLOSED, WORDS);
  const loadAnswers = vi.spyOn(company.store, 'loadAnswers');
  await play(company, 'hours 0-3; all 3 changed', WORDS);
  expect(loadAnswers.mock.calls.map(([, id]) => id).sort()).toEqual(['fort', 'week']);
});

test('an answer that a summary needs is kept as one about all dates of the period, also of those to come', async () => {
  const connection = {
    window: { backDays: 5, forwardDays: 12 },
    calendars: [{ name: 'Fortnightly', closesAt: '+1d 10:00' }],
  };
  const company = new Company({ connection });
  await play(company, 'employ 4; give s7 week; add s5 e7; add s7 e7 2026-03-07', WORDS);
  company.now = Date.parse('2026-03-05T01:08:00Z');
  await company.poll({ all: true, summaries: ['01:08'] });
  await play(company, 'answer fort e7 s5 not s7', WORDS);
});

test('figures that are not those of the source make it ask anybody no more than once a day', async () => {
  const company = new Company();
  company.listed = (records) => records.filter(({ id }) => id !== 's8');
  await play(company, 'employ 6; add s8; close week; poll 1 closed; asked 15', WORDS);
  for (let hour = 0; hour < 48; hour += 1) {
    company.now += HOUR_MS - MINUTE_MS;
    await company.poll();
  }
  const asked = company.questions.filter((question) => question.startsWith('e0'));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(3);
});

test('before a closing 200 are asked about at a time', async () => {
  const company = new Company({ requestMs: 1 });
  const known: number[] = [];
  await play(company, 'employ 450', WORDS);
  for (let polls = 0; polls < 3; polls += 1) {
    known.push((await company.store.loadAnswers('main', 'week')).size);
    await company.pollFor(30);
  }
  expect(known).toEqual([200, 400, 450]);
});

test.each(['source_throttled', 'source_forbidden'])(
  'a source that answers nobody is soon not asked any more: %s',
  async (code) => {
    const company = new Company();
    await play(company, `refuse ${code}; employ 60`, WORDS);
    expect(company.requests.members).toBeLessThanOrEqual(16);
  },
);

test('a mistake of ours is not hidden', async () => {
  const company = new Company();
  company.members = () => {
    throw new TypeError('a mistake');
  };
  await expect(play(company, 'employ 1', WORDS)).rejects.toThrow('a mistake');
});
