import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Alert } from '#shared/people/alert.ts';
import { selectDueAlerts } from '#shared/people/release.ts';
import { sampleAlert } from '#test/contracts/alert-store.ts';

const NOON = Date.parse('2026-03-05T12:00:00Z');
const SECOND_MS = 1_000;
/** From 08:00 to 20:00 in Greenwich, where our alerts are, unless they say otherwise. */
const QUIET = { quietHours: { from: '08:00', to: '20:00', weekends: false } };

describe('alerts', () => {
  test('wait until the first of them has waited long enough, and then go as one', () => {
    const waiting = [alertAt(0), alertAt(30), alertAt(59)];

    expect(due(waiting, 59.999)).toEqual([]);
    expect(due(waiting, 60)).toEqual(waiting);
  });

  test('of a burst that goes on wait until it pauses, within a bound', () => {
    const burst = Array.from({ length: 20 }, (_, index) => alertAt(index * 5));

    expect(due(burst, 60)).toEqual([]);
    expect(due(burst, 154)).toEqual([]);
    expect(due(burst, 155)).toEqual(burst);
    expect(due(burst.slice(1), 66)).toEqual(burst.slice(1));
    const endless = [...burst, alertAt(650)];
    expect(due(endless, 659)).toEqual([]);
    expect(due(endless, 660)).toEqual(endless);
  });

  test('do not wait where nothing is to be waited for', () => {
    expect(selectDueAlerts([alertAt(0)], {}, { now: NOON, scope: 'all' })).toHaveLength(1);
    expect(selectDueAlerts([], {}, { now: NOON, scope: 'all' })).toEqual([]);
  });

  test('that a clock dates which is a day ahead do not wait until then', () => {
    const misdated = alertAt(24 * 3_600);

    expect(due([misdated], 0)).toEqual([misdated]);
    expect(due([alertAt(0), misdated], 30)).toEqual([]);
    expect(due([alertAt(50)], 0)).toEqual([]);
  });

  test('that are urgent go at once, and the others go on waiting', () => {
    const [calm, urgent, later] = [alertAt(0), alertAt(1, { urgent: true }), alertAt(2)];

    expect(due([calm, urgent, later], 2)).toEqual([urgent]);
  });

  test('that are urgent take along what waits of the same record before them', () => {
    const closed = alertAt(0, { subject: '3_4711' });
    const other = alertAt(1, { subject: '3_4711', connection: 'north' });
    const reopened = alertAt(2, { subject: '3_4711', urgent: true });
    const closedAgain = alertAt(3, { subject: '3_4711' });

    expect(due([closed, other, reopened, closedAgain], 4)).toEqual([closed, reopened]);
  });

  test('that are urgent take along what happened to the record before, though a clock saw it later', () => {
    const reopened = alertAt(0, { subject: '3_4711', sequence: 4, urgent: true });
    const closed = alertAt(2, { subject: '3_4711', sequence: 3 });
    const closedAgain = alertAt(3, { subject: '3_4711', sequence: 5 });

    expect(due([reopened, closed, closedAgain], 4)).toEqual([reopened, closed]);
  });

  test('about the watching itself are of no record', () => {
    const [calm, urgent] = [alertAt(0, { subject: null }), alertAt(1, { subject: null, urgent: true })];

    expect(due([calm, urgent], 2)).toEqual([urgent]);
  });
});

describe('quiet hours', () => {
  test('hold everything that is not urgent, however long it waits', () => {
    const waiting = [alertAt(-3_600), alertAt(0), alertAt(1, { urgent: true })];

    expect(due(waiting, 120, QUIET)).toEqual(waiting.slice(2));
    expect(selectDueAlerts(waiting, QUIET, { now: NOON, scope: 'all' })).toEqual(waiting.slice(2));
  });

  test('end with all that was held, as one', () => {
    const waiting = [alertAt(-14_400), alertAt(0), alertAt(28_790)];

    expect(due(waiting, 28_799, QUIET)).toEqual([]);
    expect(due(waiting, 28_800, QUIET)).toEqual(waiting);
  });

  test('are those of the zone of each alert', () => {
    // Noon in Greenwich is 01:00 of the next day in Auckland.
    const [here, there] = [alertAt(0), alertAt(1, { timeZone: 'Pacific/Auckland' })];

    expect(due([here, there], 61, QUIET)).toEqual([there]);
  });
});

test('whatever waits, an alert goes only when it may, and urgent ones always', () => {
  const alert = fc.record({
    at: fc.integer({ min: -7_200, max: 0 }),
    urgent: fc.boolean(),
    subject: fc.constantFrom(null, '1', '2'),
    timeZone: fc.constantFrom('UTC', 'Pacific/Auckland'),
  });
  fc.assert(
    fc.property(
      fc.array(alert, { maxLength: 12 }),
      fc.integer({ min: 0, max: 86_400 }),
      (values, seconds) => {
        const waiting = values.map(({ at, ...rest }) => alertAt(at, rest)).sort((a, b) => a.at - b.at);
        const going = due(waiting, seconds, QUIET);
        expect(going).toEqual(waiting.filter((each) => going.includes(each)));
        expect(going.filter(({ urgent }) => urgent)).toEqual(waiting.filter(({ urgent }) => urgent));
        const calm = going.filter(({ urgent, subject }) => !urgent && subject === null);
        const free = waiting.filter(({ urgent, timeZone }) => !urgent && !isHeld(timeZone, seconds));
        const waited = free[0] !== undefined && NOON + seconds * SECOND_MS - free[0].at >= 60 * SECOND_MS;
        expect(calm).toEqual(waited ? free.filter(({ subject }) => subject === null) : []);
      },
    ),
    { numRuns: 500, seed: 5 },
  );
});

function isHeld(timeZone: string, seconds: number): boolean {
  const shift = timeZone === 'UTC' ? 0 : 13;
  const hour = (12 + shift + Math.floor(seconds / 3_600)) % 24;
  return hour >= 8 && hour < 20;
}

function due(
  waiting: readonly Alert[],
  seconds: number,
  channel: Parameters<typeof selectDueAlerts>[1] = {},
) {
  return selectDueAlerts(waiting, channel, { now: NOON + seconds * SECOND_MS, scope: 'due' });
}

function alertAt(seconds: number, values: Partial<Alert> = {}): Alert {
  return sampleAlert({ at: NOON + seconds * SECOND_MS, timeZone: 'UTC', ...values });
}
