import { describe, expect, test } from 'vitest';
import type { Account, Reserve } from '#shared/core/periods/account-data.ts';
import { listChangedTimesheets } from '#shared/people/messages/account-details.ts';
import { listReserves, sayVerdict, toldAccountSchema } from '#shared/people/messages/account-sentences.ts';
import { ALL_NAMES, closing, heading, NOT_YET, say, TO_PAY } from './sample-sentences.ts';

/** Thu 5 Mar, 14:01. */
const READER = { timeZone: 'Pacific/Auckland', now: Date.parse('2026-03-05T01:01:00Z') };
const DATES = { from: '2026-03-05', to: '2026-03-06' };
const NONE = { people: 0, timesheets: 0, hours: 0 };
const DIFFERENCE = { timesheets: -1, employees: 2, hours: -7.5 };

describe('whether payroll may be run', () => {
  test.each<[Partial<Account>, string]>([
    [{}, 'Pay 1,204.25 h now'],
    [{ ready: NONE, timesheets: 0 }, 'Nothing to pay'],
    [NOT_YET, 'Not yet: 12 not approved (90 h)'],
    [{ state: 'open', verdict: 'not_yet' }, 'Not yet: still open'],
    [
      { ...NOT_YET, state: 'open', closesAt: '2026-03-05T02:30:00.000Z' },
      'Not yet: 12 not approved (90 h); closes today 15:30',
    ],
    [
      { ...NOT_YET, state: 'open', closesAt: '2026-03-06T02:30:00.000Z' },
      'Not yet: 12 not approved (90 h); closes Fri 6 Mar 15:30',
    ],
    [
      { state: 'open', verdict: 'not_yet', closesAt: '2026-03-05T00:30:00.000Z' },
      'Not yet: still open; was to close today 13:30',
    ],
    [
      { ...NOT_YET, state: 'reopened', since: '2026-03-04T21:02:00.000Z' },
      'Not yet: reopened Thu 5 Mar 10:02; 12 not approved (90 h)',
    ],
    [{ state: 'reopened', since: null, verdict: 'not_yet' }, 'Not yet: reopened'],
    [
      { verdict: 'not_yet', reserves: [{ kind: 'dates_unread', dates: DATES, timesheets: null }] },
      'Not yet: dates of 5-6 Mar are not read',
    ],
    [{ verdict: 'not_yet' }, 'Not yet'],
  ])('is said of %j: %s', (account, verdict) => {
    expect(sayVerdict({ ...TO_PAY, ...account }, READER)).toBe(verdict);
  });

  test('is said later with the day', () => {
    const account = { ...TO_PAY, ...NOT_YET, state: 'open', closesAt: '2026-03-05T02:30:00.000Z' };
    expect(sayVerdict(account, { ...READER, isHeld: true })).toBe(
      'Not yet: 12 not approved (90 h); closes Thu 5 Mar 15:30',
    );
  });
});

describe('what is in doubt', () => {
  const one = { from: DATES.from, to: DATES.from };

  test.each<[Partial<Reserve> | { readonly kind: string }, string]>([
    [{ kind: 'dates_unread', dates: one }, '5 Mar is not read'],
    [{ kind: 'dates_failing', dates: DATES }, 'dates of 5-6 Mar cannot be read now'],
    [{ kind: 'dates_doubtful', dates: one }, '5 Mar lost much at once and is being checked'],
    [{ kind: 'dates_before_closing', dates: DATES }, 'dates of 5-6 Mar were last read before it closed'],
    [{ kind: 'records_unreadable', timesheets: 2 }, '2 timesheets cannot be read'],
    [{ kind: 'members_unknown', timesheets: 1 }, '1 more timesheet may belong to it'],
    [{ kind: 'members_unknown', timesheets: 3 }, '3 more timesheets may belong to it'],
    [
      { kind: 'totals_differ' },
      'the totals differ (Acme has 7.5 h more, 1 timesheet more and 2 people fewer)',
    ],
    [{ kind: 'period_unlisted' }, 'Acme does not list it now'],
    [{ kind: 'moon_full' }, 'it is in doubt (moon full)'],
  ])('of %j: %s', (reserve, words) => {
    const reserves = [{ dates: null, timesheets: null, ...reserve }];
    const account = toldAccountSchema.parse({ ...TO_PAY, difference: DIFFERENCE, reserves });
    expect(listReserves(account, { ...READER, serviceName: 'Acme' })).toEqual([words]);
  });
});

describe('the heading of a closing', () => {
  const reserves = [{ kind: 'totals_differ', dates: null, timesheets: null }] as const;

  test.each<[Partial<Account>, string]>([
    [{}, 'Pay 1,204.25 h for Weekly 2-8 Mar (31 people)'],
    [{ ready: NONE, timesheets: 0 }, 'Nothing to pay for Weekly 2-8 Mar'],
    [NOT_YET, 'Check 12 of 154 before you pay Weekly 2-8 Mar (1,114.25 h ready, 90 h not)'],
    [
      { verdict: 'not_yet', reserves: [...reserves] },
      'Check Weekly 2-8 Mar before you pay 1,204.25 h: the totals differ',
    ],
  ])('of %j says what to do: %s', (account, words) => {
    expect(heading(closing(account))).toBe(words);
  });
});

describe('what changed since it was told', () => {
  const listed = (reason: string, difference: number, more: object = {}) => ({
    ...{ timesheetId: '1_7', employeeId: '2001_7', departmentId: '501_7', date: '2026-03-05', reason },
    ...{ was: 0, now: 1, difference, isOpen: false, ...more },
  });
  const changes = {
    ...{ since: '2026-03-04T21:30:00.000Z', verdict: 'pay', readyHours: 1_201.25, timesheets: 8, hours: 3 },
    ...{ open: { timesheets: 0, hours: 0 }, complete: true },
    listed: [
      listed('approved', 8),
      listed('revoked', -8),
      listed('added', 7.5),
      listed('removed', -7.5, { employeeId: null, date: null, now: null }),
      listed('changed', 1),
      listed('moved', 4, { was: null, employeeId: '2002_7' }),
      listed('moved', -2, { now: null, employeeId: null, date: null }),
    ],
  };

  test('stands below, timesheet by timesheet, with why, and as part of the figures', () => {
    const account = toldAccountSchema.parse({ ...TO_PAY, changes });
    expect(listChangedTimesheets(account, { ...READER, names: ALL_NAMES }).map(({ text }) => text)).toEqual([
      'Since Thu 5 Mar 10:30, in these figures: +3 h in 8 timesheets',
      'Ana Lee Thu 5 Mar: +8 h, approved',
      'Ana Lee Thu 5 Mar: -8 h, approval revoked',
      'Ana Lee Thu 5 Mar: +7.5 h, added',
      'Timesheet 1_7: -7.5 h, removed',
      'Ana Lee Thu 5 Mar: +1 h, changed',
      'Ben Fox Thu 5 Mar: +4 h, moved from another period',
      'Timesheet 1_7: -2 h, moved to another period',
      '1 more',
    ]);
  });

  test('makes it a closing again', () => {
    const event = closing(toldAccountSchema.parse({ ...TO_PAY, changes }) as Account);
    expect(say(event)).toBe(
      'Pay period Weekly 2-8 Mar closed again. Pay 1,204.25 h now (154 timesheets of 31 people); +3 h in 8 timesheets since the last figures.',
    );
    expect(heading(event)).toBe('Pay 1,204.25 h for Weekly 2-8 Mar (31 people), +3 h since the last figures');
  });
});
