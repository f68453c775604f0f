import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CloseManifest } from '#shared/core/events/close-manifest.ts';
import type { LedgerEntry } from '#shared/core/events/statement/ledger.ts';
import {
  type KnownStatement,
  planStatement,
  type StatementCause,
} from '#shared/core/events/statement/plan-statement.ts';
import { type Statement, statementSchema } from '#shared/core/events/statement/statement.ts';

const AT = Date.parse('2026-03-09T01:00:00.000Z');
const CLOSING: StatementCause = { kind: 'closing', at: AT };
const REOPENING: StatementCause = { kind: 'reopening' };
const FINAL: StatementCause = { kind: 'final', settledBy: 'processed' };

type Hours = Readonly<Record<string, number>>;
type Count = readonly [cause: StatementCause, hours: Hours | null, manifest?: Partial<CloseManifest>];

describe('a statement', () => {
  test('of a first closing is the count, with nothing since', () => {
    const [statement] = statementsOf([CLOSING, { a: 7.5, b: 0.1 }]);
    expect(statement).toMatchObject({
      stage: 'closed',
      closings: 1,
      hours: 7.6,
      previous: null,
      change: null,
      sinceClose: { closedHours: 7.6, changes: [], hours: 7.6, timesheets: [] },
    });
  });

  test('says what came late and what came while it was open again', () => {
    const statements = statementsOf(
      [CLOSING, { a: 900, b: 70, c: 6.5 }],
      [REOPENING, { a: 901.5, b: 70.5, c: 6.5 }],
      [CLOSING, { a: 901.5, b: 70.5, c: 6.5, d: 1 }],
      [FINAL, { a: 901.5, b: 70.5, c: 6.5, d: 1 }],
    );
    const changes = [
      { reason: 'late', hours: 2, timesheets: 2 },
      { reason: 'reopened', hours: 1, timesheets: 1 },
    ];
    expect(statements.map(({ stage, closings, change }) => [stage, closings, change?.hours])).toEqual([
      ['closed', 1, undefined],
      ['closed_again', 2, 3],
      ['final', 2, 0],
    ]);
    expect(statements.slice(1).map(({ sinceClose }) => sinceClose)).toMatchObject([
      { closedHours: 976.5, changes, hours: 979.5 },
      { closedHours: 976.5, changes, hours: 979.5 },
    ]);
    expect(statements[2]?.sinceClose.timesheets).toEqual([
      { timesheetId: 'a', reason: 'late', hours: 1.5 },
      { timesheetId: 'd', reason: 'reopened', hours: 1 },
      { timesheetId: 'b', reason: 'late', hours: 0.5 },
    ]);
  });

  test('puts all between two closings down to reopening when that was not counted', () => {
    for (const between of [[], [[REOPENING, null] as const]]) {
      const [, again] = statementsOf([CLOSING, { a: 1 }], ...between, [CLOSING, { a: 3 }]);
      expect(again?.sinceClose.changes).toEqual([{ reason: 'reopened', hours: 2, timesheets: 1 }]);
    }
  });

  test('names changes that come to nothing together', () => {
    const [, final] = statementsOf([CLOSING, { a: 8, b: 8 }], [FINAL, { a: 9, b: 7 }]);
    expect(final?.sinceClose.changes).toEqual([{ reason: 'late', hours: 0, timesheets: 2 }]);
  });

  test('forgets a change that was taken back', () => {
    const [, , final] = statementsOf(
      [CLOSING, { a: 8 }],
      [REOPENING, { a: 9 }],
      [CLOSING, { a: 9 }],
      [FINAL, { a: 8 }],
    );
    expect(final?.sinceClose.changes).toEqual([]);
  });

  test('puts what one count could not see down to that', () => {
    const part = { members: 'partly', membersUnknown: 1 } as const;
    const [, final] = statementsOf([CLOSING, { a: 8 }, part], [FINAL, { a: 9, b: 4 }]);
    expect(final?.sinceClose.changes).toEqual([
      { reason: 'late', hours: 1, timesheets: 1 },
      { reason: 'recounted', hours: 4, timesheets: 1 },
    ]);
    const [, whole] = statementsOf([CLOSING, { a: 8 }], [FINAL, { a: 9, b: 4 }]);
    expect(whole?.sinceClose.changes).toEqual([{ reason: 'late', hours: 5, timesheets: 2 }]);
  });

  test('still adds up without its ledger, and does not say of how many timesheets', () => {
    const known = { ...run([CLOSING, { a: 8 }]).known, ledger: null };
    const { statement } = planStatement(FINAL, known, count({ a: 9 }));
    expect(statement?.sinceClose).toEqual({
      closedHours: 8,
      changes: [{ reason: 'late', hours: 1, timesheets: null }],
      hours: 9,
      timesheets: [],
    });
  });

  test('never again says of how many timesheets, once a ledger was lost', () => {
    const lost = { ...run([CLOSING, { a: 8 }]).known, ledger: null };
    const { memory, ledger } = planStatement(REOPENING, lost, count({ a: 9 }));
    const closed = planStatement(CLOSING, { memory, ledger }, count({ a: 9, b: 2 }));
    expect(closed.statement?.sinceClose).toMatchObject({
      closedHours: 8,
      changes: [
        { reason: 'late', hours: 1, timesheets: null },
        { reason: 'reopened', hours: 2, timesheets: null },
      ],
    });
    const final = planStatement(FINAL, closed, count({ a: 9, b: 2 }));
    expect(final.statement?.sinceClose.changes.map(({ timesheets }) => timesheets)).toEqual([null, null]);
  });

  test('of a closing without a count comes later, unless it is taken back first', () => {
    const { known, statements } = run([CLOSING, null]);
    expect(statements).toEqual([]);
    expect(known.memory).toMatchObject({ awaits: 'closing', closings: 0 });
    expect(planStatement(CLOSING, known, count({ a: 8 })).statement).toMatchObject({ stage: 'closed' });
    expect(planStatement(REOPENING, known, null).memory).toBeNull();
  });

  test('corrects its own closing, and not the one before that was never stated', () => {
    const early = { lookedAtBefore: { from: '2026-03-02', to: '2026-03-08' } };
    const { known, statements } = run([CLOSING, { a: 8 }, early]);
    expect(statements).toEqual([]);
    const awaited = planStatement({ ...CLOSING, awaited: true }, known, count({ a: 9 }, early));
    expect(awaited.statement).toMatchObject({ stage: 'closed', hours: 9, corrects: true });
    // Closed over that closing: it was open in between, and changed.
    const over = { kind: 'closing', at: AT + 60_000 } as const;
    expect(planStatement(over, known, count({ a: 9 })).statement).not.toHaveProperty('corrects');
    const { statement, memory } = planStatement(over, known, count({ a: 9 }, early));
    expect([statement, memory?.awaits, memory?.told?.hours]).toEqual([null, 'closing', 9]);
  });

  test('is awaited from its closing to the final one, and not while the period is open', () => {
    const awaits = (...counts: Count[]) => run(...counts).known.memory?.awaits;
    expect(awaits([CLOSING, { a: 8 }])).toBe('final');
    expect(awaits([CLOSING, { a: 8 }], [REOPENING, { a: 8 }])).toBeNull();
    expect(awaits([CLOSING, { a: 8 }], [REOPENING, null])).toBeNull();
    expect(awaits([CLOSING, { a: 8 }], [FINAL, { a: 8 }])).toBeNull();
    expect(awaits([CLOSING, { a: 8 }], [FINAL, { a: 8 }], [CLOSING, { a: 8 }])).toBe('final');
  });

  test('always adds up, to the last decimal, whatever happened', () => {
    fc.assert(
      fc.property(fc.array(anyCount, { minLength: 1, maxLength: 8 }), (counts) => {
        for (const statement of run(...counts).statements) {
          const { closedHours, changes, hours } = statement.sinceClose;
          const sum = changes.reduce((total, change) => total + decimal(change.hours), decimal(closedHours));
          expect([sum, hours]).toEqual([decimal(statement.hours), statement.hours]);
          expect(statementSchema.safeParse(statement).error).toBeUndefined();
        }
      }),
      { seed: 18, numRuns: 500 },
    );
  });

  test('names, of a period that is counted whole, the very timesheets that differ', () => {
    fc.assert(
      fc.property(anyHours, anyHours, (before, after) => {
        const [, final] = statementsOf([CLOSING, before], [FINAL, after]);
        const ids = new Set([...Object.keys(before), ...Object.keys(after)]);
        const differing = [...ids].filter((id) => (before[id] ?? 0) !== (after[id] ?? 0));
        const listed = final?.sinceClose.timesheets ?? [];
        expect(listed.map(({ timesheetId }) => timesheetId).sort()).toEqual(differing.sort());
        for (const { timesheetId: id, hours } of listed)
          expect(decimal(hours)).toBe(decimal(after[id] ?? 0) - decimal(before[id] ?? 0));
      }),
      { seed: 18, numRuns: 300 },
    );
  });
});

