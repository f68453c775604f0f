import { describe, expect, test } from 'vitest';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { FORTNIGHTLY, sheetOf, TwoCalendars, WEEKLY } from './two-calendars.ts';

const FAILED = new SourceError('source_failed', 'on purpose');
const OF_EACH = { timesheets: 3, employees: 3, members: 'asked', membersUnknown: 0, addsUp: true };
const nobody = (): SourceError => FAILED;
const everybody = (): null => null;

describe('where two calendars share dates, a closing', () => {
  test('counts its own members without asking for those that are known', async () => {
    const company = await companyOf(6);
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ ...OF_EACH, sharesDatesWith: [] });
    expect(await company.close(FORTNIGHTLY)).toMatchObject(OF_EACH);
    expect(company.takeQuestions()).toEqual([]);
  });

  test('asks for those that are not known, and remembers the answers', async () => {
    const company = await companyOf(4);
    company.world.put(sheetOf(4), sheetOf(5));
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(company.takeQuestions()).toEqual([`2004_7 ${WEEKLY}`, `2005_7 ${WEEKLY}`]);
    expect(await company.calendars()).toMatchObject({ '2004_7': 'Weekly', '2005_7': null });
  });

  test('counts those it gets no answer for as unknown, never as members', async () => {
    const failing = new Set(['2002_7', '2003_7']);
    const company = await companyOf(6, (id) => (failing.has(id) ? FAILED : null));
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 2, members: 'partly', membersUnknown: 2, addsUp: null, sharesDatesWith: [] },
    });
  });

  test('counts by the answer where an employee has timesheets of both calendars', async () => {
    const company = new TwoCalendars();
    company.moved.set('1007_7', FORTNIGHTLY);
    company.world.put(sheetOf(7, { employeeId: '2002_7' }));
    await company.employ(6);
    expect(await company.calendars()).toMatchObject({ '2002_7': null });
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ ...OF_EACH, timesheets: 4, employees: 4 });
  });

  test.each<[string, string, object]>([
    ['to a colleague, counts as it was read', '2004_7', { timesheets: 3, membersUnknown: 0, addsUp: true }],
    ['to the other calendar, is none of it', '2003_7', { timesheets: 2, membersUnknown: 0, addsUp: false }],
  ])('where a timesheet goes %s', async (_, employeeId, expected) => {
    const company = await companyOf(6, nobody);
    company.onMembers = () => {
      company.world.put(sheetOf(2, { employeeId }));
      return null;
    };
    expect(await company.close(WEEKLY)).toMatchObject(expected);
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly', '2002_7': null });
  });

  test('counts by the answer about it, whatever the source says of the other calendar', async () => {
    const company = new TwoCalendars();
    company.moved.set('1007_7', FORTNIGHTLY);
    company.world.put(sheetOf(7, { employeeId: '2002_7' }));
    company.onMembers = (_, periodId) => (periodId === FORTNIGHTLY ? FAILED : null);
    await company.employ(6);
    expect(await company.close(WEEKLY)).toMatchObject(OF_EACH);
  });

  test('asks again for the members of a calendar that has another name by now', async () => {
    const company = await companyOf(6);
    // Without totals nothing else shows that the answers are outdated.
    company.hasTotals = false;
    company.renamed.set(WEEKLY, 'Weekly 2026');
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ timesheets: 3, employees: 3, membersUnknown: 0 });
    expect(company.takeQuestions()).toEqual(
      expect.arrayContaining(['2000_7', '2002_7', '2004_7'].map((id) => `${id} ${WEEKLY}`)),
    );
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly 2026' });
  });

  test('counts dates when the source answers for nobody and nothing is known', async () => {
    const company = await companyOf(6, () => new SourceError('source_forbidden', 'on purpose'));
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 6, members: 'all', addsUp: null, sharesDatesWith: [FORTNIGHTLY] },
    });
  });

  test('says that it does not know where by the answers nobody has anything in it', async () => {
    const company = await companyOf(6, nobody);
    company.world.members = () => [];
    expect(await company.close(WEEKLY)).toMatchObject({
      timesheets: 0,
      members: 'partly',
      membersUnknown: 6,
    });
  });

  test('counts those of another period that the list leaves out as that one has them', async () => {
    const company = await companyOf(6);
    const { world } = company;
    world.onLookUp = nobody;
    world.listed = (records) => records.filter(({ id }) => id !== FORTNIGHTLY);
    company.closed.add(WEEKLY);
    await world.pollFor(6);
    const closed = world.published.find(({ type }) => type.endsWith('pay_period.closed'));
    expect(closed?.data.closeManifest).toMatchObject({ timesheets: 3, employees: 3 });
  });
});

