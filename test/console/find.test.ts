import { describe, expect, test } from 'vitest';
import { find as findIn, readDate } from '#console/server/find.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { HOSTILE, NOW } from './fake-log.ts';
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
  return await findIn(text, context);
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
      to: 'people/main/2001_7',
    });
    expect((await find('ade bo')).map(({ title }) => title)).toEqual(['Bo Adeyemi-Zoe']);
  });

  test('a person and a pay period by the beginning of the id, a timesheet by its whole id', async () => {
    expect((await find('2002')).map(({ to }) => to)).toEqual(['people/main/2002_7']);
    expect((await find('3_')).map(({ to }) => to)).toEqual(['periods/3_7?connection=main']);
    expect(await find('9001_7')).toEqual([
      {
        kind: 'timesheet',
        title: '9001_7',
        note: 'Ana Zoeller, Fri 20 Nov',
        to: 'records/9001_7?connection=main',
      },
    ]);
    expect(await find('9001')).toEqual([]);
  });

  test('departments, and for a date its log and the pay periods that cover it', async () => {
    expect((await find('zoo')).map(({ to }) => to)).toContain('now?department=501_7&connection=main');
    expect((await find('2026-11-20')).map(({ kind, to }) => [kind, to])).toEqual([
      ['date', 'now?day=2026-11-20'],
      ['period', 'periods/3_7?connection=main'],
    ]);
  });

  test('nothing for spaces, and hostile names only as text', async () => {
    expect(await find('  ')).toEqual([]);
    const [found] = await find('"><img');
    expect(found).toMatchObject({ title: HOSTILE, to: 'people/main/2004_7' });
  });
});

test.each([
  ['2026-10-26', '2026-10-26'],
  ['Mon 26 Oct', '2026-10-26'],
  ['3 jan', '2027-01-03'],
  ['today', '2026-11-20'],
  ['yesterday', '2026-11-19'],
  ['friday', '2026-11-20'],
  ['Tuesday', '2026-11-17'],
  ['sat', '2026-11-14'],
  ['t', null],
  ['', null],
  ['31 Feb', null],
  ['26 Ana', null],
  ['1012', null],
])('%s is read as the date %s', (text, date) => {
  expect(readDate(text, TODAY)).toBe(date);
});
