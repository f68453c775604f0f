import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, computeWindow, listDates } from '#shared/core/dates.ts';
import { timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const FROM = Date.UTC(2015, 0, 1);
const TO = Date.UTC(2041, 0, 1);
/** No zone changes its clock twice within so long. */
const SEARCH_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WINDOW = { backDays: 2, forwardDays: 1 };
const ZONES = Intl.supportedValuesOf('timeZone').filter((zone) => listTransitions(zone).length > 0);

test('at each change of a clock the window is whole local dates in a row, each of which is read, and none that leaves it is told as gone', async () => {
  const cases = fc.record({ zone: fc.constantFrom(...ZONES), place: fc.nat() });
  await fc.assert(
    fc.asyncProperty(cases, async ({ zone, place }) => {
      const transitions = listTransitions(zone);
      await play(zone, transitions[place % transitions.length] ?? FROM);
    }),
    { numRuns: 60 },
  );
});

/** Polls at each edge of the days around a change. */
async function play(timeZone: string, at: number): Promise<void> {
  const moments = listMoments(timeZone, at);
  const dateOf = localDates(timeZone);
  const harness = new PollHarness({ connection: { timeZone, window: WINDOW } });
  for (let day = -5; day <= 5; day += 1) {
    const date = dateOf(at + day * DAY_MS);
    harness.put(timesheet({ id: `${date}_7`, date }));
  }
  harness.now = (moments[0] ?? at) - HOUR_MS;
  await harness.pollNow({ all: true });
  let last = dateOf(harness.now);
  for (const moment of moments) {
    harness.now = Math.max(harness.now, moment);
    const today = dateOf(harness.now);
    const window = listDates(computeWindow(harness.now, timeZone, WINDOW));
    expect(window).toEqual([-2, -1, 0, 1].map((days) => addDays(today, days)));
    // A zone that crosses the date line leaves out a day of its own.
    expect([last, addDays(last, 1), addDays(last, 2)]).toContain(today);
    last = today;
    await harness.pollNow({ all: true });
    for (const date of window)
      expect((await harness.head(date))?.baselinedAt, date).toEqual(expect.any(Number));
  }
  expect(harness.headings.filter((heading) => /removed|changed/.test(heading))).toEqual([]);
}

/** The instants at which a clock changes, found without what the product uses for dates. */
function listTransitions(zone: string): number[] {
  const clock = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsetAt = (at: number) => clock.format(at).split(', ').at(-1);
  const found: number[] = [];
  let before = offsetAt(FROM);
  for (let at = FROM + SEARCH_MS; at < TO; at += SEARCH_MS) {
    const offset = offsetAt(at);
    if (offset === before) continue;
    found.push(findFirst(at - SEARCH_MS, at, (instant) => offsetAt(instant) !== before));
    before = offset;
  }
  return found;
}

/** The first instant, after one and up to another, at which something holds that holds from then on. */
function findFirst(after: number, until: number, holds: (at: number) => boolean): number {
  let low = after;
  let high = until;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The last millisecond before and the first of each local day around a change, and of the change itself. */
function listMoments(zone: string, at: number): number[] {
  const dateOf = localDates(zone);
  const edges = new Set([at]);
  for (let day = -1; day <= 2; day += 1) {
    const noon = at + day * DAY_MS;
    const date = dateOf(noon);
    edges.add(findFirst(noon - 26 * HOUR_MS, noon, (instant) => dateOf(instant) >= date));
  }
  return [...edges].sort((a, b) => a - b).flatMap((edge) => [edge - 1, edge]);
}

function localDates(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone });
  return (at) => format.format(at);
}
