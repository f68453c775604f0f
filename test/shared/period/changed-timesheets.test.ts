import { expect, test } from 'vitest';
import { planStatement } from '#shared/core/events/plan-statement.ts';
import { toManifest } from '#shared/period/manifest.ts';
import { PeriodAccount } from '#shared/period/period-account.ts';

const OWNER = { employeeId: '2001_7', departmentId: null, date: '2026-03-05' };

test('a statement says whose the hours are that moved, of timesheets that still belong to the period', () => {
  const closing = { kind: 'closing', at: Date.parse('2026-03-09T01:00:00.000Z') } as const;
  const { memory, ledger } = planStatement(closing, { memory: null, ledger: null }, count({ a: 7, b: 8 }));
  const final = { kind: 'final', settledBy: 'processed' } as const;
  const { statement } = planStatement(final, { memory, ledger }, count({ a: 8 }));
  expect(statement?.sinceClose.timesheets).toEqual([
    { timesheetId: 'b', reason: 'late', hours: -8 },
    { timesheetId: 'a', reason: 'late', hours: 1, ...OWNER },
  ]);
});

function count(hours: Readonly<Record<string, number>>) {
  const members = Object.entries(hours).map(([id, hoursToPay]) => ({ id, hoursToPay, ...OWNER }));
  const hoursToPay = members.reduce((sum, each) => sum + each.hoursToPay, 0);
  const manifest = { ...toManifest(new PeriodAccount(), { sharing: [], source: null }), hoursToPay };
  return { manifest, members };
}
