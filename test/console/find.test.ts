import { describe, expect, test } from 'vitest';
import { findAnswerSchema } from '#console/routes/find.ts';
import { findSuggestions, readDate } from '#console/server/find.ts';
import { startConsole } from '#console/server/open-console.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { HOSTILE } from './hostile-answer.ts';
import { enter } from './visitor.ts';
import { watchTimesheets } from './watched-timesheets.ts';

const TODAY = toLocalDate(NOW, 'UTC');
const PERIOD = { startDate: '2026-11-16', finishDate: '2026-11-22' };
const NAMES = {
  ...NO_NAMES,
  employees: new Map([
    ['2001_7', 'Zoë Anders'],
    ['2002_7', 'Ana Zoeller'],
    ['2003_7', 'Bo Adeyemi-Zoe'],
    ['2004_7', HOSTILE],
  ]),
  departments: new Map([['501_7', 'Zoo']]),
};

async function find(text: string) {
  const context = await watchTimesheets({
    payPeriods: [payPeriod(PERIOD)],
    timesheets: [timesheet({ id: '9001_7', employeeId: '2002_7', date: TODAY })],
    names: NAMES,
  });
  return findAnswerSchema.parse(await findSuggestions(text, context)).suggestions;
}

describe('what is found', () => {
  test('people by any word of their name, without accents and case, best first', async () => {
    const found = await find('ZOE');
    expect(found.filter(({ kind }) => kind === 'person').map(({ title }) => title)).toEqual([
      'Zoë Anders',
      'Ana Zoeller',
      'Bo Adeyemi-Zoe',
    ]);
    expect(found[0]).toEqual({
      kind: 'person',
      title: 'Zoë Anders',
      note: '2001_7',
      to: '/people/main/2001_7',
    });
    expect((await find('ade bo')).map(({ title }) => title)).toEqual(['Bo Adeyemi-Zoe']);
  });

  test('a person and a pay period by the beginning of the id, a timesheet by its whole id', async () => {
    expect((await find('2002')).map(({ to }) => to)).toEqual(['/people/main/2002_7']);
    expect((await find('3_')).map(({ to }) => to)).toEqual(['/periods/3_7?connection=main']);
    expect(await find('9001_7')).toEqual([
      {
        kind: 'timesheet',
        title: '9001_7',
        note: 'Ana Zoeller, Fri 20 Nov',
        to: '/records/9001_7?connection=main',
      },
    ]);
    expect(await find('9001')).toEqual([]);
  });

  test('departments, receivers, and for a date its log and the pay periods that cover it', async () => {
    expect((await find('zoo')).map(({ to }) => to)).toContain('/?department=501_7&connection=main');
    expect((await find('2026-11-20')).map(({ kind, to }) => [kind, to])).toEqual([
      ['period', '/periods/3_7?connection=main'],
      ['date', '/?until=2026-11-20T23%3A59%3A59.999Z'],
    ]);
  });

  test('nothing for spaces, and hostile names only as text', async () => {
    expect(await find('  ')).toEqual([]);
    const [found] = await find('"><img');
    expect(found).toMatchObject({ title: HOSTILE, to: '/people/main/2004_7' });
  });
});

test.each([
  ['2026-10-26', '2026-10-26'],
  ['Mon 26 Oct', '2026-10-26'],
  ['3 jan', '2027-01-03'],
  ['31 Feb', null],
  ['26 Ana', null],
  ['1012', null],
])('%s is read as the date %s', (text, date) => {
  expect(readDate(text, TODAY)).toBe(date);
});

test('the answer passes the contract, and a text that is too long is refused', async () => {
  const running = await startConsole({ open: async () => createFakeContext(createFakeLog()), port: 0 });
  const visitor = await enter(running.address);
  expect(await (await visitor.get('/api/find?q=nobody')).json()).toEqual({ suggestions: [] });
  expect((await visitor.get(`/api/find?q=${'x'.repeat(201)}`)).status).toBe(400);
  await running.stop();
});
