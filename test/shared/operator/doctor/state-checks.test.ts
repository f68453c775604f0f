import { describe, expect, test } from 'vitest';
import { listDates } from '#shared/core/dates.ts';
import { REASONS } from '#shared/core/outcome/reasons.ts';
import { createHead, type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import { type ConnectionState, EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import { checkTroubles, judgePolls, judgeWatermark } from '#shared/operator/doctor/state-checks.ts';
import type { Progressed } from '#shared/operator/progress.ts';
import type { Target } from '#shared/operator/target.ts';

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-03-05T12:00:00Z');
const WINDOW = { backDays: 5, forwardDays: 2 };
const DATES = listDates({ from: '2026-02-28', to: '2026-03-07' });
const OPEN = [{ from: '2026-03-02', to: '2026-03-08' }];
const SINCE = '2026-03-05T11:00:00.000Z';
const HOUR_AGO = Date.parse(SINCE);

describe('the polls of a connection', () => {
  const says =
    'hot dates 1 min ago (every 1 min), dates of open pay periods 4 min ago (every 5 min), other dates 25 min ago (every 30 min), pay-periods less than a minute ago (every 1 min)';

  test('are in order when each kind of date is looked at in time', () => {
    expect(judge()).toEqual({ about: 'polls', outcome: 'ok', says: `${says}; no events waiting` });
  });

  const waiting = { topics: { timesheets: { logged: 'b', published: 'a' } } };
  const unreachable = { polls: 3, since: HOUR_AGO, code: 'source_unreachable' } as const;
  const late = {
    outcome: 'warning',
    says: expect.stringContaining(
      ': hot dates, dates of open pay periods, pay-periods late; the source takes 2.0 requests a second',
    ),
    mend: expect.stringContaining('requests.maxPerSecond'),
  };
  const silent = { outcome: 'warning', mend: expect.stringContaining('poll-silent') };
  const down = `the source has been unreachable since ${SINCE} (source_unreachable)`;
  test.each<[string, Partial<ConnectionState>, Seen, object]>([
    ['the source does not answer', { unreachable }, {}, { outcome: 'wrong', says: down }],
    ['events wait', waiting, {}, { outcome: 'warning', says: `${says}; events wait for timesheets` }],
    ['no poll runs', {}, { minutes: 300 }, silent],
    ['only some dates are late', { pace: 2 }, { minutes: 16 }, late],
    ['npm start was stopped', {}, { minutes: 300, isStopped: true }, { outcome: 'ok' }],
    ['the company lives 600 times as fast', {}, { minutes: 300, speed: 600 }, { outcome: 'ok' }],
    ['the clock is behind that of the polls', {}, { minutes: -300 }, { outcome: 'ok' }],
  ])('are judged where %s', (_, state, { minutes = 0, ...target }, expected) => {
    expect(judge({ state: stateOf(state, minutes) }, target)).toMatchObject(expected);
  });

  test('say how far the first read is', () => {
    const unread = { baselinedAt: null };
    const heads = headsOf({ '2026-03-04': unread, '2026-03-01': unread, '2026-02-28': unread });
    expect(judge({ heads })).toMatchObject({
      outcome: 'warning',
      says: 'the first read has 2 of 3 hot dates, 0 of 2 other dates',
    });
  });
});

describe('what keeps changes from being told', () => {
  const check = (state: Partial<ConnectionState>, heads = headsOf({})) =>
    checkTroubles('main', progressed({ state: stateOf(state), heads }));

  test('is nothing in order', () => {
    expect(check({})).toEqual([]);
  });

  test('is named: dates that fail, with their next attempt', () => {
    const failing = Object.fromEntries(
      DATES.map((slice, n) => [
        nameSlice({ feed: 'timesheets', slice }),
        { since: HOUR_AGO, attempts: n + 1, nextAt: NOW, code: 'source_failed' } as const,
      ]),
    );
    const [found, ...others] = check({ failing });
    expect([others, found?.about, found?.outcome]).toEqual([[], 'unreadable dates of main', 'warning']);
    const { says } = REASONS.source_failed;
    expect(found?.says).toContain(
      `timesheets#2026-02-28: ${says}, 1 attempt since 2026-03-05T11:00:00.000Z, next at 2026-03-05T12:00`,
    );
    expect(found?.says).toMatch(/ \| and 3 more$/);
  });

  const doubt = { since: HOUR_AGO, after: null, records: 40, losses: [] };
  const bad = { since: HOUR_AGO, count: 3, ids: ['1_1', '2_1'], cause: 'size' };
  test.each<[string, Partial<Head>, string]>([
    ['doubtful dates', { doubt }, `40 since ${SINCE}`],
    ['unreadable records', { bad }, `3 since ${SINCE}, such as 1_1, 2_1`],
  ])('is named: %s', (what, head, says) => {
    expect(check({}, headsOf({ '2026-03-05': head }))).toEqual([
      expect.objectContaining({ about: `${what} of main`, says: `timesheets#2026-03-05: ${says}` }),
    ]);
  });

  test('is named: troubles that were told', () => {
    const trouble = { kind: 'feed_late', feed: 'timesheets', subject: 'timesheets', about: [] } as const;
    expect(check({ troubles: [{ ...trouble, since: HOUR_AGO }] })).toEqual([
      expect.objectContaining({ says: `feed_late timesheets since ${SINCE}` }),
    ]);
  });
});

describe('the watermark of a feed', () => {
  const last = { id: 'a1', at: HOUR_AGO, count: 2, digest: '' };
  test.each([
    ['was told', last, 15, { outcome: 'ok', says: `told at ${SINCE}, 2 events since` }],
    ['does not come any more', last, 16, { outcome: 'warning', says: `told at ${SINCE}, 2 events since` }],
    ['was never told', null, 0, { outcome: 'warning', says: 'none was told yet' }],
  ])('that %s', (_, told, minutes, expected) => {
    const now = HOUR_AGO + minutes * MINUTE_MS;
    expect(judgeWatermark('watermark', told, { now, speed: 1 })).toMatchObject(expected);
  });
});

/** How long ago all was looked at, and how fast time goes. */
type Seen = Partial<Pick<Target, 'speed' | 'isStopped'>> & { readonly minutes?: number };

function judge(values: Partial<Progressed> = {}, target: Partial<Target> = {}) {
  return judgePolls('polls', progressed(values), { speed: 1, ...target });
}

function progressed(values: Partial<Progressed>): Progressed {
  const connection = { timeZone: 'UTC', window: WINDOW };
  const feeds = ['timesheets', 'pay-periods'] as const;
  return { state: stateOf({}), heads: headsOf({}), connection, feeds, now: NOW, ...values };
}

/** All looked at in time, so many minutes ago. */
function stateOf(changed: Partial<ConnectionState>, minutes = 0): ConnectionState {
  const agoOf = (date: string) => {
    if (date < '2026-03-02') return 25;
    return '2026-03-04' <= date && date <= '2026-03-06' ? 1 : 4;
  };
  const looks = DATES.map((date) => [`timesheets#${date}`, NOW - (agoOf(date) + minutes) * MINUTE_MS]);
  const lookedAt = { ...Object.fromEntries(looks), 'pay-periods#all': NOW - minutes * MINUTE_MS };
  return { ...EMPTY_STATE, lookedAt, ...changed };
}

function headsOf(changed: Readonly<Record<string, Partial<Head>>>): Head[] {
  const dates = DATES.map((slice) => ({ ...createHead({ feed: 'timesheets', slice }), baselinedAt: 1 }));
  const list = { ...createHead({ feed: 'pay-periods', slice: 'all' }), baselinedAt: 1, openDates: OPEN };
  return [...dates, list].map((head) => ({ ...head, ...changed[head.slice] }));
}
