import { NotifierError } from '#shared/core/errors.ts';
import {
  belongsTo,
  findSharing,
  type KnownCalendars,
  type PeriodOfCalendar,
} from '#shared/core/periods/learn-membership.ts';
import type { StatementMemory } from '#shared/core/periods/statement-memory.ts';
import { parseRow, readStoredPeriod } from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type KnownPeriod, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { readKnownPeriod, readState } from '#shared/core/snapshot/stored-state.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import type { PeriodAccount, PeriodMembers } from '../period-account.ts';
import type { ReadAccount } from './read-account.ts';
import { readSteadily } from './read-steadily.ts';

/** A pay period as it is stored, without its dates. */
export interface StoredPeriod {
  readonly id: string;
  readonly period: PayPeriodState;
  /** What it remembers of its statements; null before its first closing. */
  readonly memory: StatementMemory | null;
  /** All periods of the connection. */
  readonly periods: readonly KnownPeriod[];
}

/** A pay period as it is stored, with what was kept of its dates. */
export interface StoredAccount<Kept = DateRows> extends Omit<StoredPeriod, 'id'> {
  readonly account: PeriodAccount;
  /** Of each date, in their order. */
  readonly kept: readonly Kept[];
  /** Ids of timesheets of which it is not known to which period they belong. */
  readonly unsure: readonly string[];
  /** Null where all timesheets on its dates are its own: no other period shares them. */
  readonly members: PeriodMembers | null;
}

/** What is stored on a date of a pay period. */
export interface DateRows {
  readonly all: readonly StoredRow[];
  /** Its own timesheets among them, as far as calendars of employees are known. */
  readonly own: readonly StoredRow[];
}

/** Where a stored pay period is read, by a poll or beside it. */
export interface StoredSource {
  readonly connection: string;
  readonly store: Store;
  /** As the reader's own poll knows it; absent beside polls. */
  readonly read?: ReadAccount;
}

/** Null for one that was never readable, and where nothing of its length is counted. */
export function toStoredPeriod(
  { id, text, memory }: StoredRow,
  periods: readonly KnownPeriod[],
): StoredPeriod | null {
  const period = text === null ? null : readStoredPeriod(parseRow(text));
  if (period === null || !isOfUsualLength(period)) return null;
  return { id, period, periods, memory: memory?.statement ?? null };
}

/** Null when the connection has no such pay period. Throws a `NotifierError` for one of more than 400 days. */
export async function readStoredPeriodOf(
  id: string,
  { connection, store }: Pick<StoredSource, 'connection' | 'store'>,
): Promise<StoredPeriod | null> {
  const rows: StoredRow[] = [];
  for await (const slice of walkRows(connection, { feed: 'pay-periods' }, store)) rows.push(...slice.rows);
  const periods = rows.flatMap((row) => readKnownPeriod(row) ?? []);
  const known = periods.find((period) => period.id === id);
  const row = rows.find((each) => each.id === id);
  if (known === undefined || row === undefined) return null;
  const stored = toStoredPeriod(row, periods);
  if (stored !== null) return stored;
  const { startDate, finishDate } = known;
  throw new NotifierError(
    'period_too_long',
    `the period ${startDate} to ${finishDate} is longer than 400 days`,
  );
}

/**
 * The account of a stored period, and what `keep` takes of each of its dates, since the rows of a large period do not
 * fit in memory at once. Null when there is no time.
 */
export async function readAccountOf<Kept>(
  { id, period, periods, memory }: StoredPeriod,
  { connection, store, read = readSteadily(connection, store) }: StoredSource,
  keep: (rows: DateRows) => Kept,
): Promise<StoredAccount<Kept> | null> {
  const own = { ...period, id };
  const isShared = findSharing(own, periods).length > 0;
  const known = isShared ? { periods, membership: await store.loadMembership(connection) } : null;
  const dates = new Map<string, SelectedDate<Kept>>();
  const account = await read(period, (date, rows) => {
    const all = rows.filter(({ text }) => text !== null);
    const selected = known === null ? { own: all, unsure: [] } : selectOwn(all, own, known);
    const ids = selected.own.map((row) => row.id);
    dates.set(date, { unsure: selected.unsure, ids, kept: keep({ all, own: selected.own }) });
  });
  if (account === null) return null;
  const inOrder = [...dates].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, date]) => date);
  const unsure = inOrder.flatMap((date) => date.unsure);
  const members = { timesheets: new Set(inOrder.flatMap(({ ids }) => ids)), unknown: new Set(unsure) };
  return {
    ...{ period, periods, memory, account, unsure, members: isShared ? members : null },
    kept: inOrder.map(({ kept }) => kept),
  };
}

/**
 * Null when the connection has no such pay period. Throws a `NotifierError` for one of more than 400 days, and where polls
 * committed during each of several counts.
 */
export async function readStoredAccount(
  id: string,
  connection: string,
  store: Store,
): Promise<StoredAccount | null> {
  const source = { connection, store };
  const stored = await readStoredPeriodOf(id, source);
  return stored === null ? null : await readAccountOf(stored, source, (rows) => rows);
}

/** Whether any timesheet is known to be the period's own; until then those of all calendars count. */
export function knowsMembers({ members }: Pick<StoredAccount, 'members'>): boolean {
  return members === null || members.timesheets.size > 0;
}

interface SelectedDate<Kept> {
  readonly ids: readonly string[];
  readonly unsure: readonly string[];
  readonly kept: Kept;
}

/** The timesheets of a period whose dates others share, as far as calendars of employees are known. */
function selectOwn(
  rows: readonly StoredRow[],
  period: PeriodOfCalendar,
  known: KnownCalendars,
): Pick<DateRows, 'own'> & Pick<StoredAccount, 'unsure'> {
  const own: StoredRow[] = [];
  const unsure: string[] = [];
  for (const row of rows) {
    const { employeeId, date } = readState('timesheets', row) ?? {};
    const owner = typeof employeeId === 'string' ? employeeId : null;
    const isOwn = belongsTo({ id: row.id, employeeId: owner, date: String(date) }, period, known);
    if (isOwn === true) own.push(row);
    if (isOwn === null) unsure.push(row.id);
  }
  return { own, unsure };
}
