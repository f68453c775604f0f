import { expect, test } from 'vitest';
import { instantsOf } from './oracle/local-time.ts';

test.each([
  ['some hours after clocks were set back', '2027-10-31T05:57:59', ['05:57:59']],
  ['in the hour that occurs twice', '2027-10-31T01:30:00', ['00:30:00', '01:30:00']],
  ['some hours after clocks were set forward', '2027-03-28T05:00:00', ['04:00:00']],
  ['in the hour that is skipped', '2027-03-28T01:30:00', ['01:30:00']],
])('a time %s', (_, text, times) => {
  const shown = instantsOf(text, 'Europe/London').map((instant) => new Date(instant).toISOString());
  expect(shown.map((instant) => instant.slice(11, 19)).sort()).toEqual(times);
});
