import { describe, expect, test } from 'vitest';
import { type Arrivals, compareArrivals, EVERYTHING, joinArrivals } from '#workshop/deployed/arrivals.ts';

const ROUND = Date.parse('2026-11-17T01:00:00Z');
const compare = (got: Arrivals, wanted: Arrivals) => compareArrivals(got, wanted, [ROUND]);

describe('two runs', () => {
  test('are the same when ids, instants within a round, and the order of lines differ', () => {
    const here = build({ id: 'a'.repeat(32), epoch: '2026-11-17T01:00:00.002Z' }, '08:00\nsecond');
    const there = build({ id: 'b'.repeat(32), epoch: '2026-11-17T01:04:00.003Z' }, 'second\n08:04');
    expect(compare(here, there)).toBe(`1 in ${EVERYTHING}, 1 in slack #payroll`);
  });

  test.each([
    { what: 'an instant of another round', change: { epoch: '2026-11-17T00:59:00.001Z' } },
    { what: 'another sequence', change: { sequence: 2 } },
    { what: 'another value', change: { data: { hoursToPay: 8 } } },
  ])('differ by $what', ({ change }) => {
    expect(() => compare(build(change), build({}))).toThrow('1 of 1 lost, 1 invented');
  });

  test('differ by a message, or when nothing came to a place', () => {
    expect(() => compare(build({}, 'Pay 8 h'), build({}, 'Pay 9 h'))).toThrow('slack #payroll: 1 of 1 lost');
    const lost = new Map([...build({})].filter(([place]) => place === EVERYTHING));
    expect(() => compare(lost, build({}))).toThrow('slack #payroll: 1 of 1 lost, 0 invented');
    expect(() => compare(build({}), lost)).toThrow('slack #payroll: 0 of 0 lost, 1 invented');
  });

  test('may have got the same twice', () => {
    expect(() => compare(joinArrivals(build({}), build({})), build({}))).not.toThrow();
  });
});

function build(change: Readonly<Record<string, unknown>>, message = 'Pay 8 h'): Arrivals {
  const event = {
    id: 'c'.repeat(32),
    epoch: '2026-11-17T01:00:00.001Z',
    sequence: 1,
    data: { hoursToPay: 7.5 },
  };
  return new Map([
    [EVERYTHING, [JSON.stringify({ ...event, ...change })]],
    ['slack #payroll', [message]],
  ]);
}
