import { describe, expect, test } from 'vitest';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { FORTNIGHTLY, sheetOf, TwoCalendars } from './two-calendars.ts';

const WEEK = { startDate: '2026-03-02', finishDate: '2026-03-08' };
const PERIODS = [
  payPeriod({ id: '3_7', ...WEEK }),
  payPeriod({ id: '4_7', calendar: 'Fortnightly', ...WEEK, finishDate: '2026-03-15' }),
];

describe('the poll of pay periods', () => {
  test('asks for each employee until a calendar is known', async () => {
    const world = await createWorld(6);
    const asked = recordQuestions(world);
    await world.poll({ feed: 'pay-periods' });
    expect(await calendars(world)).toEqual({
      '2000_7': 'Weekly',
      '2001_7': 'Fortnightly',
      '2002_7': 'Weekly',
      '2003_7': 'Fortnightly',
      '2004_7': 'Weekly',
      '2005_7': 'Fortnightly',
    });
    expect(asked.size).toBe(9);
    const reads = countReads(world);
    await world.pollFor(1);
    await world.poll({ feed: 'pay-periods' });
    expect(reads).toEqual({ surveys: 1, all: 0 });
    world.now += 3 * 3_600_000;
    await world.poll({ feed: 'pay-periods' });
    expect(world.requests.members).toBe(9);
  });

  test('asks nothing and stores nothing with one calendar', async () => {
    const world = await createWorld(6);
    world.payPeriods = () => PERIODS.slice(0, 1);
    await world.poll({ feed: 'pay-periods' });
    expect(world.requests.members).toBe(0);
    expect(await calendars(world)).toEqual({});
  });

  test('asks about 200 employees at a time, and goes on in the next one', async () => {
    const world = await createWorld(450, { requestMs: 1 });
    const known: number[] = [];
    for (let polls = 0; polls < 4; polls += 1) {
      await world.poll({ feed: 'pay-periods' });
      known.push(Object.keys(await calendars(world)).length);
    }
    expect(known).toEqual([200, 400, 450, 450]);
  });

  test('stops asking in time for its next minute', async () => {
    const world = await createWorld(200, { requestMs: 200 });
    world.nextMinute();
    const before = world.now;
    const report = await world.poll({ feed: 'pay-periods' });
    expect(report).toMatchObject({ outcome: 'complete' });
    expect(world.now - before).toBeLessThan(20_000);
    expect(Object.keys(await calendars(world)).length).toBeGreaterThan(30);
  });

  test.each<SourceErrorCode>(['source_forbidden', 'source_not_found', 'source_failed'])(
    'leaves an employee unknown for whom the source fails with %s, and asks ever more rarely',
    async (code) => {
      const world = await createWorld(6);
      failFor(world, '2002_7', code);
      const report = await world.poll({ feed: 'pay-periods' });
      expect(report).toMatchObject({ outcome: 'complete' });
      expect(await calendars(world)).toMatchObject({ '2001_7': 'Fortnightly', '2002_7': null });
      const asked: string[] = [];
      const { members } = world;
      world.members = (employeeId, payPeriodId) => {
        asked.push(employeeId);
        return members?.(employeeId, payPeriodId) ?? [];
      };
      for (let hours = 0; hours < 24; hours += 1) {
        world.now += 3_600_000;
        await world.poll({ feed: 'pay-periods' });
      }
      // After 1, 2, 4, 8 hours.
      expect(asked.filter((id) => id === '2002_7')).toHaveLength(4);
    },
  );

  test.each<[SourceErrorCode, number]>([
    ['source_throttled', 4],
    ['source_forbidden', 12],
  ])('soon stops asking a source that answers nobody: %s after %i requests', async (code, requests) => {
    const world = await createWorld(60);
    world.members = () => {
      throw new SourceError(code, 'on purpose');
    };
    for (let minutes = 0; minutes < 10; minutes += 1) {
      const report = await world.poll({ feed: 'pay-periods' });
      expect(report).toMatchObject({ outcome: 'complete' });
    }
    expect(world.requests.members).toBeLessThanOrEqual(requests);
  });

  test('learns of an employee who comes later within the hour', async () => {
    const world = await createWorld(2);
    await world.poll({ feed: 'pay-periods' });
    world.put(sheet(9));
    await world.poll({ scope: 'window' });
    world.now += 3_600_000;
    await world.poll({ feed: 'pay-periods' });
    expect(await calendars(world)).toMatchObject({ '2009_7': 'Fortnightly' });
  });

  test('does not hide a mistake of ours', async () => {
    const world = await createWorld(2);
    world.members = () => {
      throw new TypeError('a mistake');
    };
    await expect(world.poll({ feed: 'pay-periods' })).rejects.toThrow('a mistake');
  });
});

