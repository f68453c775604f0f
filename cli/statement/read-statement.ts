import * as z from 'zod';
import { toManifest } from '#shared/core/account/manifest.ts';
import type { PeriodMembers } from '#shared/core/account/period-account.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { CloseManifest } from '#shared/core/events/close-manifest.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';
import type { Statement as PublishedStatement } from '#shared/core/events/statement/statement.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import {
  belongsTo,
  findSharing,
  type KnownCalendars,
  type PeriodOfCalendar,
} from '#shared/core/plan/membership.ts';
import { feedDefinition, type State, toState, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import {
  findPeriodsSharingDates,
  isOfUsualLength,
  type PayPeriodState,
  payPeriodStateSchema,
} from '#shared/core/records/pay-period.ts';
import { selectEvents } from '#shared/core/replay/selection.ts';
import { NO_MEMBERSHIP } from '#shared/core/snapshot/membership.ts';
import { type LeafRow, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { readAccount, viewPeriod } from '#shared/flow/account/read-account.ts';
import type { EventLog } from '#shared/ports/event-log.ts';
import type { SnapshotStore } from '#shared/ports/poll.ts';

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
export interface Statement {
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
  connection: string,
  source: StatementSource,
): Promise<Statement | null> {
  const feed: FeedKey = { connection, feed: 'pay-periods' };
  const period = await readPeriod(id, feed, source);
  if (period === null) return null;
  const { startDate, finishDate } = period;
  if (!isOfUsualLength(period))
    throw new NotifierError(
      'period_too_long',
      `the period ${startDate} to ${finishDate} is longer than 400 days`,
    );
  const known = (await source.store.loadFeedState(feed))?.state.payPeriods ?? [];
  const rowsOf = new Map<string, readonly LeafRow[]>();
  const accountSource = {
    ...{ connection, store: source.store, hasTimeLeft: () => true },
    onRows: (date: string, of: readonly LeafRow[]) => void rowsOf.set(date, of),
  };
  const account = await readAccount(await viewPeriod(period, accountSource), accountSource);
  if (account === null)
    throw new NotifierError('statement_moved', `polls changed ${id} while it was counted; run it again`);
  const rows = [...rowsOf].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, of]) => of);
  const membership = (await source.store.loadMembership?.(connection)) ?? NO_MEMBERSHIP;
  const members = findMembers(rows, { ...period, id }, { periods: known, membership });
  const own = members === null ? rows : rows.filter((row) => members.timesheets.has(row.id));
  return {
    id,
    connection,
    period,
    ...(await readPast(id, feed, source)),
    now: toManifest(account, {
      sharing: findPeriodsSharingDates({ ...period, id }, known),
      source: null,
      members,
    }),
    timesheets: own.map(({ id: timesheetId, state }) => ({
      id: timesheetId,
      state: toState(feedDefinition('timesheets'), state),
    })),
  };
}

/** Its own timesheets, as far as calendars of employees are known. Null where all of these dates count: no other period shares them, or no calendar is known. */
function findMembers(
  rows: readonly LeafRow[],
  period: PeriodOfCalendar,
  known: KnownCalendars,
): PeriodMembers | null {
  const definition = feedDefinition('timesheets');
  const timesheets = new Set<string>();
  const unknownEmployees = new Set<string>();
  if (findSharing(period, known.periods).length === 0) return null;
  for (const { id, state } of rows) {
    const { employeeId, date } = toState(definition, state);
    const owner = typeof employeeId === 'string' ? employeeId : null;
    const isOwn = belongsTo({ id, employeeId: owner, date: String(date) }, period, known);
    if (isOwn === true) timesheets.add(id);
    if (isOwn === null && owner !== null) unknownEmployees.add(owner);
  }
  return timesheets.size === 0 ? null : { timesheets, unknownEmployees };
}

/** Null when it is not stored. */
export async function readPeriod(
  id: string,
  feed: FeedKey,
  { store }: Pick<StatementSource, 'store'>,
): Promise<PayPeriodState | null> {
  const head = (await store.loadHeads(feed, '')).find(({ slice }) => slice === WHOLE_LIST);
  if (head === undefined) return null;
  const leaves = await store.readLeaves(feed, [toLeafRef(head, id)]);
  const row = leaves.flatMap(({ rows }) => rows).find((each) => each.id === id);
  if (row === undefined) return null;
  const read = payPeriodStateSchema.safeParse(toState(feedDefinition('pay-periods'), row.state));
  return read.success ? read.data : null;
}

/** Closings and statements in the log, in their order. */
async function readPast(
  id: string,
  feed: FeedKey,
  { log, range }: StatementSource,
): Promise<Pick<Statement, 'closings' | 'statements'>> {
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
