import {
  type PeriodCount,
  planStatement,
  type StatementCause,
  type StatementPlan,
} from '#shared/core/events/plan-statement.ts';
import type { LedgerEntry } from '#shared/core/periods/ledger.ts';
import type { StatementMemory } from '#shared/core/periods/statement-memory.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';

const DAY_MS = 86_400_000;
/** Minimum lifetime of ledgers: longer than a period waits for its final statement and stays reopened. */
const MIN_LEDGER_DAYS = 100;

/** Whether the config wants statements. */
export function wantsStatements({ connection }: Pick<PollRun, 'connection'>): boolean {
  return connection.statements !== false;
}

/** A pay period of which a statement is due. */
interface DueStatement {
  readonly id: string;
  readonly cause: StatementCause;
  readonly memory: StatementMemory | null;
}

/** Plans a statement from a count, and stores the ledger that its memory points to: no memory points to one before. */
export async function planCounted(
  { id, cause, memory }: DueStatement,
  count: PeriodCount | null,
  run: PollRun,
): Promise<StatementPlan> {
  const { ports, lease, connection } = run;
  const ledger = count === null ? null : await findLedger({ id, memory }, run);
  const plan = planStatement(cause, { memory, ledger }, count);
  const next = plan.memory?.count?.ledger;
  if (plan.ledger !== null && next !== undefined) {
    const expiresAt = ports.clock.now() + Math.max(connection.retentionDays, MIN_LEDGER_DAYS) * DAY_MS;
    const key = { connection: lease.connection, payPeriodId: id, name: next };
    await ports.store.saveLedger(key, plan.ledger, expiresAt);
  }
  return plan;
}

/** The timesheets of a pay period at its latest count; null when they are not at hand. */
export async function findLedger(
  { id: payPeriodId, memory }: Pick<DueStatement, 'id' | 'memory'>,
  { ports, lease }: PollRun,
): Promise<readonly LedgerEntry[] | null> {
  const name = memory?.count?.ledger;
  if (name === undefined) return null;
  return await ports.store.loadLedger({ connection: lease.connection, payPeriodId, name });
}
