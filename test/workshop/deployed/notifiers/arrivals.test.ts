import { describe, expect, test } from 'vitest';
import { toTraceParent } from '#shared/core/events/envelope.ts';
import { compareArrivals, EVERYTHING_QUEUE, joinArrivals } from '#workshop/deployed/notifiers/arrivals.ts';
import type { Arrivals } from '#workshop/deployed/notifiers/notifier.ts';

const ALL = `queue ${EVERYTHING_QUEUE}`;

describe('two runs', () => {
  test('are the same when instants and the ids made of them differ by milliseconds', () => {
    const [one, other] = ['a'.repeat(32), 'b'.repeat(32)];
    const here = buildArrivals({ ...namesOf(one), epoch: '2026-11-17T01:00:00.002Z' });
    const there = buildArrivals({ ...namesOf(other), epoch: '2026-11-17T01:00:00.003Z' });
    expect(compareArrivals(here, there)).toBe(`1 in ${ALL}, 1 in webhook archive`);
  });

  test.each([
    { what: 'another second', change: { epoch: '2026-11-17T01:00:01.002Z' } },
    { what: 'another sequence', change: { sequence: 2 } },
    { what: 'the span of its trace', change: { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` } },
    { what: 'another value', change: { data: { hoursToPay: 8 } } },
  ])('differ by $what', ({ change }) => {
    expect(() => compareArrivals(buildArrivals(change), buildArrivals({}))).toThrow('1 lost, 1 invented');
  });

  test('differ when a body did not arrive in one place', () => {
    const lost = new Map([...buildArrivals({})].filter(([place]) => place === ALL));
    expect(() => compareArrivals(lost, buildArrivals({}))).toThrow('webhook archive: 1 expected, 0 arrived');
    expect(() => compareArrivals(buildArrivals({}), lost)).toThrow('webhook archive: 0 expected, 1 arrived');
  });

  test('may have got a body twice', () => {
    const once = buildArrivals({});
    expect(() => compareArrivals(joinArrivals(once, once), once)).not.toThrow();
  });
});

/** An id, and the trace that begins with it. */
function namesOf(id: string) {
  return { id, traceparent: toTraceParent(id) };
}

function buildArrivals(change: Readonly<Record<string, unknown>>): Arrivals {
  const event = {
    ...namesOf('c'.repeat(32)),
    source: '/connections/main/timesheets',
    type: 'workforce.timesheet.approved',
    subject: '1001_1',
    epoch: '2026-11-17T01:00:00.001Z',
    sequence: 1,
    data: { hoursToPay: 7.5 },
    ...change,
  };
  return new Map([ALL, 'webhook archive'].map((place) => [place, [JSON.stringify(event)]]));
}
