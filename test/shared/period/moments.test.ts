import { describe, expect, test } from 'vitest';
import type { Account, Reserve, ReserveKind } from '#shared/core/periods/account-data.ts';
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

describe('what is due of a closed period', () => {
  const reserve = (kind: ReserveKind): Reserve => ({ kind, dates: null, timesheets: null });
  const all: Partial<Account> = { unprocessed: 0 };
  const HOURS_MS = 6 * 60 * MINUTE_MS;
  const known = (values: Partial<PeriodMemory>, deadline: 'next_closing' | null = null) => ({
    memory: { ...MEMORY, ...values },
    ...{ deadline, isRead: true, now: SEEN },
  });
  const differing = { ...all, reserves: [reserve('totals_differ')] };
  test.each<[string, Partial<Account>, ReturnType<typeof known>, unknown]>([
    ['nothing, while something is not processed', {}, known({}), null],
    ['settling, when all is', all, known({}), 'processed'],
    ['settling, when the next one closed', {}, known({}, 'next_closing'), 'next_closing'],
    [
      'nothing, while much is in doubt',
      { ...all, reserves: [reserve('dates_doubtful')] },
      known({}, 'next_closing'),
      null,
    ],
    [
      'nothing, while members are not known',
      { ...all, reserves: [reserve('members_unknown')] },
      known({}),
      null,
    ],
    [
      'settling, though dates were read before it',
      { ...all, reserves: [reserve('dates_before_closing')] },
      known({}),
      'processed',
    ],
    [
      'nothing, while a watched date was not read since it closed',
      all,
      { ...known({}), isRead: false },
      null,
    ],
    ['a note, when only the totals differ', differing, known({}), 'differs'],
    ['nothing, while they differ for hours', differing, known({ differsSince: SEEN - HOURS_MS + 1 }), null],
    [
      'settling all the same after six hours',
      differing,
      known({ differsSince: SEEN - HOURS_MS }),
      'processed',
    ],
    ['a recount, when its reserve ended', {}, known({ hasReserve: true }), 'recounted'],
    [
      'nothing, while a reserve lasts',
      { reserves: [reserve('records_unreadable')] },
      known({ hasReserve: true }),
      null,
    ],
    ['settling before a recount', all, known({ hasReserve: true }), 'processed'],
  ])('%s', (_, values, context, expected) => {
    const due = findDueMoment(accountOf(values), context);
    expect(due.moment === 'settled' ? due.settledBy : due.moment).toBe(expected);
  });
});
