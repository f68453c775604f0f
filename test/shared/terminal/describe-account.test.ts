import { expect, test } from 'vitest';
import { formatHistory } from '#cli/record-history.ts';
import type { FoundRecord } from '#shared/operator/find-record.ts';
import type { Target } from '#shared/operator/target.ts';
import { describeAccount } from '#shared/terminal/describe-account.ts';
import { exampleEvent } from '#test/support/example-event.ts';

const SAMPLE = JSON.stringify(exampleEvent('workforce.pay_period.due'));
const SAID = 'reminder 2h before 2026-11-17 10:30:00: Not yet: 3 not approved (23.5 h); closes today 10:30';

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

test('the history of a period has its reminders', () => {
  const event = JSON.parse(SAMPLE) as object;
  const found = {
    ...{ connection: 'main', timeZone: 'Pacific/Auckland', feed: 'pay-periods', record: '9019_1' },
    ...{
      chapters: [{ event, committedAt: '', published: true, deliveries: [] }],
      state: null,
      sequence: null,
    },
  } as unknown as FoundRecord;
  const target = { config: { queues: [], webhooks: [] } } as unknown as Target;
  expect(formatHistory(found, target).map((line) => line.trim())).toContain(SAID);
});
