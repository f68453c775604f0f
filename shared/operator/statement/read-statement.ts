import * as z from 'zod';
import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { feedDefinition, type State, toState } from '#shared/core/records/feed-definition.ts';
import type { PayPeriodState } from '#shared/core/records/pay-period.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { findSharing } from '#shared/membership/learn-membership.ts';
import type { EventLog } from '#shared/replay/flow/replay-events.ts';
import { selectEvents } from '#shared/replay/selection.ts';
import type { CloseManifest } from '#shared/statements/close-manifest.ts';
import { toUnits } from '#shared/statements/ledger.ts';
import { toManifest } from '#shared/statements/manifest.ts';
import { listOutstanding, type Outstanding } from '#shared/statements/outstanding.ts';
import type { Statement as PublishedStatement } from '#shared/statements/statement.ts';
import { escapeUnprintable } from '#shared/terminal/output.ts';
import { readStoredAccount, type StoredAccount } from './stored-account.ts';

const closingSchema = z.looseObject({
  type: z.literal('workforce.pay_period.closed'),
  epoch: z.string().optional(),
  sequence: z.int(),
  time: z.string(),
  data: z.looseObject({ closeManifest: z.looseObject({ hoursToPay: z.number() }).optional() }),
});

const statementEventSchema = z.looseObject({
  type: z.literal('workforce.pay_period.statement'),
  epoch: z.string().optional(),
  sequence: z.int(),
  time: z.string(),
  data: z.looseObject({ statement: z.looseObject({ stage: z.string(), hours: z.number() }) }),
});

/** One statement of a pay period, as it was published. */
export interface StoredStatement {
  /** RFC 3339. */
  readonly time: string;
  readonly statement: PublishedStatement;
}

/** One closing of a pay period, as it was published. */
interface Closing {
  /** RFC 3339. */
  readonly time: string;
  /** Absent when there was no time to count. */
  readonly manifest?: CloseManifest;
}

/** A pay period as it is stored: what it came to each time it closed, and what it comes to now. */
export interface PeriodStatement {
  readonly id: string;
  readonly connection: string;
  readonly period: PayPeriodState;
  /** In their order, as far back as the log was read. */
  readonly closings: readonly Closing[];
  /** The same of its statements. */
  readonly statements: readonly StoredStatement[];
  readonly now: CloseManifest;
  /** The timesheets that `now` counts, in the order of their dates. */
  readonly timesheets: readonly { readonly id: string; readonly state: State }[];
  /** What is still open of a closed one; null where nothing is known to hold it against. */
  readonly outstanding: readonly Outstanding[] | null;
}

export interface StatementSource {
  readonly store: SnapshotStore;
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
  const feed: FeedKey = { connection, feed: 'pay-periods' };
  const stored = await readStoredAccount(id, connection, source.store);
  if (stored === null) return null;
  const { period, periods, account, leaves, own, members } = stored;
  const past = await readPast(id, feed, source);
  // While no calendar is known, the timesheets of all count.
  const isKnown = members === null || members.timesheets.size > 0;
  const counted = isKnown ? own : leaves.flatMap(({ rows }) => rows);
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
    timesheets: counted.map(({ id: timesheetId, state }) => ({
      id: timesheetId,
      state: toState(feedDefinition('timesheets'), state),
    })),
    outstanding: await readOutstanding({ id, connection, timeZone, stored, ...past }, source),
  };
}

interface Closed {
  readonly id: string;
  readonly connection: string;
  readonly timeZone: string;
  readonly stored: StoredAccount;
  readonly statements: readonly StoredStatement[];
}

/** Null while it is open, and where its closing was not counted or its ledger has expired. */
async function readOutstanding(
  { id: payPeriodId, connection, timeZone, stored, statements }: Closed,
  { store }: StatementSource,
): Promise<readonly Outstanding[] | null> {
  const { period, account, own, unsure, memory, members } = stored;
  if (period.closed === null || memory?.count == null || memory.awaits === 'closing') return null;
  const ledger = await store.loadLedger?.({ connection, payPeriodId, name: memory.count.ledger });
  if (ledger == null) return null;
  const closing = statements.findLast(({ statement: { stage } }) => stage !== 'final')?.statement;
  const left = closing?.leftovers.flatMap(({ timesheetId, approved }) => (approved ? [] : [timesheetId]));
  const isKnown = members === null || members.timesheets.size > 0;
  return listOutstanding({
    ...{ rows: own, ledger, isSettled: memory.awaits !== 'final' },
    ...{ unapproved: left === undefined || left.length < (closing?.unapproved ?? 0) ? null : new Set(left) },
    ...{ movedBefore: listMovedBefore(closing), closedAt: memory.closedAt, timeZone },
    isComparable:
      isKnown && unsure.length === 0 && account.coverage().complete && memory.count.basis === 'own',
  });
}

/** Closings and statements in the log, in their order. */
async function readPast(
  id: string,
  feed: FeedKey,
  { log, range }: StatementSource,
): Promise<Pick<PeriodStatement, 'closings' | 'statements'>> {
  const closings: z.output<typeof closingSchema>[] = [];
  const statements: z.output<typeof statementEventSchema>[] = [];
  for await (const { texts } of log.read(feed, range)) {
    for (const { text } of selectEvents(texts, { record: id })) {
      const event: unknown = JSON.parse(text);
      const closing = closingSchema.safeParse(event);
      if (closing.success) closings.push(closing.data);
      const stated = statementEventSchema.safeParse(event);
      if (stated.success) statements.push(stated.data);
    }
  }
  return {
    closings: closings.sort(comparePositions).map(({ time, data }) => {
      const manifest = data.closeManifest as CloseManifest | undefined;
      return manifest === undefined ? { time } : { time, manifest };
    }),
    statements: statements.sort(comparePositions).map(({ time, data }) => {
      return { time, statement: data.statement as unknown as PublishedStatement };
    }),
  };
}

/** What had come late after earlier closings is in the figures of this one. */
function listMovedBefore(closing: PublishedStatement | undefined): ReadonlyMap<string, number> {
  const late = closing?.sinceClose.timesheets.filter(({ reason }) => reason === 'late') ?? [];
  return new Map(late.map(({ timesheetId, hours }) => [timesheetId, toUnits(hours)]));
}

export function createUnknownPeriodError(id: string): NotifierError {
  return new NotifierError(
    'period_unknown',
    `no pay period ${escapeUnprintable(id)} is stored; use an id as in the events`,
  );
}
