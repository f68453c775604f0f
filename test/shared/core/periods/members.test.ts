import { describe, expect, test } from 'vitest';
import {
  addAnswers,
  belongsTo,
  findTimesheetPeriods,
  type MemberAnswer,
  type MemberAnswers,
  toAnswer,
} from '#shared/core/periods/members.ts';
import { knownPeriod } from '#test/support/builders.ts';

const W1 = knownPeriod({ id: 'W1', startDate: '2026-03-02', finishDate: '2026-03-08' });
const W2 = knownPeriod({ id: 'W2', startDate: '2026-03-09', finishDate: '2026-03-15' });
const F1 = knownPeriod({ id: 'F1', startDate: '2026-03-02', finishDate: '2026-03-15' });
const PERIODS = [W1, W2, F1];

/** `W1 all 5`, `W1 1,2/3`: what was answered about Ana, of which timesheets it is and is not, and when. */
function answersOf(...lines: readonly string[]): ReadonlyMap<string, MemberAnswers> {
  return new Map(
    lines.map((line) => {
      const [period = '', own = '', at = '1'] = line.split(' ');
      const [some = [], others = []] = own.split('/').map((ids) => ids.split(','));
      const said = own === 'all' || own === 'none' ? own : { own: some, others };
      return [period, new Map([['ana', [Number(at), said] as MemberAnswer]])];
    }),
  );
}

const sheet = (date: string, id = '1') => ({ id, employeeId: 'ana', date });

describe('a timesheet belongs to a pay period', () => {
  test.each<[string, string, readonly string[], boolean | null]>([
    ['not on another date', '2026-03-09', [], false],
    ['where the answer about it says so', '2026-03-04', ['W1 all'], true],
    ['not where the answer about it says so', '2026-03-04', ['W1 none'], false],
    ['as one of those that the answer names', '2026-03-04', ['W1 1,2/3'], true],
    ['not as one of those that it leaves out', '2026-03-04', ['W1 2/1,3'], false],
    ['or not, where it is later than an answer that names some', '2026-03-04', ['W1 2/3'], null],
    ['not where another period has it', '2026-03-04', ['F1 all'], false],
    ['or not, where nobody was asked', '2026-03-04', [], null],
    ['or not, where it is only known of which it is not', '2026-03-04', ['F1 none'], null],
    ['or not, where the answer was about the period after', '2026-03-04', ['W2 all'], null],
    ['by the later of two answers that claim it', '2026-03-04', ['W1 all 7', 'F1 all 6'], true],
    ['not by the earlier one', '2026-03-04', ['W1 all 6', 'F1 all 7'], false],
    [
      'as before, where a later answer about another one denies it',
      '2026-03-04',
      ['W1 all 6', 'F1 none 7'],
      true,
    ],
  ])('%s', (_, date, lines, expected) => {
    expect(belongsTo(sheet(date), W1, { periods: PERIODS, answers: answersOf(...lines) })).toBe(expected);
  });

  test('on a date that no other period has, whatever was answered', () => {
    const known = { periods: [W1, W2], answers: answersOf('W1 none') };
    expect(belongsTo(sheet('2026-03-04'), W1, known)).toBe(true);
  });

  test('or not, without an employee', () => {
    const known = { periods: PERIODS, answers: answersOf('W1 all') };
    expect(belongsTo({ ...sheet('2026-03-04'), employeeId: null }, W1, known)).toBeNull();
  });

  test.each<[string, readonly string[], readonly string[], boolean]>([
    ['its own', ['W1 all'], ['W1'], true],
    ['all that it may belong to', [], ['W1', 'F1'], false],
    ['those that it is not known not to belong to', ['F1 none'], ['W1'], false],
    ['all on its date where each was denied', ['W1 none', 'F1 none'], ['W1', 'F1'], false],
  ])('and its events name %s', (_, lines, ids, isKnown) => {
    const found = findTimesheetPeriods(sheet('2026-03-04'), {
      periods: PERIODS,
      answers: answersOf(...lines),
    });
    expect([found.periods.map(({ id }) => id), found.isKnown]).toEqual([ids, isKnown]);
  });

  test('a date without any period is known to have none', () => {
    const found = findTimesheetPeriods(sheet('2026-04-01'), { periods: PERIODS, answers: new Map() });
    expect(found).toEqual({ periods: [], isKnown: true });
  });
});

test.each<[string, readonly string[], readonly string[], unknown]>([
  ['all that are known', ['1', '2'], ['1', '2'], 'all'],
  ['all, and some that are not read yet', ['1'], ['1', '9'], 'all'],
  ['some that are not read yet', [], ['9'], 'all'],
  ['nothing', ['1', '2'], [], 'none'],
  ['nothing of nobody', [], [], 'none'],
  ['a part', ['3', '1', '2'], ['2'], { own: ['2'], others: ['1', '3'] }],
  ['only others', ['1'], ['9'], { own: ['9'], others: ['1'] }],
])('an answer that names %s', (_, known, members, expected) => {
  expect(toAnswer(new Set(members), known, 5)).toEqual([5, expected]);
});

test('of two answers about an employee the later one is kept, whichever comes first', () => {
  const answer = (at: number, own: 'all' | 'none') => new Map([['ana', [at, own] as MemberAnswer]]);
  const [early, late] = [answer(1, 'all'), answer(2, 'none')];
  expect(addAnswers(early, late)).toEqual(late);
  expect(addAnswers(late, early)).toEqual(late);
});

test('of more answers than an item holds, those answered longest ago are forgotten', () => {
  const many = new Map(Array.from({ length: 30_005 }, (_, at) => [`e${at}`, [at, 'all'] as MemberAnswer]));
  const kept = addAnswers(new Map(), many);
  expect([kept.size, kept.has('e4'), kept.has('e5')]).toEqual([30_000, false, true]);
});
