import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toEvents } from '#shared/core/events/events.ts';
import { holds } from '#test/shared/core/properties.ts';
import {
  clocking,
  createChange,
  createEventContext,
  detail,
  type SampleRecord,
  timesheet,
} from '#test/support/builders.ts';
import { buildEvents, changes, history, present, STAMP } from './history.ts';

describe('whatever happens to a record', () => {
  test('its events, taken back one by one with their previous values, lead to where it was', () => {
    holds(
      fc.property(present, present, (before, after) => {
        const events = buildEvents(createChange(before, after));
        const [created] = buildEvents(createChange(null, before));
        const [goal] = buildEvents(createChange(null, after));
        const steps = events.map(({ data }) => data.previous).reverse();
        expect(Object.assign({ ...goal?.data.current }, ...steps)).toEqual(created?.data.current);
      }),
      200,
    );
  });

  test('no pay, name, address, override or unknown field of it is ever in an event', () => {
    const seen = new Set<string>();
    holds(
      fc.property(changes, ([before, after]) => {
        const [from, to] = [before, after].map((record) => (record === null ? null : withCanaries(record)));
        const { texts, types, row } = toEvents(createChange(from ?? null, to ?? null), createEventContext());
        for (const type of types) seen.add(type);
        expect(JSON.stringify([texts, row])).not.toMatch(/CANARY/i);
      }),
      300,
    );
    expect(seen.size).toBe(15);
  });
});

describe('the size of an event', () => {
  const sizes = aDay()
    .map((text) => Buffer.byteLength(text))
    .sort((a, b) => a - b);
  const median = sizes[Math.floor(sizes.length / 2)];

  test('is at most 1.5 KB in the median of a day like any other, and never more than 2.1 KB', () => {
    expect(sizes.length).toBeGreaterThan(50);
    expect(median).toBeLessThanOrEqual(1_500);
    expect(sizes.at(-1)).toBeLessThanOrEqual(2_100);
  });
});
/** Marks everything in a record that is nobody's business. */
function withCanaries(record: SampleRecord): SampleRecord {
  const named = (value: unknown) => (value === null ? null : { ...(value as object), name: 'canary' });
  const overridden = (value: unknown) =>
    value === null
      ? null
      : { ...(value as object), overrideEmployee: 'canary', overrideOrganisation: 'canary', photo: 'canary' };
  const { department, role, clockIn, clockOut, details } = record;
  return {
    ...record,
    __type: 'canary',
    hourlyRate: '$canary',
    contractedHoursId: 'canary',
    employee: { firstNames: 'canary', address: { line1: 'canary' } },
    department: named(department),
    role: named(role),
    shift: { id: '701_7', name: 'canary' },
    clockIn: overridden(clockIn),
    clockOut: overridden(clockOut),
    details: (details as object[]).map((each) => ({ ...each, rate: 'canary', note: 'canary' })),
  };
}

/** What ten people make of a day: rostered, clocked in and out, corrected now and then, approved and paid. */
function aDay(): string[] {
  return Array.from({ length: 10 }, (_, n) => {
    const id = `91000${n}_4711`;
    const base = timesheet({
      id,
      employeeId: `20${n}1_4711`,
      details: [detail(), detail({ id: '8002_4711' })],
    });
    const inAt = { ...base, clockIn: clocking({ id: `70${n}1_4711` }) };
    const out = { ...inAt, clockOut: clocking({ id: `70${n}2_4711`, localTime: '2026-03-05T17:02:10' }) };
    const changed = n % 4 === 0 ? { ...out, hoursToPay: 7.75, details: [detail({ hours: 7.75 })] } : out;
    const approved = { ...changed, approvedHours: STAMP };
    const payroll = { ...approved, approvedPayroll: `PAY-2026-03-${n}` };
    const created = toEvents(createChange(null, base), createEventContext()).texts;
    const life = history(base, inAt, out, changed, approved, payroll, { ...payroll, processed: STAMP });
    return [...created, ...life.map((event) => JSON.stringify(event))];
  }).flat();
}
