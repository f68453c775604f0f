import { expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import { describeAccount } from '#shared/terminal/describe-account.ts';
import { describeEvent } from '#shared/terminal/describe-event.ts';

const SAMPLE = JSON.stringify(exampleEvent('workforce.pay_period.due'));
const SAID = 'reminder 2h before 2026-11-17 10:30:00: Not yet: 3 not approved (23.5 h); closes today 10:30';

test('a reminder says which one it is, and what was open', () => {
  expect(describeEvent(SAMPLE, 'Pacific/Auckland')).toMatchObject({
    when: '2026-11-17 08:30:00',
    who: '9019_1',
    what: SAID,
    context: '2026-11-09 to 2026-11-15',
  });
});

test('a daily summary says its time of day', () => {
  const summary = exampleEvent('workforce.pay_period.due', {
    data: { account: { closesAt: null }, reminder: null, summaries: ['08:00'] },
  });
  expect(describeAccount(summary, 'UTC')).toBe('daily summary of 08:00: Not yet: 3 not approved (23.5 h)');
});

test('what a period came to is its verdict, and what changed', () => {
  const settled = exampleEvent('workforce.pay_period.settled');
  expect(describeAccount(settled, 'UTC')).toBe(
    'Pay 1,012 h in all; +25 h in 3 timesheets since the last figures',
  );
  expect(describeAccount(exampleEvent('workforce.pay_period.created'), 'UTC')).toBeNull();
  expect(describeAccount({ ...settled, data: { account: null } }, 'UTC')).toBeNull();
});
