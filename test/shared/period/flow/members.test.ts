import { describe, expect, test } from 'vitest';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { FORTNIGHTLY, sheetOf, TwoCalendars, WEEKLY } from './two-calendars.ts';

const FAILED = new SourceError('source_failed', 'on purpose');
const OF_EACH = { timesheets: 3, people: 3, reserves: [] };
const everybody = (): null => null;
const unknown = (timesheets: number) => ({ kind: 'members_unknown', dates: null, timesheets });
const differing = { kind: 'totals_differ', dates: null, timesheets: null };

describe('where two calendars share dates, a closing', () => {
  test('counts its own members without asking about those that are known', async () => {
    const company = await companyOf(6);
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(await company.close(FORTNIGHTLY)).toMatchObject(OF_EACH);
    expect(company.takeQuestions()).toEqual([]);
  });

  test('asks about those that are not known, and remembers the answers', async () => {
    const company = await companyOf(4);
    company.world.put(sheetOf(4), sheetOf(5));
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(company.takeQuestions()).toEqual([`2004_7 ${WEEKLY}`, `2005_7 ${WEEKLY}`]);
    expect(await company.answers(WEEKLY)).toMatchObject({ '2004_7': 'all', '2005_7': 'none' });
  });

  test('leaves out those it gets no answer for, and says how many', async () => {
    const failing = new Set(['2002_7', '2003_7']);
    const company = await companyOf(6, (id) => (failing.has(id) ? FAILED : null));
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 2, verdict: 'not_yet', reserves: [unknown(2)], difference: null },
    });
  });

  test('counts by the answer where an employee has timesheets of both calendars', async () => {
    const company = new TwoCalendars();
    company.moved.set('1007_7', FORTNIGHTLY);
    company.world.put(sheetOf(7, { employeeId: '2002_7' }));
    await company.employ(6);
    expect(await company.answers(WEEKLY)).toMatchObject({
      '2002_7': { own: ['1002_7'], others: ['1007_7'] },
    });
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ timesheets: 4, people: 4, reserves: [] });
  });

  test('counts its own members although the record of the other period was never readable', async () => {
    const company = new TwoCalendars();
    company.unreadable.add(FORTNIGHTLY);
    await company.employ(6);
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
  });

  test('is not touched by another name of its calendar: an answer is about a period', async () => {
    const company = await companyOf(6);
    company.renamed.set(WEEKLY, 'Weekly 2026');
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(company.takeQuestions()).toEqual([]);
  });

  test.each<[string, (company: TwoCalendars) => void]>([
    [
      'refuses',
      (company) => {
        company.onMembers = () => new SourceError('source_forbidden', 'on purpose');
      },
    ],
    [
      'has nothing of anybody',
      (company) => {
        company.world.members = () => [];
      },
    ],
  ])('counts nothing, and says so, where the source %s', async (_, prepare) => {
    const company = new TwoCalendars();
    prepare(company);
    await company.employ(6);
    expect(await company.close(WEEKLY)).toMatchObject({
      timesheets: 0,
      verdict: 'not_yet',
      reserves: [unknown(6)],
    });
  });

  test('counts by the later of two answers that claim a timesheet', async () => {
    const company = await companyOf(6);
    company.hasTotals = false;
    company.moved.set('2002_7', FORTNIGHTLY);
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ timesheets: 4, people: 4 });
    company.onMembers = (id) => (id === '2002_7' ? FAILED : null);
    expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 2, people: 2 });
  });
});

test('an answer that a summary needs is kept as one about all dates of the period, also of those to come', async () => {
  const connection = {
    window: { backDays: 5, forwardDays: 12 },
    calendars: [{ name: 'Fortnightly', closesAt: '+1d 10:00' }],
  };
  const company = new TwoCalendars({ connection });
  await company.employ(4);
  company.moved.set('1007_7', WEEKLY);
  const moved = { employeeId: '2007_7' };
  company.world.put(sheetOf(5, moved), sheetOf(7, { ...moved, date: '2026-03-07' }));
  company.world.now = Date.parse('2026-03-05T01:08:00Z');
  await company.world.poll({ all: true, summaries: ['01:08'] });
  expect(company.world.published.map(({ type }) => type)).toContain('workforce.pay_period.due');
  expect(await company.answers(FORTNIGHTLY)).toMatchObject({
    '2007_7': { own: ['1005_7'], others: ['1007_7'] },
  });
});

