import { beforeAll, describe, expect, test } from 'vitest';
import { Delays, mean, percentile } from '#workshop/bench/fortnight/flow/delays.ts';
import { type FlowResult, runFlow } from '#workshop/bench/fortnight/flow/run-flow.ts';
import { spanOf, WINDOW } from '#workshop/bench/fortnight/flow/spans.ts';
import { type RescanOptions, rescan } from '#workshop/bench/fortnight/rescan.ts';
import { THIRTY } from '#workshop/bench/fortnight/trace/size.ts';
import { createTrace } from '#workshop/bench/fortnight/trace/trace.ts';

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

  test('are kept by kind of change', () => {
    const delays = new Delays();
    delays.add(5, 'timesheet.clocked_in');
    delays.add(7, 'timesheet.processed');
    expect(delays.of('clockings')).toEqual([5]);
    expect(delays.all).toEqual([5, 7]);
  });
});

describe('a flat rescan', () => {
  const trace = createTrace({ seed: 5, size: THIRTY, days: 2 });
  const order: RescanOptions = {
    ...{ trace, from: trace.from, to: trace.to, window: WINDOW },
    ...{ intervalMs: 60_000, requestMs: 300, perSecond: 1_000_000, pageSize: 200 },
  };

  test('sees everything within its interval', () => {
    const { delays, requestsPerDay, maxAgeMs } = rescan(order);
    expect(delays.all.length).toBeGreaterThan(150);
    expect(percentile(delays.all, 1)).toBeLessThanOrEqual(61_000);
    expect(mean(delays.all)).toBeGreaterThan(25_000);
    expect(maxAgeMs).toBe(60_600);
    // 831 timesheets or so are five pages.
    expect(requestsPerDay).toBeGreaterThanOrEqual(4 * 1_440);
    expect(requestsPerDay).toBeLessThanOrEqual(6 * 1_440);
  });

  test('goes on without a break where the source is too slow for its interval', () => {
    const { requestsPerDay, maxAgeMs } = rescan({ ...order, perSecond: 0.05 });
    expect(requestsPerDay).toBeLessThanOrEqual(0.05 * 86_400 * 1.3);
    expect(maxAgeMs).toBeGreaterThan(2 * 60_000);
  });

  test('sees only changes of its dates', () => {
    const { delays } = rescan({ ...order, window: { backDays: 0, forwardDays: 0 } });
    expect(delays.of('clockings').length).toBeGreaterThan(50);
    expect(delays.of('payroll')).toEqual([]);
  });
});

describe('the real flow on the trace', () => {
  let flow: FlowResult;

  beforeAll(async () => {
    const span = { ...spanOf(THIRTY), firstDay: 8 + 7 / 24, days: 3 / 24 };
    flow = await runFlow(span, 100);
  });

  test('publishes every change of the trace, and no other', () => {
    expect(flow.expected.published).toBeGreaterThan(10);
    expect(flow.missing).toEqual([]);
    expect(flow.expected.invented).toEqual([]);
  });

  test('publishes clockings within two minutes', () => {
    const clockings = flow.expected.delays.of('clockings');
    expect(clockings.length).toBeGreaterThan(5);
    expect(percentile(clockings, 0.99)).toBeLessThan(120_000);
  });

  test('counts what it needed', () => {
    const { requestsPerDay, units, events, pollMs, followUps, baseline } = flow;
    // The list of pay periods and hot dates every minute, for three hours.
    expect(requestsPerDay / 8).toBeGreaterThan(2 * 180);
    expect(units.write).toBeGreaterThan(events);
    expect(pollMs).toBeGreaterThan(180 * 300);
    expect(followUps).toBeGreaterThan(10);
    expect(baseline.milliseconds).toBeLessThan(10 * 60_000);
  });
});
