import { expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import { TROUBLE_KINDS } from '#shared/core/trouble-kinds.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { toSentence } from '#shared/people/words/sentences.ts';
import { describableExample, troubleData } from '#test/support/example-alert.ts';
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
  const line = describe({ data });
  expect(line).toContain(` Cause: ${String(data.cause)}. ${String(data.action)}`);
  expect(describe({ data }, true)).toBe(line.replace(/ Cause: .*/, ''));
});

test('a trouble of a kind that a later version adds has its name', () => {
  const data = { ...troubleData('feed_late', 'trouble.began'), kind: 'clock_wrong' };
  expect(describe({ data }, true)).toBe('Trouble: clock_wrong. It began at 17:00.');
});

function describe(members: { readonly data: Readonly<Record<string, unknown>> }, isForPay = false): string {
  const audience = { timeZone: 'Pacific/Auckland', namesConnection: false, names: NO_NAMES, isForPay };
  return toSentence(describableExample('trouble.began', members), audience);
}
