import type { Change } from '#shared/core/compare/change.ts';
import type { CloseManifest } from '#shared/core/events/close-manifest.ts';
import type { LedgerEntry } from '#shared/core/events/statement/ledger.ts';
import {
  type PeriodCount,
  planStatement,
  type StatementCause,
  type StatementPlan,
} from '#shared/core/events/statement/plan-statement.ts';
import { returnsClosed } from '#shared/core/events/statement/statement-step.ts';
import { toState } from '#shared/core/records/feed-definition.ts';
import {
  type PayPeriodState,
  readClosedOrReopened,
  type SeenPayPeriod,
} from '#shared/core/records/pay-period.ts';
import { type PayPeriodTotals, subtractTotals } from '#shared/core/records/pay-period-totals.ts';
import type { StatementMemory } from '#shared/core/snapshot/statement-memory.ts';
import { countPayPeriod, PollPeriods } from '../account/count-period.ts';
import type { PollRun } from '../poll-run.ts';

const DAY_MS = 86_400_000;
/** For how long ledgers are kept at least: longer than a period waits for its final statement, and is open again. */
const MIN_LEDGER_DAYS = 100;

/** What the closings and reopenings among some changes bring, by the ids of their pay periods. */
export interface PlannedStatements {
  readonly manifests: ReadonlyMap<string, CloseManifest>;
  readonly statements: ReadonlyMap<string, StatementPlan>;
}

/**
 * Counts each pay period that has closed or was reopened, and plans its statement. A closing that could not be counted,
 * or not from looks at all its dates that began after it was seen, awaits its statement. `seen`: the pay periods as the
 * scan of this poll saw them, with their totals.
 */
export async function planStatements(
  changes: readonly Change[],
  run: PollRun,
  seen: readonly SeenPayPeriod[] = [],
): Promise<PlannedStatements> {
  const manifests = new Map<string, CloseManifest>();
  const statements = new Map<string, StatementPlan>();
  if (run.feed.feed !== 'pay-periods') return { manifests, statements };
  const periods = new PollPeriods(seen, run);
  for (const turn of findTurns(changes, periods, run)) {
    const { id, memory, cause } = turn;
    // Reopened, and nothing was said of its closing.
    if (cause.kind === 'reopening' && (memory === null || !hasStatements(run))) continue;
    const count = await countPayPeriod(turn, periods, run);
    const plan = hasStatements(run) ? await planCounted({ id, cause, memory }, count, run) : null;
    if (plan !== null) statements.set(id, plan);
    if (count !== null && cause.kind === 'closing')
      manifests.set(id, { ...count.manifest, change: compareToLast(count.manifest, memory) });
  }
  return { manifests, statements };
}

/** What a closing comes to, minus what the one before came to; null at the first one, or when that is not known. */
function compareToLast(manifest: CloseManifest, memory: StatementMemory | null): PayPeriodTotals | null {
  const { hoursToPay: hours, ...totals } = manifest;
  return memory?.last == null ? null : subtractTotals({ ...totals, hours }, memory.last);
}

/** Whether the config wants statements. */
export function hasStatements({ connection }: PollRun): boolean {
  return connection.statements !== false;
}

/** A pay period of which a statement is due. */
export interface DueStatement {
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
  const { ports, feed, retentionMs } = run;
  const ledger = count === null ? null : await findLedger({ id, memory }, run);
  const plan = planStatement(cause, { memory, ledger }, count);
  const next = plan.memory?.count?.ledger;
  if (plan.ledger !== null && next !== undefined) {
    const expiresAt = ports.clock.now() + Math.max(retentionMs, MIN_LEDGER_DAYS * DAY_MS);
    const key = { connection: feed.connection, payPeriodId: id, name: next };
    await ports.store.saveLedger?.(key, plan.ledger, expiresAt);
  }
  return plan;
}

/** The timesheets of a pay period at its latest count; null when they are not at hand. */
export async function findLedger(
  { id: payPeriodId, memory }: Pick<DueStatement, 'id' | 'memory'>,
  { ports, feed }: PollRun,
): Promise<readonly LedgerEntry[] | null> {
  const name = memory?.count?.ledger;
  if (name === undefined) return null;
  return (await ports.store.loadLedger?.({ connection: feed.connection, payPeriodId, name })) ?? null;
}

/** A pay period that closed or was reopened. */
interface Turn extends DueStatement {
  readonly period: PayPeriodState;
  /** When its closing was first seen; null when that is not known. */
  readonly closedAt: number | null;
}

function findTurns(changes: readonly Change[], periods: PollPeriods, run: PollRun): Turn[] {
  return changes.flatMap((change) => {
    const period = readTurned(change, run);
    if (period === null) return [];
    const { id, before, closing, observed } = change;
    // One that is closed when it is first seen closed some time ago: nothing waits for looks after that.
    const closedAt = before === null ? null : (periods.seen(id)?.closedBetween?.by ?? null);
    const cause: StatementCause =
      period.closed === null ? { kind: 'reopening' } : { kind: 'closing', at: closedAt ?? observed.by };
    return [{ id, period, cause, closedAt, memory: (before?.row ?? closing)?.statement ?? null }];
  });
}

/** The pay period of a change by which it closed or was reopened; null for any other. */
function readTurned(change: Change, { definition, connection }: PollRun): PayPeriodState | null {
  const { before, after, silent, closing } = change;
  if (after === null || silent === true || returnsClosed(change, toState(definition, after.row))) return null;
  const closedBefore = before === null ? closing?.closed : toState(definition, before.row.state).closed;
  return readClosedOrReopened(toState(definition, after.row), closedBefore, connection.timeZone);
}
