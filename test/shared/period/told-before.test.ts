import { expect, test } from 'vitest';
import type { PeriodMemory } from '#shared/core/periods/period-memory.ts';
import { toToldBefore } from '#shared/period/changes.ts';

const AT = Date.parse('2026-03-09T01:00:00Z');
const MEMORY: PeriodMemory = {
  ...{ told: 'closed', at: AT, closedAt: AT, closings: 1, hasReserve: false, differsSince: null },
  count: { name: 'c', at: AT, isWhole: true },
};

test.each([
  ['of all that was ready, and nothing in doubt', {}, [['a', 75_000]], 'pay'],
  ['of a timesheet that was not ready', {}, [['a', null]], 'not_yet'],
  ['with a reserve', { hasReserve: true }, [['a', 75_000]], 'not_yet'],
  ['before it was reopened', { told: 'reopened' }, [['a', 75_000]], 'not_yet'],
] as const)('what a period was told with %s', (_, memory, hours, verdict) => {
  expect(toToldBefore({ ...MEMORY, ...memory }, hours)).toEqual({ at: AT, isWhole: true, hours, verdict });
});

test('nothing is held against a count that is not stored', () => {
  expect(toToldBefore({ ...MEMORY, count: null }, [])).toBeNull();
  expect(toToldBefore(MEMORY, null)).toBeNull();
});
