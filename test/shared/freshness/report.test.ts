import { expect, test } from 'vitest';
import { type Arrival, summarizeArrivals } from '#shared/freshness/report.ts';

test('each type has its own percentiles, in the order of the catalogue', () => {
  const arrivals = [
    ...Array.from({ length: 99 }, () => arrival(10, {}, 'timesheet.clocked_in')),
    arrival(400, {}, 'timesheet.clocked_in'),
    arrival(30),
  ];
  const { all, types } = summarizeArrivals(arrivals, {});
  expect(all).toEqual({ events: 101, waiting: 0, lost: 0, p50: 10, p99: 30, longest: 400 });
  expect(summarizeArrivals([], {}).all).toBeNull();
  expect(types).toEqual([
    {
      type: 'workforce.timesheet.approved',
      class: 'approvals',
      events: 1,
      waiting: 0,
      lost: 0,
      p50: 30,
      p99: 30,
      longest: 30,
    },
    {
      type: 'workforce.timesheet.clocked_in',
      class: 'clockings',
      events: 100,
      waiting: 0,
      lost: 0,
      p50: 10,
      p99: 10,
      longest: 400,
    },
  ]);
});

test('what waits counts with its time so far, what was given up as never', () => {
  const { types } = summarizeArrivals(
    [arrival(5), arrival(90, { outcome: 'waiting' }), arrival(1, { outcome: 'lost' })],
    {},
  );
  expect(types).toMatchObject([{ events: 3, waiting: 1, lost: 1, p50: 90, p99: null, longest: null }]);
});

test('an objective is kept by what came within it, and the causes of the others are counted', () => {
  const arrivals = [
    arrival(60),
    arrival(61, { findCause: () => 'cadence' }),
    arrival(99, { findCause: () => 'outage' }),
    arrival(99, { findCause: () => 'outage' }),
    arrival(1, { outcome: 'lost', findCause: () => 'receiver' }),
    // Still has time.
    arrival(60, { outcome: 'waiting' }),
    arrival(5, {}, 'timesheet.clocked_in'),
  ];
  expect(summarizeArrivals(arrivals, { approvals: 60, processing: 10 }).objectives).toEqual([
    {
      class: 'approvals',
      seconds: 60,
      events: 5,
      kept: 1,
      late: [
        { cause: 'outage', events: 2 },
        { cause: 'cadence', events: 1 },
        { cause: 'receiver', events: 1 },
      ],
    },
  ]);
});

function arrival(
  seconds: number,
  { outcome = 'arrived', findCause = () => 'unknown' }: Partial<Pick<Arrival, 'outcome' | 'findCause'>> = {},
  type: 'timesheet.approved' | 'timesheet.clocked_in' = 'timesheet.approved',
): Arrival {
  const freshnessClass = type === 'timesheet.approved' ? 'approvals' : 'clockings';
  return { event: { type: `workforce.${type}`, class: freshnessClass }, seconds, outcome, findCause };
}
