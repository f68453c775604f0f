import { expect, test } from 'vitest';
import { compareWithClosing } from '#shared/core/events/lateness.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { knownPeriod } from '#test/support/builders.ts';

/** Times of the 9th, such as `10:05`; `-` for none. */
const at = (time: string) => (time === '-' ? null : Date.parse(`2026-03-09T${time}Z`));

/** A change that two looks saw between these times, with its stamp. */
function order(change: string, closing: Partial<KnownPeriod>, timeZone = 'UTC') {
  const [stamp = '-', after = '10:05:00', by = '10:15:00'] = change.split(' ');
  const observed = { after: at(after), by: at(by) ?? 0 };
  return compareWithClosing(
    { observed, stampedAt: at(stamp), timeZone },
    knownPeriod({ closed: true, ...closing }),
  );
}

/** Looks saw the period open, and then closed, at these times. */
function seen(after: string, by: string, closedStamp: string | null = '2026-03-09'): Partial<KnownPeriod> {
  return { closedStamp, closedBetween: { after: at(after), by: at(by) ?? 0 } };
}
const SEEN = seen('10:10:30', '10:11:30');
const INSTANT = seen('10:10:30', '10:11:30', '2026-03-09T10:11:12.500Z');
const SECOND = seen('10:10:30', '10:11:30', '2026-03-09T10:11:12Z');
const unseen = (closedStamp: string | null) => ({ closedBetween: null, closedStamp });

test.each<[string, string, Partial<KnownPeriod>, string]>([
  ['before a closing that its stamp precedes, however late it was read', '10:10:12', SEEN, 'before'],
  ['by its second', '10:10:29', SEEN, 'before'],
  ['or not: a whole second may be any moment of it', '10:10:30', SEEN, 'unknown'],
  ['or not, between the looks', '10:11:29', SEEN, 'unknown'],
  ['after it', '10:11:30', SEEN, 'after'],
  ['before the stamp of the closing, where that is an instant', '10:11:12.500', INSTANT, 'before'],
  ['after it', '10:11:12.501', INSTANT, 'after'],
  ['before it, by the looks', '- 10:05:00 10:11:12.500', INSTANT, 'before'],
  ['after it, by the looks', '- 10:11:12.500', INSTANT, 'after'],
  ['or not, without a stamp', '-', INSTANT, 'unknown'],
  ['before the second that the closing names', '10:11:11', SECOND, 'before'],
  ['or not, in that second', '10:11:12', SECOND, 'unknown'],
  ['or not, at a moment of it', '10:11:12.416', SECOND, 'unknown'],
  ['after it', '10:11:13', SECOND, 'after'],
  ['before the look that saw it open, where nothing has a stamp', '- 10:05:00 10:10:30', SEEN, 'before'],
  ['or not, a second later', '- 10:05:00 10:10:31', SEEN, 'unknown'],
  ['or not, a second before the other', '- 10:11:29', SEEN, 'unknown'],
  ['after the look that saw it closed', '- 10:11:30', SEEN, 'after'],
  ['or not, where nobody had looked before', '- -', SEEN, 'unknown'],
  ['or not, of a period that nobody saw open', '- 10:05:00 10:01:00', seen('-', '10:11:30'), 'unknown'],
  // It was still missing when the period had closed: nobody who closed it can have counted it.
  ['after it, when looks saw it, whatever its stamp', '09:00:00 10:12:00', SEEN, 'after'],
  // The period was still open after what would be the moment of its closing.
  [
    'before it, whatever stamp of it',
    '10:10:12',
    seen('10:10:30', '10:11:30', '2026-03-09T08:00:00Z'),
    'before',
  ],
  ['after it by a clock that is ahead', '10:15:50', SEEN, 'after'],
  ['or not, by one too far ahead', '10:16:01', SEEN, 'unknown'],
  ['after a closing of a later day that looks did not see', '- 10:00:00', unseen('2026-03-10'), 'after'],
  ['or not, of the same day', '- 10:00:00', unseen('2026-03-09'), 'unknown'],
  ['or not, of its midnight', '- 10:00:00', unseen('2026-03-09T00:00:00Z'), 'unknown'],
  ['after one of the day before', '- 10:00:00', unseen('2026-03-08'), 'after'],
  ['before one by its instant', '10:11:11', unseen('2026-03-09T10:11:12Z'), 'before'],
  ['after one without a stamp', '-', unseen(null), 'after'],
  ['or not, where its stamp is none', '- -', unseen('closed'), 'unknown'],
  ['after a closing whose instants are ahead of now', '-', seen('10:10:30', '10:17:00', null), 'after'],
])('a change came %s', (_, change, closing, expected) => {
  expect(order(change, closing)).toBe(expected);
});

test('a local stamp of a closing is of the zone of the connection', () => {
  const local = seen('10:10:30', '10:11:30', '2026-03-09T23:11:12');
  expect(order('10:11:13', local, 'Pacific/Auckland')).toBe('after');
});