describe('numbers that are not those of the source', () => {
  test('are asked about again, and right in the end: an employee moved to the other calendar', async () => {
    const company = await companyOf(6);
    company.moved.set('2001_7', WEEKLY);
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject({ ...OF_EACH, timesheets: 4, employees: 4 });
    expect(company.takeQuestions()).toHaveLength(6);
    expect(await company.calendars()).toMatchObject({ '2001_7': 'Weekly', '2003_7': 'Fortnightly' });
    // What was learned counts for the other period too, and that adds up.
    expect(await company.close(FORTNIGHTLY)).toMatchObject({ ...OF_EACH, timesheets: 2, employees: 2 });
    expect(company.takeQuestions()).toEqual([]);
  });

  test('are asked about again after the source failed when it was asked ahead', async () => {
    const company = await companyOf(6);
    company.moved.set('2001_7', WEEKLY);
    company.onMembers = (id) => (id === '2001_7' ? FAILED : null);
    await pollHours(company, 24);
    expect(await company.calendars()).toMatchObject({ '2001_7': 'Fortnightly' });
    company.onMembers = everybody;
    expect(await company.close(WEEKLY)).toMatchObject({ ...OF_EACH, timesheets: 4, employees: 4 });
  });

  test('are told as they are where the source fails when it is asked again', async () => {
    const company = await companyOf(6);
    company.moved.set('2001_7', WEEKLY);
    company.onMembers = (id) => (id === '2001_7' ? FAILED : null);
    expect(await company.close(WEEKLY)).toMatchObject({
      ...{ timesheets: 3, members: 'asked', addsUp: false, difference: { timesheets: -1 } },
    });
  });

  test.each([
    ['the answers about other periods are asked for again', everybody, { timesheets: 4, addsUp: null }],
    [
      'whose answer does not come is not known',
      (id: string) => (id === '2003_7' ? FAILED : null),
      { timesheets: 3, members: 'partly', membersUnknown: 1 },
    ],
  ])('cannot be told without totals: %s', async (_, onMembers, expected) => {
    const company = await companyOf(6);
    company.hasTotals = false;
    company.moved.set('2003_7', WEEKLY);
    company.onMembers = onMembers;
    company.takeQuestions();
    expect(await company.close(WEEKLY)).toMatchObject(expected);
    expect(company.takeQuestions()).toEqual(['2001_7', '2003_7', '2005_7'].map((id) => `${id} ${WEEKLY}`));
  });
});

describe('before a closing', () => {
  test('each employee is asked about until a calendar is known, and then nobody', async () => {
    const company = await companyOf(6);
    expect(await company.calendars()).toEqual(
      Object.fromEntries(
        [0, 1, 2, 3, 4, 5].map((n) => [`200${n}_7`, n % 2 === 0 ? 'Weekly' : 'Fortnightly']),
      ),
    );
    expect(company.takeQuestions()).toHaveLength(9);
    await pollHours(company, 24);
    expect(company.takeQuestions()).toEqual([]);
  });

  test('200 are asked about at a time, and only for some seconds', async () => {
    const company = new TwoCalendars({ requestMs: 1 });
    const known: number[] = [];
    await company.employ(450);
    for (let polls = 0; polls < 3; polls += 1) {
      known.push(Object.keys(await company.calendars()).length);
      await company.world.pollFor(5);
    }
    expect(known).toEqual([200, 400, 450]);
    const slow = new TwoCalendars({ requestMs: 200 });
    const before = slow.world.now;
    await slow.employ(200);
    expect(slow.world.now - before).toBeLessThan(20_000);
  });

  test.each<SourceErrorCode>(['source_forbidden', 'source_not_found', 'source_failed'])(
    'an employee for whom the source fails with %s is asked about ever more rarely',
    async (code) => {
      const company = await companyOf(6, (id) =>
        id === '2002_7' ? new SourceError(code, 'on purpose') : null,
      );
      expect(await company.calendars()).toMatchObject({ '2001_7': 'Fortnightly', '2002_7': null });
      company.takeQuestions();
      await pollHours(company, 24);
      // After 1, 2, 4, 8 hours.
      expect(company.takeQuestions().filter((each) => each.startsWith('2002_7'))).toHaveLength(4);
    },
  );

  test.each<[SourceErrorCode, number]>([
    ['source_throttled', 8],
    ['source_forbidden', 12],
  ])('a source that answers nobody is soon not asked any more: %s', async (code, most) => {
    const company = await companyOf(60, () => new SourceError(code, 'on purpose'));
    await company.world.pollFor(10);
    expect(company.world.requests.members).toBeLessThanOrEqual(most);
  });

  test('who changes to another calendar is found by the numbers, and nobody is asked while they agree', async () => {
    const company = await companyOf(6);
    await pollHours(company, 24);
    company.moved.set('2002_7', FORTNIGHTLY);
    company.takeQuestions();
    await pollHours(company, 2);
    expect(await company.calendars()).toMatchObject({ '2000_7': 'Weekly', '2002_7': 'Fortnightly' });
    company.takeQuestions();
    await pollHours(company, 24);
    expect(company.takeQuestions()).toEqual([]);
  });

  test('nobody is asked about more than once a day where the numbers never agree', async () => {
    const company = await companyOf(6);
    hideOne(company);
    company.takeQuestions();
    await pollHours(company, 48);
    const asked = company.takeQuestions().filter((question) => question.startsWith('2000_7'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  test('a mistake of ours is not hidden', async () => {
    const company = new TwoCalendars();
    company.onMembers = () => {
      throw new TypeError('a mistake');
    };
    await expect(company.employ(1)).rejects.toThrow('a mistake');
  });
});

/** Puts a timesheet into the source that no list shows: no answer mends that its numbers differ. */
function hideOne(company: TwoCalendars): void {
  const hidden = sheetOf(8);
  company.world.listed = (records) => records.filter(({ id }) => id !== hidden.id);
  company.world.put(hidden);
}

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
