import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { FORTNIGHTLY, sheetOf, TwoCalendars, WEEKLY } from './two-calendars.ts';

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
    company.onMembers = (id) => (failing.has(id) ? new SourceError('source_failed', 'on purpose') : null);
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

  test('counts dates when the source answers for nobody and nothing is known', async () => {
    const company = await companyOf(6);
    company.onMembers = () => new SourceError('source_forbidden', 'on purpose');
    await company.pollPeriods();
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 6, members: 'all', addsUp: null, sharesDatesWith: [FORTNIGHTLY] },
    });
  });
});

async function companyOf(employees: number): Promise<TwoCalendars> {
  const company = new TwoCalendars();
  await company.employ(employees);
  return company;
}
