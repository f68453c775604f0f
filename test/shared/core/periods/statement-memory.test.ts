import { describe, expect, test } from 'vitest';
import {
  awaitsStatement,
  type StatementMemory,
  statementMemorySchema,
} from '#shared/core/periods/statement-memory.ts';

const FIGURES = { hours: 751.25, employees: 31, timesheets: 154, unapproved: 2, unprocessed: 154 };
const MEMORY: StatementMemory = {
  closings: 1,
  closedHours: 751.25,
  last: FIGURES,
  count: { hours: 751.25, basis: 'own', ledger: '3_7-1', exact: true },
  moved: { late: 0, reopened: 0, recounted: 0.25 },
  awaits: null,
  closedAt: 1_000,
};

describe('the memory of statements', () => {
  test.each<[string, Partial<StatementMemory>]>([
    [
      'of a period whose dates are counted',
      { count: { hours: 1, basis: 'dates', ledger: 'a', exact: false } },
    ],
    ['of a part of a period', { count: { hours: 1, basis: 'part', ledger: 'a', exact: true } }],
    [
      'of a closing that could not be counted yet',
      { awaits: 'closing', last: null, count: null, told: FIGURES },
    ],
    ['before the final statement', { awaits: 'final', differsSince: 2_000 }],
    ['before a correction', { awaits: 'correction' }],
    ['with nothing to come', { awaits: null }],
  ])('%s is read as it was stored', (_, values) => {
    const memory = { ...MEMORY, ...values };

    expect(statementMemorySchema.parse(JSON.parse(JSON.stringify(memory)))).toEqual(memory);
  });

  test('says whether a statement is due that no change of the record brings', () => {
    expect(awaitsStatement({})).toBe(false);
    expect(awaitsStatement({ statement: MEMORY })).toBe(false);
    expect(awaitsStatement({ statement: { ...MEMORY, awaits: 'final' } })).toBe(true);
  });
});
