import { expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import { TROUBLE_KINDS } from '#shared/core/events/trouble.ts';
import { describeSample, troubleData } from '#test/support/alert-samples.ts';
import { say } from './sample-sentences.ts';

/** What else can be told of the watching and the delivering than the samples show. */

test('a list that comes whole is watched without dates', () => {
  const data = { feed: 'pay-periods', from: 'all', to: 'all', records: 26 };
  expect(say(exampleEvent('workforce.baseline.completed', { data }))).toBe(
    'The pay periods of main are now watched. Every change to them (26) is reported from now on.',
  );
});

test.each(TROUBLE_KINDS)('%s is told with its cause and what to do, to those who look for it', (kind) => {
  const data = troubleData(kind, 'trouble.began');
  const line = describeSample('trouble.began', { data });
  expect(line).toContain(` Cause: ${String(data.cause)}. ${String(data.action)}`);
  expect(describeSample('trouble.began', { data, isForPay: true })).toBe(line.replace(/ Cause: .*/, ''));
});

test('a trouble of a kind that a later version adds has its name', () => {
  const data = { ...troubleData('feed_late', 'trouble.began'), kind: 'clock_wrong' };
  expect(describeSample('trouble.began', { data, isForPay: true })).toBe(
    'Trouble: clock_wrong. It began at 17:00.',
  );
});
