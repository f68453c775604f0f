import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  addToWatermark,
  beginWatermark,
  planWatermark,
  WATERMARK_MINUTES,
  type WatchedFeed,
} from '#shared/core/events/watermark.ts';
import { WATERMARK_DATA } from '#shared/core/events/watermark-contents.ts';
import { createHead, type Head, nameSlice } from '#shared/core/snapshot/head.ts';

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-03-05T12:00:00Z');
const DATES = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'];
const HOT = DATES.slice(2);
const LOOKED_AT = [21, 14, 2, 1, 3].map((minutes) => NOW - minutes * MINUTE_MS);
const ID = 'f'.repeat(32);
const contents = z.strictObject(WATERMARK_DATA);

describe('a watermark', () => {
  test('says through when all is told, and of hot dates apart; the first one counts nothing', () => {
    expect(plan({ last: null })).toEqual({
      since: null,
      through: '2026-03-05T11:39:00.000Z',
      hotDates: { from: '2026-03-04', to: '2026-03-06', through: '2026-03-05T11:57:00.000Z' },
      except: [],
      events: null,
    });
  });

  test('follows the one before after its minutes, and counts what was committed since', () => {
    const begun = beginWatermark(ID, NOW - WATERMARK_MINUTES * MINUTE_MS);
    const last = addToWatermark(addToWatermark(begun, ['1'.repeat(32)]), ['2'.repeat(32), '4'.repeat(32)]);

    expect(plan({ last: { ...last, at: NOW - 4 * MINUTE_MS } })).toBeNull();
    expect(plan({ last })).toMatchObject({
      since: { id: ID, at: '2026-03-05T11:55:00.000Z' },
      events: { count: 3, digest: '7'.repeat(32) },
    });
  });

  const failing = { since: NOW, attempts: 1, nextAt: NOW, code: 'source_failed' } as const;
  const name = (slice: string) => nameSlice({ feed: 'timesheets', slice });
  const [first = '', second = '', third = ''] = DATES;
  const seenAt = '2026-03-05T11:39:00.000Z';
  const bad = (count: number) => ({ bad: { since: NOW, count, ids: ['1_1'], cause: 'size' } });
  const unlisted = (count: number) => ({ unlisted: { ids: Array(count).fill('1_1'), askedAt: NOW } });
  const doubt = { since: NOW, after: null, records: 9, losses: [] };
  const failed = { state: stateOf({ failing: { [name(first)]: failing } }) };
  const restored = { state: stateOf({ restoredAt: NOW - MINUTE_MS }) };
  test.each<[string, Partial<Head>, Partial<WatchedFeed>, object]>([
    ['cannot be read', {}, failed, date('unreadable')],
    ['is doubtful', { doubt }, {}, date('doubtful')],
    ['has no baseline', { baselinedAt: null }, {}, date('unread')],
    ['is of a restored table', {}, restored, { ...date('unread'), to: DATES.at(-1) }],
    ['is overdue', {}, { overdue: new Set([first]) }, date('overdue')],
    ['has a bad record', bad(1), {}, records('unreadable')],
    ['has more bad records than it names', bad(2), {}, date('unreadable')],
    ['has an unlisted record', unlisted(1), {}, records('unlisted')],
    ['has very many unlisted records', unlisted(21), {}, date('unlisted')],
  ])('excepts a date that %s', (_, head, watched, except) => {
    expect(plan({ ...watched, heads: headsOf({ [first]: head }) })?.except).toEqual([except]);
  });

  test('joins dates in a row, of which it says the earliest look, and leaves them out of what it goes by', () => {
    const heads = headsOf({ [first]: { doubt }, [second]: { doubt }, [third]: { doubt } });

    expect(plan({ heads })).toMatchObject({
      through: '2026-03-05T11:57:00.000Z',
      except: [{ reason: 'doubtful', from: first, to: third, seenAt }],
    });
  });

  test('goes by the first look at a date until the whole feed is read: what is new since waits', () => {
    const readAt = NOW - 30 * MINUTE_MS;
    const state = stateOf({ baselined: { timesheets: NOW - MINUTE_MS } });

    expect(
      plan({ state, window: [third], heads: headsOf({ [third]: { baselinedAt: readAt } }) }),
    ).toMatchObject({
      ...{ through: '2026-03-05T11:30:00.000Z', except: [] },
    });
  });

  test('names closings that are not told yet', () => {
    const closing = { startDate: first, finishDate: third, closed: third, after: null, by: NOW };
    const key = { feed: 'pay-periods', slice: 'all' } as const;
    const head = { ...createHead(key), baselinedAt: 1, pending: [{ id: '9013_1', ...closing }] };

    expect(
      plan({
        ...{ feed: 'pay-periods', window: ['all'], hot: [], heads: new Map([[nameSlice(key), head]]) },
        state: { ...stateOf({}), lookedAt: { [nameSlice(key)]: NOW } },
      }),
    ).toMatchObject({
      through: '2026-03-05T12:00:00.000Z',
      except: [{ reason: 'pending', records: ['9013_1'] }],
    });
  });

  test('counts the same in any order and in any commits', () => {
    const id = fc.stringMatching(/^[0-9a-f]{32}$/);
    void fc.assert(
      fc.property(fc.uniqueArray(id), fc.nat(), (ids, cut) => {
        const begun = beginWatermark(null, NOW);
        const parts = [ids.slice(cut), ids.slice(0, cut).toReversed()];
        expect(parts.reduce(addToWatermark, begun)).toEqual(addToWatermark(begun, ids));
      }),
    );
  });

  function date(reason: string) {
    return { reason, from: first, to: first, seenAt };
  }

  function records(reason: string) {
    return { reason, records: ['1_1'] };
  }
});

function plan(watched: Partial<WatchedFeed>) {
  const planned = planWatermark({
    ...{ feed: 'timesheets', now: NOW, window: DATES, hot: HOT, overdue: new Set(), last: null },
    ...{ heads: headsOf({}), state: stateOf({}), ...watched },
  });
  return planned === null ? null : contents.parse(planned.data);
}

function headsOf(changed: Readonly<Record<string, Partial<Head>>>): ReadonlyMap<string, Head> {
  const keys = DATES.map((slice) => ({ feed: 'timesheets', slice }) as const);
  return new Map(
    keys.map((key) => [nameSlice(key), { ...createHead(key), baselinedAt: 1, ...changed[key.slice] }]),
  );
}

function stateOf(changed: Partial<WatchedFeed['state']>): WatchedFeed['state'] {
  const looks = DATES.map((slice, place) => [
    nameSlice({ feed: 'timesheets', slice }),
    LOOKED_AT[place] ?? 0,
  ]);
  const baselined = { timesheets: 1, 'pay-periods': 1 };
  return { lookedAt: Object.fromEntries(looks), failing: {}, baselined, restoredAt: null, ...changed };
}
