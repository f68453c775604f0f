import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { NO_MEMBERSHIP, updateBuckets } from '#shared/core/periods/membership.ts';
import { FORTNIGHTLY, sheetOf, TwoCalendars, WEEKLY } from './two-calendars.ts';

const FAILED = new SourceError('source_failed', 'on purpose');
const OF_EACH = { timesheets: 3, employees: 3, members: 'asked', membersUnknown: 0, addsUp: true };

describe('a closing where two calendars share dates', () => {
  test('counts its own members without asking for those that are known', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ ...OF_EACH, sharesDatesWith: [] });
    expect(await company.close(FORTNIGHTLY)).toMatchObject(OF_EACH);
    expect(company.takeQuestions()).toEqual([]);
  });

  test('asks for those that are not known, and remembers the answers', async () => {
    const company = await companyOf(4);
    await company.pollPeriods();
    company.world.put(sheetOf(4), sheetOf(5));
    await company.world.poll({ scope: 'window' });
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(company.takeQuestions()).toEqual([`2004_7 ${WEEKLY}`, `2005_7 ${WEEKLY}`]);
    expect(await company.calendars()).toMatchObject({ '2004_7': 'Weekly', '2005_7': null });
  });

  test('counts those it gets no answer for as unknown, never as members', async () => {
    const company = await companyOf(6);
    const failing = new Set(['2002_7', '2003_7']);
    company.onMembers = (id) => (failing.has(id) ? FAILED : null);
    await company.pollPeriods();
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 2, members: 'partly', membersUnknown: 2, addsUp: null, sharesDatesWith: [] },
    });
  });

  test('counts by the answer where an employee has timesheets of both calendars', async () => {
    const company = await companyOf(6);
    company.moved.set('1007_7', FORTNIGHTLY);
    company.world.put(sheetOf(7, { employeeId: '2002_7' }));
    await company.world.poll({ scope: 'window' });
    await company.pollPeriods();
    expect(await company.calendars()).toMatchObject({ '2002_7': null });
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ ...OF_EACH, timesheets: 4, employees: 4 });
  });

  test('counts a timesheet that went to somebody else after it was read as it was read', async () => {
    const company = await companyOf(6);
    company.world.put(sheetOf(7, { employeeId: '2002_7' }));
    await company.world.poll({ scope: 'window' });
    company.onMembers = () => FAILED;
    await company.pollPeriods();
    company.onMembers = () => {
      company.world.put(sheetOf(7, { employeeId: '2004_7' }));
      return null;
    };
    expect(await company.close(WEEKLY)).toMatchObject({ ...OF_EACH, timesheets: 4 });
    expect(await company.calendars()).toMatchObject({ '2002_7': 'Weekly' });
  });

  test('counts the only timesheet of an employee as it was read, where it went to somebody else', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    hideOne(company);
    company.onMembers = () => {
      company.world.put(sheetOf(2, { employeeId: '2003_7' }));
      return null;
    };
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 3, employees: 3, members: 'asked', membersUnknown: 0 },
      ...{ addsUp: false, difference: { timesheets: -1 } },
    });
    expect(await company.calendars()).toMatchObject({ '2002_7': 'Weekly' });
  });

  test('knows who went to the other calendar by a timesheet there that it has not read', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    hideOne(company);
    company.onMembers = () => {
      company.world.put(sheetOf(2, { employeeId: '2003_7' }), sheetOf(8, { employeeId: '2002_7' }));
      company.moved.set('2002_7', FORTNIGHTLY);
      return null;
    };
    await company.close(WEEKLY);
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly', '2002_7': 'Fortnightly' });
  });

  test.each([
    [
      'went to an employee of the other calendar',
      '2003_7',
      { timesheets: 2, membersUnknown: 1, addsUp: null },
    ],
    ['went to another employee of this one', '2004_7', { timesheets: 3, membersUnknown: 0, addsUp: true }],
  ])('where it %s, and nobody knows his calendar', async (_, employeeId, expected) => {
    const company = await companyOf(6);
    company.onMembers = () => FAILED;
    await company.pollPeriods();
    company.onMembers = () => {
      company.world.put(sheetOf(2, { employeeId }));
      return null;
    };
    expect(await company.close(WEEKLY)).toMatchObject(expected);
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly', '2002_7': null });
  });

  test('knows employees by their answer about the other calendar, where it asked about it', async () => {
    const company = await companyOf(6);
    company.onMembers = () => FAILED;
    await company.pollPeriods();
    hideOne(company);
    company.onMembers = () => null;
    expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 3, membersUnknown: 0, addsUp: false });
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly', '2001_7': 'Fortnightly' });
  });

  test('says that it does not know, where numbers differ and the other calendar has no answer', async () => {
    const company = await companyOf(6);
    company.moved.set('1007_7', FORTNIGHTLY);
    company.world.put(sheetOf(7, { employeeId: '2002_7' }));
    await company.world.poll({ scope: 'window' });
    company.onMembers = (_, periodId) => (periodId === FORTNIGHTLY ? FAILED : null);
    await company.pollPeriods();
    hideOne(company);
    expect(await company.close(WEEKLY)).toMatchObject({
      // Of the employees who are not in the other calendar by their answer, too.
      ...{ timesheets: 3, members: 'partly', membersUnknown: 4, addsUp: null },
    });
  });

  test('says that it does not know, on a date of no other period', async () => {
    const company = await companyOf(5);
    company.onMembers = () => FAILED;
    company.world.put(sheetOf(6, { date: '2026-03-09' }));
    await company.world.poll({ scope: 'window' });
    await company.pollPeriods();
    hideOne(company, 9);
    company.onMembers = () => null;
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ timesheets: 2, membersUnknown: 1 });
  });

  test('counts by the answer about it where the source does not answer about the other calendar', async () => {
    const company = await companyOf(6);
    company.moved.set('1007_7', FORTNIGHTLY);
    company.world.put(sheetOf(7, { employeeId: '2002_7' }));
    await company.world.poll({ scope: 'window' });
    company.onMembers = (_, periodId) => (periodId === FORTNIGHTLY ? FAILED : null);
    await company.pollPeriods();
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
  });

  test('asks again for the members of a calendar that has another name by now', async () => {
    const company = await companyOf(6);
    // Without totals nothing else shows that the answers are outdated.
    company.hasTotals = false;
    await company.pollPeriods();
    company.renamed.set(WEEKLY, 'Weekly 2026');
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 3, employees: 3, membersUnknown: 0 });
    expect(company.takeQuestions()).toEqual(
      expect.arrayContaining(['2000_7', '2002_7', '2004_7'].map((id) => `${id} ${WEEKLY}`)),
    );
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly 2026' });
  });

  test('counts dates when the source answers for nobody and nothing is known', async () => {
    const company = await companyOf(6);
    company.onMembers = () => new SourceError('source_forbidden', 'on purpose');
    await company.pollPeriods();
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 6, members: 'all', addsUp: null, sharesDatesWith: [FORTNIGHTLY] },
    });
  });
});