/** Employees of even numbers are paid weekly, the others fortnightly. */
describe('an employee who changes to another calendar while a period is open', () => {
  test('is found within a day by the numbers of the source, and nobody is asked while these agree', async () => {
    const company = new TwoCalendars();
    await company.employ(6);
    await company.pollPeriods();
    company.takeQuestions();
    const liveFor = async (hours: number) => {
      for (let hour = 0; hour < hours; hour += 1) {
        company.world.now += 3_600_000;
        await company.world.poll({ scope: 'window' });
        await company.pollPeriods();
      }
    };
    await liveFor(24);
    expect(company.takeQuestions()).toEqual([]);
    company.moved.set('2002_7', FORTNIGHTLY);
    await liveFor(2);
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly', '2002_7': 'Fortnightly' });
    company.takeQuestions();
    await liveFor(24);
    expect(company.takeQuestions()).toEqual([]);
  });

  test('is asked about once a day at most where the numbers never agree', async () => {
    const company = new TwoCalendars();
    await company.employ(6);
    await company.pollPeriods();
    // A timesheet that no list shows.
    company.world.listed = (records) => records.filter(({ id }) => id !== '1008_7');
    company.world.put(sheetOf(8));
    company.takeQuestions();
    for (let hour = 0; hour < 48; hour += 1) {
      company.world.now += 3_600_000;
      await company.pollPeriods();
    }
    const asked = company.takeQuestions().filter((question) => question.startsWith('2000_7'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(3);
  });
});

async function createWorld(employees: number, options: { readonly requestMs?: number } = {}) {
  const world = new PollHarness(options);
  world.payPeriods = () => PERIODS;
  for (let number = 0; number < employees; number += 1) world.put(sheet(number));
  world.members = (employeeId, periodId) => {
    const isOwn = (Number.parseInt(employeeId, 10) % 2 === 0) === (periodId === '3_7');
    const own = world.timesheets.filter((each) => each.employeeId === employeeId);
    return isOwn ? own.map(({ id }) => id) : [];
  };
  for (let polls = 0; polls < 3; polls += 1) await world.poll({ scope: 'window' });
  return world;
}

function sheet(number: number) {
  return timesheet({ id: `${1_000 + number}_7`, employeeId: `${2_000 + number}_7`, date: '2026-03-04' });
}

function recordQuestions(world: PollHarness): Set<string> {
  const asked = new Set<string>();
  const { members } = world;
  world.members = (employeeId, periodId) => {
    asked.add(`${employeeId} ${periodId}`);
    return members?.(employeeId, periodId) ?? [];
  };
  return asked;
}

/** How often the whole membership is read, and how often only when employees were asked for. */
function countReads({ store }: PollHarness) {
  const reads = { surveys: 0, all: 0 };
  const { loadMembership, loadSurveys } = store;
  store.loadMembership = async (connection) => {
    reads.all += 1;
    return await loadMembership(connection);
  };
  store.loadSurveys = async (connection) => {
    reads.surveys += 1;
    return (await loadSurveys?.(connection)) ?? new Map();
  };
  return reads;
}

function failFor(world: PollHarness, failing: string, code: SourceErrorCode): void {
  const { members } = world;
  world.members = (employeeId, periodId) => {
    if (employeeId === failing) throw new SourceError(code, 'on purpose');
    return members?.(employeeId, periodId) ?? [];
  };
}

async function calendars(world: PollHarness): Promise<Record<string, string | null>> {
  const { employees } = await world.store.loadMembership('main');
  return Object.fromEntries([...employees].map(([id, { calendar }]) => [id, calendar]).sort());
}
