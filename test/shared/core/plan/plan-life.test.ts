import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, listDates } from '#shared/core/dates.ts';
import { CADENCE_MS, findCadence, isHotDate } from '#shared/core/plan/cadence.ts';
import { chooseRequest, type PlanInput, planSlices } from '#shared/core/plan/plan.ts';
import { createHead, type Head, nameSlice, type SliceKey } from '#shared/core/snapshot/head.ts';
import type { FailingSlice } from '#shared/core/snapshot/state.ts';
import { MINUTE_MS, NOW, DATE as TODAY } from '#test/support/builders.ts';
import { holds } from '../properties.ts';

interface Life {
  /** Requests that a poll has time for. */
  readonly budget: number;
  readonly days: number;
  /** Records of each date, over and over. */
  readonly records: readonly number[];
  /** Days of the open pay period so far. */
  readonly open: number;
  readonly isBusy: boolean;
  /** Dates that fail whenever they are asked for, counted from the first one. */
  readonly failing: number;
}

const PAGE = 200;
const MINUTES = 100;

/** Polls each minute, and says of each slice that does not fail the longest time without a look, in its cadences. */
function live({ budget, days, records, open, isBusy, failing: broken }: Life): Map<string, number> {
  const window = { from: addDays(TODAY, -days), to: addDays(TODAY, 1) };
  const dates = listDates(window);
  const heads = new Map<string, Head>();
  const lookedAt: Record<string, number> = {};
  const failing: Record<string, FailingSlice> = {};
  const worst = new Map<string, number>();
  const inputAt = (now: number): PlanInput => ({
    ...{ now, today: TODAY, window, heads, state: { lookedAt, failing }, pending: [] },
    ...{
      feeds: ['pay-periods', 'timesheets', 'employees'],
      openDates: [{ from: addDays(TODAY, -open), to: TODAY }],
    },
  });
  const measure = (key: SliceKey, now: number) => {
    const name = nameSlice(key);
    const cadenceMs = CADENCE_MS[findCadence(key, heads.get(name), inputAt(now))];
    worst.set(name, Math.max(worst.get(name) ?? 0, (now - (lookedAt[name] ?? NOW)) / cadenceMs));
  };
  const look = (key: SliceKey, now: number) => {
    const name = nameSlice(key);
    if (dates.indexOf(key.slice) >= 0 && dates.indexOf(key.slice) < broken) {
      failing[name] = { since: now, attempts: 1, nextAt: now + 5 * MINUTE_MS, code: 'source_failed' };
      return;
    }
    measure(key, now);
    lookedAt[name] = now;
    const count = records[dates.indexOf(key.slice) % records.length] ?? 0;
    const changedAt = isBusy && isHotDate(key.slice, TODAY) ? now : null;
    heads.set(name, { ...createHead(key), buckets: [{ from: 0, count, digest: '' }], changedAt });
  };
  for (let minute = 0; minute < MINUTES; minute += 1)
    for (let request = 0; request < budget; request += 1) {
      const now = NOW + (minute + request / budget) * MINUTE_MS;
      const input = inputAt(now);
      const chosen = chooseRequest(planSlices(input), input, PAGE);
      if (chosen === null) break;
      const slices = chosen.range === null ? ['all'] : listDates(chosen.range);
      for (const slice of slices) look({ feed: chosen.feed, slice }, now);
    }
  for (const { feed, slice } of planSlices(inputAt(NOW + MINUTES * MINUTE_MS)))
    if (failing[nameSlice({ feed, slice })] === undefined)
      measure({ feed, slice }, NOW + MINUTES * MINUTE_MS);
  return worst;
}

const lives = {
  days: fc.integer({ min: 1, max: 30 }),
  records: fc.array(fc.constantFrom(0, 5, 60, 300), { minLength: 1, maxLength: 5 }),
  open: fc.integer({ min: 0, max: 14 }),
  failing: fc.constantFrom(0, 0, 3),
};

test('every slice is looked at within its cadence, and a schedule, when time allows', () => {
  holds(
    fc.property(fc.record({ ...lives, budget: fc.constant(45), isBusy: fc.constant(false) }), (life) => {
      expect([...live(life)].filter(([, cadences]) => cadences > 2)).toEqual([]);
    }),
    8,
  );
});

test('no slice waits for ever, however little time there is: all share what is missing', () => {
  const hard = fc.record({ ...lives, budget: fc.integer({ min: 1, max: 4 }), isBusy: fc.boolean() });
  holds(
    fc.property(hard, (life) => {
      const { budget, days, isBusy } = life;
      // Requests a minute that would be needed: three hot dates, the list of pay periods, and the others.
      const hot = (isBusy ? 9 : 3) + 1;
      const isMissing = (hot + days / 5) / budget;
      const firstLooks = (2 * (days + 4)) / budget;
      for (const [name, cadences] of live(life)) {
        const isHot = name.startsWith('pay') || isHotDate(name.slice(-10), TODAY);
        expect(cadences, name).toBeLessThan(2 + 2 * isMissing + (isHot ? 3 : 0.2) * firstLooks);
      }
    }),
    20,
  );
});
