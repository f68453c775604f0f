import { expect, test } from 'vitest';
import { formatHistory } from '#cli/record-history.ts';
import { exampleEvent } from '#kit/testing/example-event.ts';
import type { FoundRecord } from '#shared/operator/find-record.ts';
import type { Target } from '#shared/operator/target.ts';
import { describeEvent } from '#shared/terminal/describe-event.ts';
import { describeReadiness } from '#shared/terminal/describe-readiness.ts';

const SAMPLE = JSON.stringify(exampleEvent('workforce.pay_period.readiness'));
const SAID = 'reminder 2h before 2026-11-17 10:30:00: 3 of 135 not approved, 23.5 h';

test('a reminder says which one it is, and what was open', () => {
  expect(describeEvent(SAMPLE, 'Pacific/Auckland')).toMatchObject({
    when: '2026-11-17 08:30:00',
    who: '9019_1',
    what: SAID,
    context: '2026-11-09 to 2026-11-15',
  });
});

test('a daily summary says its time of day', () => {
  const { data } = JSON.parse(SAMPLE) as { readonly data: object };
  expect(describeReadiness({ ...data, deadline: null, reminder: null, summaries: ['08:00'] }, 'UTC')).toBe(
    'daily summary of 08:00: 3 of 135 not approved, 23.5 h',
  );
  expect(describeReadiness({ current: null }, 'UTC')).toBe(null);
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
