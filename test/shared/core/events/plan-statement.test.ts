import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type KnownStatement,
  planStatement,
  type StatementCause,
  stopAwaiting,
} from '#shared/core/events/plan-statement.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import type { LedgerEntry } from '#shared/core/periods/ledger.ts';
import { type Statement, statementSchema } from '#shared/core/periods/statement.ts';

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

  test('says what is in doubt in its count, and nothing where nothing is', () => {
    const doubts = {
      held: { from: '2026-03-02', to: '2026-03-03' },
      asLastSeen: 2,
      lookedAtBefore: { from: '2026-03-04', to: '2026-03-05' },
    };
    const awaited = { ...CLOSING, awaited: true } as const;
    expect(statementsOf([awaited, { a: 8 }, doubts])[0]).toMatchObject(doubts);
    const [plain] = statementsOf([awaited, { a: 8 }]);
    for (const name of [...Object.keys(doubts), 'corrects']) expect(plain).not.toHaveProperty(name);
  });

  test('has nothing to say of what was not counted', () => {
    const { manifest, members } = count({ a: 8 });
    const added = [
      'members',
      'membersUnknown',
      'source',
      'addsUp',
      'difference',
      'departments',
      'byDepartment',
    ];
    const old = Object.fromEntries(Object.entries(manifest).filter(([name]) => !added.includes(name)));
    const counted = { manifest: old as CloseManifest, members };
    const { statement } = planStatement(CLOSING, { memory: null, ledger: null }, counted);
    expect(statement).toMatchObject({
      ...{ members: 'all', membersUnknown: 0, departments: 0, byDepartment: [] },
      ...{ source: null, addsUp: null, difference: null },
    });
  });

  test('corrects nothing where the figures are those that were told', () => {
    const early = { lookedAtBefore: { from: '2026-03-02', to: '2026-03-08' } };
    const { known } = run([CLOSING, { a: 8 }, early]);
    const awaited = { ...CLOSING, awaited: true } as const;
    expect(planStatement(awaited, known, count({ a: 8 })).statement).not.toHaveProperty('corrects');
    const { known: untold } = run([CLOSING, null]);
    expect(planStatement(awaited, untold, count({ a: 8 })).statement).not.toHaveProperty('corrects');
    expect(untold.memory).not.toHaveProperty('told');
  });

  test('that is final and differs from the source is remembered, and corrected once it agrees', () => {
    const { known } = run([CLOSING, { a: 8 }]);
    const waiting = planStatement({ kind: 'differs', since: AT + 5 }, known, null);
    expect(waiting).toEqual({
      statement: null,
      memory: { ...known.memory, differsSince: AT + 5 },
      ledger: null,
    });

    const wrong = planStatement(
      FINAL,
      { ...known, memory: waiting.memory },
      count({ a: 8 }, { addsUp: false }),
    );
    expect(wrong.statement).toMatchObject({ stage: 'final', hours: 8 });
    expect(wrong.statement).not.toHaveProperty('corrects');
    expect(wrong.memory).toMatchObject({ awaits: 'correction', differsSince: AT + 5, closings: 1 });
    const unheard = planStatement(FINAL, known, count({ a: 8 }, { addsUp: false }));
    expect(unheard.memory?.differsSince).toBe(AT);

    const right = planStatement(FINAL, wrong, count({ a: 9 }, { addsUp: true }));
    expect(right.statement).toMatchObject({ stage: 'final', hours: 9, corrects: true });
    expect(right.memory?.awaits).toBeNull();
    expect(right.memory).not.toHaveProperty('differsSince');
    expect(planStatement(FINAL, wrong, count({ a: 9 }, { addsUp: null })).memory?.awaits).toBeNull();
  });

  test('that is final waits for its count', () => {
    const { known } = run([CLOSING, { a: 8 }]);
    expect(planStatement(FINAL, known, null)).toEqual({
      statement: null,
      memory: known.memory,
      ledger: null,
    });
  });

  test('is awaited no longer once nothing can count it', () => {
    const { memory } = run([CLOSING, { a: 8 }]).known;
    if (memory === null) throw new Error('a closing is remembered');
    expect(stopAwaiting({ ...memory, differsSince: AT })).toEqual({
      statement: null,
      memory: { ...memory, awaits: null },
      ledger: null,
    });
  });

  test.each<[Partial<CloseManifest>, string]>([
    [{}, 'own'],
    [{ sharesDatesWith: ['9_1'] }, 'dates'],
    [{ members: 'partly' }, 'part'],
    [{ complete: false }, 'part'],
    [{ complete: false, sharesDatesWith: ['9_1'] }, 'part'],
  ])('remembers of which timesheets it was: with %o %s', (manifest, basis) => {
    expect(run([CLOSING, { a: 8 }, manifest]).known.memory?.count?.basis).toBe(basis);
  });

  test.each<[string, Partial<CloseManifest>, Partial<CloseManifest>, string]>([
    ['of its own timesheets', {}, {}, 'late'],
    ['of all on its dates', { sharesDatesWith: ['9_1'] }, { sharesDatesWith: ['9_1'] }, 'late'],
    ['of others', {}, { sharesDatesWith: ['9_1'] }, 'recounted'],
    ['of parts', { complete: false }, { complete: false }, 'recounted'],
  ])('puts what one of two counts %s has alone down to: %o %o %s', (...[, first, second, reason]) => {
    const [, final] = statementsOf([CLOSING, { a: 8 }, first], [FINAL, { a: 8, b: 1 }, second]);
    expect(final?.sinceClose.changes).toEqual([{ reason, hours: 1, timesheets: 1 }]);
    const lost = { ...run([CLOSING, { a: 8 }, first]).known, ledger: null };
    const { statement } = planStatement(FINAL, lost, count({ a: 8, b: 1 }, second));
    expect(statement?.sinceClose.changes).toEqual([{ reason, hours: 1, timesheets: null }]);
  });

  test('puts what its timesheets do not account for down to the reason that moved most', () => {
    // The sum of the manifest is larger by an hour than its timesheets.
    const more = (hours: Hours, sum: number) => count(hours, { hoursToPay: sum });
    const part = { complete: false } as const;
    const { known } = run([CLOSING, { a: 8 }, part]);
    const changesOf = (hours: Hours, sum: number) =>
      planStatement(FINAL, known, {
        ...more(hours, sum),
        manifest: { ...more(hours, sum).manifest, ...part },
      }).statement?.sinceClose.changes;
    expect(changesOf({ a: 9, b: 4 }, 14)).toEqual([
      { reason: 'late', hours: 1, timesheets: 1 },
      { reason: 'recounted', hours: 5, timesheets: 1 },
    ]);
    expect(changesOf({ a: 3, b: 4 }, 8)).toEqual([
      { reason: 'late', hours: -4, timesheets: 1 },
      { reason: 'recounted', hours: 4, timesheets: 1 },
    ]);
    expect(changesOf({ a: 8 }, 9)).toEqual([{ reason: 'recounted', hours: 1, timesheets: 0 }]);
  });

  test('lists the fifty timesheets that changed most', () => {
    const hours = Object.fromEntries(Array.from({ length: 52 }, (_, n) => [`t${n}`, n + 1]));
    const [, final] = statementsOf([CLOSING, {}], [FINAL, hours]);
    expect(final?.sinceClose.timesheets).toHaveLength(50);
    expect(final?.sinceClose.timesheets[0]).toEqual({ timesheetId: 't51', reason: 'late', hours: 52 });
    expect(final?.sinceClose.changes).toEqual([{ reason: 'late', hours: 1_378, timesheets: 52 }]);
  });

  test('names the change of one timesheet that came to nothing with another', () => {
    const known = run([CLOSING, { a: 8, b: 8, c: 1 }]).known;
    const { statement } = planStatement(FINAL, known, count({ a: 8, b: 8, c: 2 }, { hoursToPay: 17 }));
    expect(statement?.sinceClose.changes).toEqual([{ reason: 'late', hours: 0, timesheets: 1 }]);
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
    ...{ departments: 0, byDepartment: [], leftovers: [] },
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
