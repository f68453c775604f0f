import type { PayPeriodState } from '#shared/core/records/pay-period.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { toUnits } from '../../core/periods/ledger.ts';
import type { Statement } from '../../core/periods/statement.ts';
import type { StatementMemory } from '../../core/periods/statement-memory.ts';
import { parseStatements, type StoredStatement } from '../logged-statements.ts';
import { type ClosedWith, createJudge, joinOpenTimesheets, type OpenTimesheet } from '../open-timesheets.ts';
import {
  knowsMembers,
  readAccountOf,
  type StoredAccount,
  type StoredPeriod,
  type StoredSource,
} from './stored-account.ts';

/** A stored period with its statements in the log, in their order. */
interface KnownPeriod {
  readonly id: string;
  readonly connection: string;
  readonly timeZone: string;
  readonly period: PayPeriodState;
  readonly memory: StatementMemory | null;
  readonly statements: readonly Pick<StoredStatement, 'statement'>[];
}

/** What a pay period closed with; null while it is open, and where its closing was not counted or its ledger has expired. */
export async function readClosedWith(
  { id: payPeriodId, connection, timeZone, period, memory, statements }: KnownPeriod,
  store: Pick<Store, 'loadLedger'>,
): Promise<ClosedWith | null> {
  if (period.closed === null || memory?.count == null || memory.awaits === 'closing') return null;
  const ledger = await store.loadLedger({ connection, payPeriodId, name: memory.count.ledger });
  if (ledger == null) return null;
  const closing = statements.findLast(({ statement: { stage } }) => stage !== 'final')?.statement;
  const left = closing?.leftovers.flatMap(({ timesheetId, approved }) => (approved ? [] : [timesheetId]));
  return {
    ...{ ledger, timeZone, closedAt: memory.closedAt, isSettled: memory.awaits !== 'final' },
    unapproved: left === undefined || left.length < (closing?.unapproved ?? 0) ? null : new Set(left),
    movedBefore: listMovedBefore(closing),
  };
}

/** What had come late after earlier closings is in the figures of this one. */
function listMovedBefore(closing: Statement | undefined): ReadonlyMap<string, number> {
  const late = closing?.sinceClose.timesheets.filter(({ reason }) => reason === 'late') ?? [];
  return new Map(late.map(({ timesheetId, hours }) => [timesheetId, toUnits(hours)]));
}

/**
 * Whether the counts of the closing and of now cover the same timesheets, so that any difference has a known reason.
 */
export function isComparableNow(
  stored: Pick<StoredAccount, 'members' | 'unsure' | 'account' | 'memory'>,
): boolean {
  const { unsure, account, memory } = stored;
  const isWhole = unsure.length === 0 && account.coverage().complete;
  return knowsMembers(stored) && isWhole && memory?.count?.basis === 'own';
}

/** What is still open of a pay period. */
export interface OpenCount {
  readonly open: readonly OpenTimesheet[];
  /** Whether that has what was added or removed. */
  readonly knowsAdded: boolean;
}

const DAY_MS = 86_400_000;

/**
 * What is still open of a stored pay period, read date by date so that any size fits in memory. Null where there is
 * nothing to compare it with, or no time.
 */
export async function readOpen(
  stored: StoredPeriod,
  { timeZone, now, ...source }: StoredSource & { readonly timeZone: string; readonly now: number },
): Promise<OpenCount | null> {
  const closed = await findClosed(stored, { ...source, timeZone, now });
  if (closed === null) return null;
  const judge = createJudge(closed);
  const account = await readAccountOf(stored, source, ({ own }) => judge(own));
  if (account === null) return null;
  const knowsAdded = isComparableNow(account);
  const open = joinOpenTimesheets(account.kept, { ...closed, isComparable: knowsAdded });
  return { open, knowsAdded };
}

/** What a stored period closed with, by its statement in the log; null where nothing is known of that. */
export async function findClosed(
  stored: StoredPeriod,
  { connection, store, timeZone, now }: StoredSource & { readonly timeZone: string; readonly now: number },
): Promise<ClosedWith | null> {
  const statement = await findClosingStatement(stored, { connection, store, now });
  const statements = statement === null ? [] : [{ statement }];
  return await readClosedWith({ ...stored, connection, timeZone, statements }, store);
}

/** That of the last closing; null when the log has none any more. */
async function findClosingStatement(
  { id, memory }: StoredPeriod,
  { connection, store, now }: Pick<StoredSource, 'connection' | 'store'> & { readonly now: number },
): Promise<Statement | null> {
  if (memory === null) return null;
  const stretch = { from: memory.closedAt - DAY_MS, to: now + DAY_MS, topic: 'pay-periods' } as const;
  for await (const { texts } of createEventLog(store).read(connection, stretch)) {
    const found = parseStatements(texts, id).find(
      ({ statement: { stage, closings } }) => stage !== 'final' && closings === memory.closings,
    );
    if (found !== undefined) return found.statement;
  }
  return null;
}
