import { describe, expect, test } from 'vitest';
import { Delays, mean, percentile } from '#workshop/bench/fortnight/model/delays.ts';
import { EventQueue } from '#workshop/bench/fortnight/model/event-queue.ts';
import { PacedSource } from '#workshop/bench/fortnight/model/paced-source.ts';
import { runModel, WINDOW } from '#workshop/bench/fortnight/model/run-model.ts';
import { walk } from '#workshop/bench/fortnight/model/walk.ts';
import { createAgendaPlanner } from '#workshop/bench/fortnight/planners/agenda-planner.ts';
import { createFixedPlanner } from '#workshop/bench/fortnight/planners/fixed-planner.ts';
import { THIRTY } from '#workshop/bench/fortnight/trace/size.ts';
import { createTrace } from '#workshop/bench/fortnight/trace/trace.ts';

function runAll(events: EventQueue): void {
  for (let next = events.take(); next !== null; next = events.take()) next.run();
}

describe('percentiles', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);

  test.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0.001, 1],
  ])('the share %d of 1 to 100 is at most %d', (share, value) => {
    expect(percentile(values, share)).toBe(value);
  });

  test('of nothing are no number', () => {
    expect(percentile([], 0.5)).toBeNaN();
    expect(mean([1, 2, 6])).toBe(3);
  });

  test('are kept by name', () => {
    const delays = new Delays();
    delays.add(5, ['hot', 'clockings']);
    delays.add(7, ['settled', 'payroll']);
    expect(delays.of('hot')).toEqual([5]);
    expect(delays.all).toEqual([5, 7]);
  });
});

test('events come in order of time, and at one instant in order of their coming', () => {
  const events = new EventQueue();
  const order: string[] = [];
  for (const [at, name] of [
    [3, 'c'],
    [1, 'a'],
    [3, 'd'],
    [2, 'b'],
    [3, 'e'],
  ] as const)
    events.add(at, () => order.push(name));
  runAll(events);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});

describe('a walk', () => {
  const walked = (pages: number, pace: { width: number; perSecond: number; askUntil?: number }) => {
    const events = new EventQueue();
    const source = new PacedSource({ requestMs: 300, ...pace }, events);
    const ends: { endedAt: number; complete: boolean }[] = [];
    walk({ source, now: 0, pages, pagesAhead: pace.width, askUntil: pace.askUntil }, (outcome) =>
      ends.push(outcome),
    );
    runAll(events);
    expect(ends).toHaveLength(1);
    return { ends, requests: source.requests };
  };

  test.each([
    ['page after page', 1, 3_000],
    ['the first alone, then three at once', 3, 1_200],
    ['the first alone, then all at once', 9, 600],
  ])('of ten pages takes %s', (_name, width, endedAt) => {
    expect(walked(10, { width, perSecond: 1_000_000 }).ends[0]?.endedAt).toBeCloseTo(endedAt, 0);
  });

  test('keeps to the rate of the source', () => {
    expect(walked(10, { width: 9, perSecond: 2 }).ends[0]?.endedAt).toBe(9 * 500 + 300);
  });

  test('ends incomplete when time is over, with what is under way', () => {
    const { ends, requests } = walked(10, { width: 1, perSecond: 1_000_000, askUntil: 1_000 });
    expect(ends[0]).toMatchObject({ complete: false, endedAt: 1_200 });
    expect(requests).toBe(4);
  });
});

describe('a planner in the model', () => {
  const trace = createTrace({ seed: 5, size: THIRTY, days: 2 });
  const pace = { requestMs: 300, width: 1, perSecond: 20 };

  test('that looks at everything all the time sees everything within its interval', () => {
    const { seen, unseen, requestsPerDay, maxAgeMs } = runModel({
      trace,
      planner: createFixedPlanner(60_000, WINDOW),
      pace: { ...pace, width: 100, perSecond: 1_000_000 },
      pageSize: 200,
    });
    expect(seen.all.length).toBeGreaterThan(150);
    expect(percentile(seen.all, 1)).toBeLessThanOrEqual(61_000);
    expect(mean(seen.all)).toBeGreaterThan(25_000);
    expect(unseen).toBeLessThanOrEqual(2);
    expect(Math.max(...Object.values(maxAgeMs))).toBeLessThanOrEqual(61_000);
    // 831 timesheets or so are five pages.
    expect(requestsPerDay).toBeGreaterThanOrEqual(4 * 1_440);
    expect(requestsPerDay).toBeLessThanOrEqual(6 * 1_440);
  });

  test('that never looks at most dates is found out', () => {
    const { unseen, maxAgeMs } = runModel({
      trace,
      planner: createFixedPlanner(60_000, { backDays: 0, forwardDays: 0 }),
      pace,
      pageSize: 200,
    });
    expect(unseen).toBeGreaterThan(50);
    expect(maxAgeMs.settled).toBeGreaterThan(86_400_000);
  });

  test("the core's plan of every minute sees today's changes within two minutes", () => {
    const { seen, unseen } = runModel({ trace, planner: createAgendaPlanner(), pace, pageSize: 200 });
    expect(seen.of('clockings').length).toBeGreaterThan(50);
    expect(percentile(seen.of('clockings'), 0.99)).toBeLessThan(120_000);
    expect(unseen).toBeLessThanOrEqual(10);
  });
});