test('an answer is about the dates that its period had then: with others it is asked again', async () => {
  const company = await companyOf(4);
  company.moved.set('1010_7', FORTNIGHTLY);
  company.world.put(sheetOf(10, { employeeId: '2002_7', date: '2026-03-10' }));
  await company.world.poll({ all: true });
  expect(await company.answers(WEEKLY)).toMatchObject({ '2002_7': 'all' });
  company.dates.set(WEEKLY, { startDate: '2026-03-02', finishDate: '2026-03-11' });
  company.world.now += 30 * 60_000;
  await company.world.poll({ all: true });
  expect(await company.answers(WEEKLY)).toMatchObject({ '2002_7': { own: ['1002_7'], others: ['1010_7'] } });
  expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 2, people: 2, reserves: [] });
});

describe('figures that are not those of the source', () => {
  test('are asked about again, and right in the end: an employee went to the other calendar', async () => {
    const company = await companyOf(6);
    company.moved.set('2001_7', WEEKLY);
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 4, people: 4, reserves: [] });
    expect(company.takeQuestions()).toHaveLength(6);
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ timesheets: 2, people: 2, reserves: [] });
  });

  test('are told as they are where the source fails when it is asked again', async () => {
    const company = await companyOf(6);
    company.moved.set('2001_7', WEEKLY);
    company.onMembers = (id) => (id === '2001_7' ? FAILED : null);
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 3, difference: { timesheets: -1 }, verdict: 'not_yet', reserves: [differing] },
    });
  });

  test('and where it gives none, all are asked again at the closing', async () => {
    const company = await companyOf(6);
    company.hasTotals = false;
    company.moved.set('2003_7', WEEKLY);
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 4, reserves: [] });
    expect(company.takeQuestions()).toHaveLength(6);
  });

  test('do not make it ask anybody more than once a day', async () => {
    const company = await companyOf(6);
    const hidden = sheetOf(8);
    company.world.listed = (records) => records.filter(({ id }) => id !== hidden.id);
    company.world.put(hidden);
    await company.close(WEEKLY);
    company.takeQuestions();
    await pollHours(company, 48);
    const asked = company.takeQuestions().filter((question) => question.startsWith('2000_7'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(3);
  });
});

describe('before a closing', () => {
  test('each employee is asked about for each period once, and then nobody', async () => {
    const company = await companyOf(6);
    expect(await company.answers(WEEKLY)).toEqual(
      Object.fromEntries([0, 1, 2, 3, 4, 5].map((n) => [`200${n}_7`, n % 2 === 0 ? 'all' : 'none'])),
    );
    // Who is of the one is not of the other.
    expect(company.takeQuestions()).toHaveLength(9);
    await pollHours(company, 24);
    expect(company.takeQuestions()).toEqual([]);
  });

  test('200 are asked about at a time', async () => {
    const company = new TwoCalendars({ requestMs: 1 });
    const known: number[] = [];
    await company.employ(450);
    for (let polls = 0; polls < 3; polls += 1) {
      known.push(Object.keys(await company.answers(WEEKLY)).length);
      await company.world.pollFor(30);
    }
    expect(known).toEqual([200, 400, 450]);
  });

  test.each<[SourceErrorCode, number]>([
    ['source_throttled', 16],
    ['source_forbidden', 16],
  ])('a source that answers nobody is soon not asked any more: %s', async (code, most) => {
    const company = await companyOf(60, () => new SourceError(code, 'on purpose'));
    expect(company.world.requests.members).toBeLessThanOrEqual(most);
  });

  test('a mistake of ours is not hidden', async () => {
    const company = new TwoCalendars();
    company.onMembers = () => {
      throw new TypeError('a mistake');
    };
    await expect(company.employ(1)).rejects.toThrow('a mistake');
  });
});

async function companyOf(
  employees: number,
  onMembers: TwoCalendars['onMembers'] = everybody,
): Promise<TwoCalendars> {
  const company = new TwoCalendars();
  company.onMembers = onMembers;
  await company.employ(employees);
  return company;
}

async function pollHours({ world }: TwoCalendars, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    world.now += 3_540_000;
    await world.poll();
  }
}
