import { describe, expect, test } from 'vitest';
import { toShortType } from '#shared/core/event-types.ts';
import { ALERT_TYPES } from '#shared/people/alert.ts';
import { splitStrong } from '#shared/people/layout/strong-text.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { alertOf, describableExample } from '#test/support/example-alert.ts';

const samples = ALERT_TYPES.map(toShortType).flatMap((type) => [
  { channel: 'ids', alert: alertOf(describableExample(type), { names: NO_NAMES }) },
  { channel: 'names', alert: alertOf(describableExample(type)) },
]);

test('every kind of sentence has phrases that stand out, and each of them is in it', () => {
  const missing = samples.filter(({ alert: { line, strong = [] } }) => {
    const shown = splitStrong(line, strong).filter(({ isStrong }) => isStrong);
    return shown.length === 0 || shown.length !== strong.length;
  });
  expect(missing.map(({ alert }) => [alert.type, alert.line, alert.strong])).toEqual([]);
  expect(new Set(samples.map(({ alert }) => alert.type)).size).toBeGreaterThan(20);
});

describe('what stands out', () => {
  test.each([
    ['ids', 'workforce.timesheet.changed', ['employee 1030_1']],
    ['names', 'workforce.timesheet.changed', ['Ana Lee']],
    ['names', 'workforce.pay_period.closed', ['Weekly 9-15 Nov', '3 not approved (23.5 h)']],
    ['names', 'workforce.pay_period.reopened', ['Weekly 9-15 Nov']],
    ['names', 'workforce.pay_period.due', ['Weekly 9-15 Nov', '3 of 135']],
    ['ids', 'workforce.trouble.began', ['timesheets of Wed 11 Nov']],
  ])('in channel %s of %s', (channel, type, strong) => {
    const found = samples.find((each) => each.channel === channel && each.alert.type === type);
    expect(found?.alert.strong).toEqual(strong);
  });
});
