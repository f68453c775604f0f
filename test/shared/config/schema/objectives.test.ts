import { describe, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readObjectives } from '#shared/config/schema/objectives.ts';
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