/** At most 4 decimals, as people enter them; sums of floats are not exact. */
const anyHours = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.integer({ min: 0, max: 200_000 }).map((units) => units / 10_000),
);
const anyCount: fc.Arbitrary<Count> = fc.tuple(
  fc.constantFrom(CLOSING, REOPENING, FINAL),
  // Finer than a ledger counts: their rest must go somewhere.
  fc.oneof(
    anyHours,
    fc.dictionary(fc.constantFrom('a', 'b', 'f'), fc.constantFrom(7.333333333, 1 / 3, 0.1, 0.7)),
  ),
  fc.constantFrom<Partial<CloseManifest>>(
    {},
    { complete: false },
    { members: 'partly', membersUnknown: 2 },
    { sharesDatesWith: ['9_1'] },
  ),
);

function statementsOf(...counts: Count[]): Statement[] {
  return run(...counts).statements;
}

function run(...counts: Count[]): { readonly known: KnownStatement; readonly statements: Statement[] } {
  let known: KnownStatement = { memory: null, ledger: null };
  const ledgers = new Map<string, readonly LedgerEntry[]>();
  const statements: Statement[] = [];
  for (const [cause, hours, manifest] of counts) {
    if (cause.kind === 'final' && known.memory?.awaits !== 'final') continue;
    const plan = planStatement(cause, known, hours === null ? null : count(hours, manifest));
    const name = plan.memory?.count?.ledger ?? '';
    if (plan.ledger !== null) ledgers.set(name, plan.ledger);
    known = { memory: plan.memory, ledger: ledgers.get(name) ?? null };
    if (plan.statement !== null) statements.push(plan.statement);
  }
  return { known, statements };
}

function count(hours: Hours, manifest: Partial<CloseManifest> = {}) {
  const members = Object.entries(hours).map(([id, hoursToPay]) => ({ id, hoursToPay }));
  const sum = members.reduce((total, { hoursToPay }) => total + hoursToPay, 0);
  const { length } = members;
  const whole: CloseManifest = {
    ...{ complete: true, missing: null, asOf: null, timesheets: length, employees: 1 },
    ...{ approved: length, unapproved: 0, processed: length, unprocessed: 0 },
    hoursToPay: Math.round(sum * 10_000) / 10_000,
    ...{
      members: 'all',
      membersUnknown: 0,
      sharesDatesWith: [],
      source: null,
      addsUp: null,
      difference: null,
    },
    ...{ digest: '0'.repeat(64), departments: 0, byDepartment: [], leftovers: [] },
  };
  return { manifest: { ...whole, ...manifest }, members };
}

/** A decimal with at most 4 places, as a whole number: read from its text, not computed. */
function decimal(value: number): bigint {
  const read = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(String(value));
  if (read === null) throw new Error(`${value} has more than 4 decimals`);
  const [, sign = '', whole = '', places = ''] = read;
  return BigInt(`${sign}${whole}${places.padEnd(4, '0')}`);
}
