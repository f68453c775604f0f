import { describe, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findTightObjectives, readObjectives } from '#shared/config/schema/objectives.ts';
import { checkObjectives } from '#shared/operator/doctor/run-checks.ts';
import { CONNECTION } from '#test/infra/synthesized.ts';

const parse = (objectives: object) =>
  parseNotifierConfig({ connections: [CONNECTION], objectives }).objectives;

describe('an objective', () => {
  test.each([
    ['10s', 10],
    ['60s', 60],
    ['2m', 120],
    ['24h', 86_400],
  ])('of %s is %d seconds', (text, seconds) => {
    expect(readObjectives(parse({ clockings: text }))).toEqual({ clockings: seconds });
  });

  test.each(['9s', '0m', '25h', '2 m', '60', '1d', '-5m', '1.5m', 'soon', ''])('is not %j', (clockings) => {
    expect(() => parse({ clockings })).toThrow(
      `objectives.clockings: an objective is a number with s, m or h, from 10s, the shortest time between two looks at a date, to 24h; such as 60s or 2m, got ${JSON.stringify(clockings)}`,
    );
  });

  test('is of a class that there is, and not without one', () => {
    expect(() => parse({ clocking: '60s' })).toThrow(
      'objectives: unknown setting "clocking"; did you mean clockings?',
    );
    expect(() => parse({})).toThrow(
      'objectives: objectives names no class; set one of clockings, approvals,',
    );
  });
});

test('there is none by default', () => {
  expect(parseNotifierConfig({ connections: [CONNECTION] })).not.toHaveProperty('objectives');
  expect(readObjectives(undefined)).toEqual({});
});

describe('an objective is shorter than the time between two looks', () => {
  const find = (objectives: object, everyMinutes = 1) => {
    const schedules = { timesheets: { everyMinutes }, 'pay-periods': { everyMinutes } };
    return findTightObjectives(parseNotifierConfig({ connections: [CONNECTION], objectives, schedules }));
  };

  test.each([
    [{ clockings: '59s' }, 1, '59s is short: they are read every minute', 'use at least 1m'],
    [{ clockings: '2m' }, 5, '2m is short: they are read every 5 minutes', 'use at least 5m'],
    [
      { changes: '29m' },
      1,
      '29m is short: dates before yesterday are read every 5 to 29 minutes',
      'use at least 30m',
    ],
    [
      { 'pay-periods': '5m' },
      1,
      '5m is short: a closing waits up to 5 minutes until its dates are counted',
      'use at least 6m',
    ],
  ])('%j, polled every %d minutes', (objectives, everyMinutes, says, mend) => {
    const [name = ''] = Object.keys(objectives);
    expect(find(objectives, everyMinutes)).toEqual([{ path: `objectives.${name}`, says, mend }]);
  });

  test('not if it is as long', () => {
    expect(find({ clockings: '60s', approvals: '30m', processing: '1h', 'pay-periods': '6m' })).toEqual([]);
    expect(findTightObjectives(parseNotifierConfig({ connections: [CONNECTION] }))).toEqual([]);
  });

  test('which doctor says', () => {
    const config = parseNotifierConfig({ connections: [CONNECTION], objectives: { clockings: '30s' } });
    expect(checkObjectives({ config })).toEqual([
      {
        about: 'objectives.clockings',
        outcome: 'warning',
        says: '30s is short: they are read every minute',
        mend: 'use at least 1m, and deploy',
      },
    ]);
  });
});
