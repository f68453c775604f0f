import { describe, expect, test } from 'vitest';
import type { Reserve, ReserveKind } from '#shared/core/periods/account-data.ts';
import type { PeriodMemory } from '#shared/core/periods/period-memory.ts';
import { findDeadline, findDueMoment, isClosingToWait, isReminderToWait } from '#shared/period/moments.ts';
import type { DateView } from '#shared/period/view.ts';
import { accountOf } from '#test/support/account.ts';
import { DAY_MS, knownPeriod, MINUTE_MS } from '#test/support/builders.ts';

const SEEN = Date.parse('2026-03-09T01:30:00Z');
const WINDOW = { from: '2026-03-03', to: '2026-03-20' };
const MEMORY: PeriodMemory = {
  ...{ told: 'closed', at: SEEN, closedAt: SEEN, closings: 1, count: null },
  ...{ hasReserve: false, differsSince: null },
};

function date(values: Partial<DateView> = {}): DateView {
  return { date: '2026-03-04', lookedAt: SEEN, doubtSince: null, isFailing: false, unlisted: [], ...values };
}

describe('a closing waits', () => {
  test.each<[string, Partial<DateView>, number, boolean]>([
    ['for nothing where all was read since', {}, 0, false],
    ['for a date that was read before it', { lookedAt: SEEN - 1 }, 0, true],
    ['for a date that was never read', { lookedAt: null }, 4 * MINUTE_MS, true],
    ['for a date in doubt', { doubtSince: SEEN }, 0, true],
    ['not for one that is not watched any more', { date: '2026-03-02', lookedAt: 0 }, 0, false],
    ['five minutes at most', { lookedAt: null }, 5 * MINUTE_MS, false],
  ])('%s', (_, values, ms, expected) => {
    expect(isClosingToWait([date(values)], { seenAt: SEEN, window: WINDOW, now: SEEN + ms })).toBe(expected);
  });
});

test.each<[string, readonly (number | null)[], boolean]>([
  ['waits for nothing', [null, null], false],
  ['waits for a doubt', [null, SEEN - MINUTE_MS], true],
  ['waits ten minutes for it at most', [SEEN - 10 * MINUTE_MS], false],
  ['waits no longer for two of which one does not end', [SEEN, SEEN - 10 * MINUTE_MS], false],
])('a reminder %s', (_, doubts, expected) => {
  expect(
    isReminderToWait(
      doubts.map((doubtSince) => date({ doubtSince })),
      SEEN,
    ),
  ).toBe(expected);
});

describe('a period is settled whatever is processed', () => {
  const own = { id: 'W1', calendar: 'Weekly', finishDate: '2026-03-08', memory: MEMORY };
  const next = knownPeriod({ id: 'W2', calendar: 'Weekly', startDate: '2026-03-09', closed: true });
  test.each<[string, readonly (typeof next)[], number, string | null]>([
    ['when the next one of its calendar is told closed', [next], SEEN, 'next_closing'],
    ['not by one of another calendar', [{ ...next, calendar: 'Monthly' }], SEEN, null],
    ['not by one that is not told closed', [{ ...next, closed: false }], SEEN, null],
    ['not by one before it', [{ ...next, startDate: '2026-03-01' }], SEEN, null],
    ['after 35 days', [], SEEN + 35 * DAY_MS, 'age'],
  ])('%s', (_, periods, now, expected) => {
    expect(findDeadline(own, periods, now)).toBe(expected);
  });
});

const HOURS_MS = 6 * 60 * MINUTE_MS;

/** `all`: everything is processed; and what of it is in doubt. */
test.each<[string, string, Partial<PeriodMemory>, Partial<Parameters<typeof findDueMoment>[1]>, unknown]>([
  ['nothing, while something is not processed', '', {}, {}, null],
  ['settling, when all is', 'all', {}, {}, 'processed'],
  ['settling, when the next one closed', '', {}, { deadline: 'next_closing' }, 'next_closing'],
  ['nothing, while much is in doubt', 'all dates_doubtful', {}, { deadline: 'next_closing' }, null],
  ['nothing, while members are not known', 'all members_unknown', {}, {}, null],
  ['settling, though dates were read before it', 'all dates_before_closing', {}, {}, 'processed'],
  ['nothing, while a watched date was not read since it closed', 'all', {}, { isRead: false }, null],
  ['a note, when only the totals differ', 'all totals_differ', {}, {}, 'differs'],
  ['nothing, while they differ', 'all totals_differ', { differsSince: SEEN - HOURS_MS + 1 }, {}, null],
  ['settling after six hours', 'all totals_differ', { differsSince: SEEN - HOURS_MS }, {}, 'processed'],
  ['a recount, when its reserve ended', '', { hasReserve: true }, {}, 'recounted'],
  ['nothing, while a reserve lasts', 'some records_unreadable', { hasReserve: true }, {}, null],
  ['settling before a recount', 'all', { hasReserve: true }, {}, 'processed'],
])('what is due of a closed period: %s', (...row) => {
  const [, counted, memory, context, expected] = row;
  const [processed, ...kinds] = counted.split(' ');
  const reserves = kinds.map(
    (kind): Reserve => ({ kind: kind as ReserveKind, dates: null, timesheets: null }),
  );
  const account = accountOf({ reserves, ...(processed === 'all' ? { unprocessed: 0 } : {}) });
  const known = { memory: { ...MEMORY, ...memory }, deadline: null, isRead: true, now: SEEN, ...context };
  const due = findDueMoment(account, known);
  expect(due.moment === 'settled' ? due.settledBy : due.moment).toBe(expected);
});
