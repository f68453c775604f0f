import type { Connection } from '#shared/config/schema/connection.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';
import { findSharing } from '#shared/core/periods/learn-membership.ts';
import type { State } from '#shared/core/records/fields.ts';
import type { PayPeriodState } from '#shared/core/records/pay-period.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { CloseManifest } from '../../core/periods/close-manifest.ts';
import {
  type Logged,
  parseClosings,
  parseStatements,
  type StoredClosing,
  type StoredStatement,
  withoutPosition,
} from '../logged-statements.ts';
import { toManifest } from '../manifest.ts';
import { listOpenTimesheets, type OpenTimesheet } from '../open-timesheets.ts';
import { isComparableNow, readClosedWith } from './read-open-timesheets.ts';
import { knowsMembers, readStoredAccount } from './stored-account.ts';

/** A pay period as it is stored: what it came to each time it closed, and what it comes to now. */
export interface PeriodStatement {
  readonly id: string;
  readonly connection: string;
  readonly period: PayPeriodState;
  /** In their order, as far back as the log was read. */
  readonly closings: readonly StoredClosing[];
  /** The same of its statements. */
  readonly statements: readonly StoredStatement[];
  readonly now: CloseManifest;
  /** The timesheets that `now` counts, in the order of their dates. */
  readonly timesheets: readonly { readonly id: string; readonly state: State }[];
  /** What is still open of a closed one; null where nothing is known to hold it against. */
  readonly stillOpen: readonly OpenTimesheet[] | null;
  /** Whether that has what was added or removed. */
  readonly knowsAdded: boolean;
}

export interface StatementSource {
  readonly store: Store;
  readonly log: EventLog;
  /** What of the log is read, in milliseconds since 1970. */
  readonly range: { readonly from: number; readonly to: number };
}

/** Null when the connection has no such pay period. Throws a `NotifierError` for one of more than 400 days. */
export async function readStatement(
  id: string,
  { name: connection, timeZone }: Pick<Connection, 'name' | 'timeZone'>,
  source: StatementSource,
): Promise<PeriodStatement | null> {
  const stored = await readStoredAccount(id, connection, source.store);
  if (stored === null) return null;
  const { period, periods, account, kept, members, memory } = stored;
  const past = await readPast(id, connection, source);
  const isKnown = knowsMembers(stored);
  const own = kept.flatMap((date) => date.own);
  // While no calendar is known, the timesheets of all count.
  const counted = isKnown ? own : kept.flatMap(({ all }) => all);
  const known = { ...{ id, period, memory, connection, timeZone }, statements: past.statements };
  const closed = await readClosedWith(known, source.store);
  const knowsAdded = closed !== null && isComparableNow(stored);
  return {
    id,
    connection,
    period,
    ...past,
    now: toManifest(account, {
      sharing: findSharing({ ...period, id }, periods).map((other) => other.id),
      source: null,
      members: isKnown ? members : null,
    }),
    timesheets: counted.map((row) => ({ id: row.id, state: readState('timesheets', row) ?? {} })),
    stillOpen:
      closed === null ? null : listOpenTimesheets({ ...closed, rows: own, isComparable: knowsAdded }),
    knowsAdded,
  };
}

/** Closings and statements in the log, in their order. */
async function readPast(
  id: string,
  connection: string,
  { log, range }: StatementSource,
): Promise<Pick<PeriodStatement, 'closings' | 'statements'>> {
  const closings: Logged<StoredClosing>[] = [];
  const statements: Logged<StoredStatement>[] = [];
  for await (const { texts } of log.read(connection, { ...range, topic: 'pay-periods' })) {
    closings.push(...parseClosings(texts, id));
    statements.push(...parseStatements(texts, id));
  }
  return {
    closings: closings.sort(comparePositions).map(withoutPosition),
    statements: statements.sort(comparePositions).map(withoutPosition),
  };
}
