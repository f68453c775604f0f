import { expect, test } from 'vitest';
import { checkForm } from '#shared/core/compare/source-form.ts';
import { createScan, timesheet } from '#test/support/builders.ts';

test('what was good and what was bad is so again when it comes again', () => {
  const records = [timesheet({ id: '1_7' }), timesheet({ id: '2_7', hoursToPay: 'eight' })];
  for (let time = 0; time < 3; time += 1) {
    const { invalid } = checkForm(createScan(records), new Map());
    expect([...invalid.values()].map(({ id, issues }) => [id, issues])).toEqual([['2_7', ['hoursToPay']]]);
  }
});

test('a record that was good is checked again when it has changed', () => {
  const check = (hoursToPay: unknown) =>
    checkForm(createScan([timesheet({ id: '3_7', hoursToPay })]), new Map()).invalid.size;
  expect([check(8), check('8'), check(8), check(null)]).toEqual([0, 1, 0, 1]);
});
