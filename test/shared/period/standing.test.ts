import { describe, expect, test } from 'vitest';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import type { StatementMemory } from '#shared/core/periods/statement-memory.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import type { SliceView } from '#shared/period/period-account.ts';
import { findLookedAtBefore } from '#shared/period/period-account.ts';
import {
  findDeadline,
  isCorrectable,
  judgeClosing,
  judgeFinal,
  judgeRecount,
  judgeReminder,
} from '#shared/period/standing.ts';
import { knownPeriod, MINUTE_MS, NOW } from '#test/support/builders.ts';
import { heldView, viewOf } from './views.ts';

const HOUR_MS = 60 * MINUTE_MS;
const WINDOW = { from: '2026-03-02', to: '2026-03-05' };

describe('a closing', () => {
  const at = (views: readonly SliceView[], sinceSeenMs: number, heldSince: number | null = null) =>
    judgeClosing(views, { seenAt: NOW, window: WINDOW, now: NOW + sinceSeenMs, heldSince });

  test.each<[string, SliceView, string, string]>([
    ['that was looked at since', viewOf('2026-03-03', { lookedAt: NOW }), 'tell', 'tell'],
    ['whose last look began before', viewOf('2026-03-03', { lookedAt: NOW - 1 }), 'wait', 'reserve'],
    [
      'that was never read',
      viewOf('2026-03-03', { lookedAt: null, doubts: [{ kind: 'unread' }] }),
      'wait',
      'tell',
    ],
    ['out of the window', viewOf('2026-03-06', { lookedAt: NOW - HOUR_MS }), 'tell', 'tell'],
    ['in doubt', held(), 'wait', 'reserve'],
  ])('of a date %s', (...[, view, atOnce, fiveMinutesLater]) => {
    expect(at([view], 0)).toBe(atOnce);
    expect(at([view], 5 * MINUTE_MS - 1)).toBe(atOnce);
    expect(at([view], 5 * MINUTE_MS)).toBe(fiveMinutesLater);
  });

  test('that is stamped anew in each look is not held for ever', () => {
    const view = viewOf('2026-03-03', { lookedAt: NOW - 1 });
    expect(at([view], 0, NOW - 10 * MINUTE_MS + 1)).toBe('wait');
    expect(at([view], 0, NOW - 10 * MINUTE_MS)).toBe('reserve');
  });

  test('that may be told is told, however long it was held', () => {
    expect(at([viewOf('2026-03-03', { lookedAt: NOW })], 0, NOW - HOUR_MS)).toBe('tell');
  });

  test.each([WINDOW.from, WINDOW.to])('waits for the first and the last date of the window: %s', (date) => {
    expect(at([viewOf(date, { lookedAt: NOW - 1 })], 0)).toBe('wait');
    expect(at([viewOf('2026-03-01', { lookedAt: NOW - 1 })], 0)).toBe('tell');
  });

  test('that nobody saw begin waits for no look', () => {
    const moment = { seenAt: null, window: WINDOW, now: NOW };
    expect(judgeClosing([viewOf('2026-03-03', { lookedAt: NOW - HOUR_MS })], moment)).toBe('tell');
    expect(judgeClosing([held()], moment)).toBe('reserve');
  });

  test('names the dates that were last read before it, and its statement waits an hour for them', () => {
    const views = ['2026-03-02', '2026-03-03', '2026-03-04'].map((date, index) =>
      viewOf(date, { lookedAt: index === 0 ? NOW : NOW - 1 }),
    );
    expect(findLookedAtBefore(views, { seenAt: NOW, window: WINDOW })).toEqual({
      from: '2026-03-03',
      to: '2026-03-04',
    });
    const moment = { seenAt: NOW, window: WINDOW };
    expect(judgeRecount(views, { ...moment, now: NOW + HOUR_MS - 1 })).toBe('wait');
    expect(judgeRecount(views, { ...moment, now: NOW + HOUR_MS })).toBe('reserve');
  });
});

test.each<[string, SliceView[], string]>([
  ['comes where nothing is in doubt', [viewOf('2026-03-03')], 'tell'],
  ['waits for a doubt', [held()], 'wait'],
  ['does not wait for long', [held(NOW - 10 * MINUTE_MS)], 'reserve'],
  ['names an old doubt beside a new one', [held(NOW - 10 * MINUTE_MS), held()], 'reserve'],
])('a reminder %s', (_, views, standing) => {
  expect(judgeReminder(views, NOW)).toBe(standing);
});