describe('numbers that are not those of the source', () => {
  test('are asked about again, and right in the end: an employee moved to the other calendar', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    company.moved.set('2001_7', WEEKLY);
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ ...OF_EACH, timesheets: 4, employees: 4 });
    expect(company.takeQuestions()).toHaveLength(6);
    expect(await company.calendars()).toMatchObject({ '2001_7': 'Weekly', '2003_7': 'Fortnightly' });
    // What was learned counts for the other period too, and that adds up.
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ ...OF_EACH, timesheets: 2, employees: 2 });
    expect(company.takeQuestions()).toEqual([]);
  });

  test('are asked about again, where a timesheet is newer than the answer and the totals are older', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    // What he gets in his new calendar changes nothing of the period, which another one comes into.
    company.moved.set('2002_7', FORTNIGHTLY);
    company.world.put(sheetOf(6), sheetOf(7, { employeeId: '2002_7' }));
    await company.world.poll({ scope: 'window' });
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(await company.calendars()).toMatchObject({ '2002_7': null, '2006_7': 'Weekly' });
  });

  test('are asked about once for a difference', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    // A timesheet that no list shows: no answer mends that.
    company.world.listed = (records) => records.filter(({ id }) => !['1008_7', '1010_7'].includes(id));
    company.world.put(sheetOf(8));
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 3, members: 'asked', addsUp: false, difference: { timesheets: -1 } },
    });
    expect(company.takeQuestions()).toHaveLength(6);
    company.reopen(WEEKLY);
    await company.pollPeriods();
    expect(await company.close(WEEKLY)).toMatchObject({ addsUp: false });
    expect(company.takeQuestions()).toEqual([]);
    company.reopen(WEEKLY);
    company.world.put(sheetOf(10));
    await company.pollPeriods();
    expect(await company.close(WEEKLY)).toMatchObject({ addsUp: false });
    expect(company.takeQuestions()).toHaveLength(6);
  });

  test('are asked about again where the source failed when it was asked ahead', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    company.moved.set('2001_7', WEEKLY);
    company.onMembers = (id) => (id === '2001_7' ? FAILED : null);
    for (let hours = 0; hours < 24; hours += 1) {
      company.world.now += 3_600_000;
      await company.pollPeriods();
    }
    expect(await company.calendars()).toMatchObject({ '2001_7': 'Fortnightly' });
    company.onMembers = () => null;
    expect(await company.close(WEEKLY)).toMatchObject({ ...OF_EACH, timesheets: 4, employees: 4 });
  });

  test('are told as they are where the source fails when it is asked again', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    company.moved.set('2001_7', WEEKLY);
    company.onMembers = (id) => (id === '2001_7' ? new SourceError('source_failed', 'on purpose') : null);
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 3, members: 'asked', addsUp: false, difference: { timesheets: -1 } },
    });
  });

  test('cannot be told without totals: answers about other periods are asked for again', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    company.hasTotals = false;
    company.moved.set('2003_7', WEEKLY);
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 4, addsUp: null });
    expect(company.takeQuestions()).toEqual(['2001_7', '2003_7', '2005_7'].map((id) => `${id} ${WEEKLY}`));
  });

  test('cannot be told without totals: whose answer does not come is not known', async () => {
    const company = await companyOf(6);
    await company.pollPeriods();
    company.hasTotals = false;
    company.onMembers = (id) => (id === '2003_7' ? FAILED : null);
    expect(await company.close(WEEKLY)).toMatchObject({
      timesheets: 3,
      members: 'partly',
      membersUnknown: 1,
    });
  });
});

test('what one poll was told stays, where another one that began before asked in vain', async () => {
  const company = await companyOf(6);
  await company.pollPeriods();
  company.moved.set('2001_7', WEEKLY);
  company.world.now += 24 * 3_600_000;
  company.onMembers = (id) => {
    if (id !== '2001_7') return null;
    const { now, store } = company.world;
    const employees = new Map([['2001_7', { calendar: 'Weekly', periodId: WEEKLY, askedAt: now }]]);
    void store.saveMembership?.('main', updateBuckets(NO_MEMBERSHIP, { now, employees }));
    return FAILED;
  };
  await company.pollPeriods();
  expect(await company.calendars()).toMatchObject({ '2001_7': 'Weekly' });
});

/** Puts a timesheet into the source that no list shows: no answer mends that its numbers differ. */
function hideOne(company: TwoCalendars, number = 8): void {
  const hidden = sheetOf(number);
  company.world.listed = (records) => records.filter(({ id }) => id !== hidden.id);
  company.world.put(hidden);
}

async function companyOf(employees: number): Promise<TwoCalendars> {
  const company = new TwoCalendars();
  await company.employ(employees);
  return company;
}