describe('a closed period', () => {
  const DAY_MS = 24 * HOUR_MS;
  const closedFor = (days: number, other: Partial<KnownPeriod>, next: readonly KnownPeriod[] = []) => {
    const memory = { closedAt: NOW - days * DAY_MS } as StatementMemory;
    const period = { id: '3_7', calendar: 'Weekly', finishDate: '2026-03-08', memory };
    const later = { id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15', closed: true };
    return findDeadline(
      period,
      [knownPeriod({ closed: true }), knownPeriod({ ...later, ...other }), ...next],
      NOW,
    );
  };

  test('is settled when the next one of its calendar closes', () => {
    expect(closedFor(1, {})).toBe('next_closing');
    expect(closedFor(1, { startDate: '2026-04-06' })).toBe('next_closing');
    expect(
      closedFor(1, { closed: false }, [knownPeriod({ id: '5_7', startDate: '2026-03-16', closed: true })]),
    ).toBe('next_closing');
  });

  test.each<[string, Partial<KnownPeriod>]>([
    ['an open one', { closed: false }],
    ['one of another calendar', { calendar: 'Monthly' }],
    ['one that begins on its last date', { startDate: '2026-03-08' }],
    ['an earlier one', { startDate: '2026-02-23' }],
    ['itself', { id: '3_7' }],
  ])('is not settled by %s, but five weeks after its closing', (_, other) => {
    expect(closedFor(34.9, other)).toBeNull();
    expect(closedFor(35, other)).toBe('age');
  });

  test('has a final statement that may be corrected for a week', () => {
    expect(isCorrectable(NOW - 7 * DAY_MS + 1, NOW)).toBe(true);
    expect(isCorrectable(NOW - 7 * DAY_MS, NOW)).toBe(false);
  });
});

describe('a final statement', () => {
  const judge = (manifest: Partial<CloseManifest>, options: Partial<Options> = {}) => {
    const { views = [], deadline = null, differsSince } = options;
    const counted = { complete: true, members: 'all', unprocessed: 0, addsUp: true, ...manifest };
    return judgeFinal(views, { manifest: counted as CloseManifest, deadline }, { differsSince, now: NOW });
  };
  interface Options {
    readonly views: readonly SliceView[];
    readonly deadline: 'next_closing' | 'age' | null;
    readonly differsSince: number;
  }

  test('is told once all is processed and adds up, or cannot be compared', () => {
    expect(judge({})).toEqual({ standing: 'tell', settledBy: 'processed' });
    expect(judge({ addsUp: null })).toEqual({ standing: 'tell', settledBy: 'processed' });
  });

  test.each<[string, Partial<CloseManifest>]>([
    ['one is not processed', { unprocessed: 1 }],
    ['dates are missing', { complete: false }],
    ['members are unknown', { members: 'partly' }],
  ])('waits while %s, until its deadline', (_, manifest) => {
    expect(judge(manifest)).toEqual({ standing: 'wait' });
    expect(judge(manifest, { deadline: 'age' })).toEqual({ standing: 'tell', settledBy: 'age' });
  });

  test('waits while anything is held, also after its deadline', () => {
    expect(judge({}, { views: [held()] })).toEqual({ standing: 'wait' });
    expect(judge({}, { views: [held()], deadline: 'age' })).toEqual({ standing: 'wait' });
  });

  test('waits while a date cannot be read, until its deadline', () => {
    const views = [viewOf('2026-03-03', { isFailing: true })];
    expect(judge({}, { views })).toEqual({ standing: 'wait' });
    expect(judge({ unprocessed: 1 }, { views, deadline: 'age' })).toEqual({
      standing: 'tell',
      settledBy: 'age',
    });
  });

  test('that does not add up waits for six hours', () => {
    const differs = { standing: 'differs', settledBy: 'processed' };
    expect(judge({ addsUp: false })).toEqual(differs);
    expect(judge({ addsUp: false }, { differsSince: NOW - 6 * HOUR_MS + 1 })).toEqual(differs);
    expect(judge({ addsUp: false }, { differsSince: NOW - 6 * HOUR_MS })).toMatchObject({ standing: 'tell' });
  });
});

function held(since = NOW - MINUTE_MS): SliceView {
  return { ...heldView('2026-03-04', since), lookedAt: NOW };
}
