import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';

import {
  findSharing,
  type MemberAnswers,
  type PeriodSpan,
  spanUnread,
} from '#shared/core/periods/members.ts';
import type { PeriodMemory } from '#shared/core/periods/period-memory.ts';
import { parseRow, readStoredPeriod } from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { readKnownPeriod, readState } from '#shared/core/snapshot/stored-state.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { loadHeadsOf, walkRows } from '#shared/flow/stored-records.ts';
import { countPeriod, type PeriodView } from '../account.ts';
import { type ToldBefore, toChangedTimesheet, toToldBefore } from '../changes.ts';
import { computeDeadline } from '../deadlines.ts';
import { type PeriodReading, parseToldMoments, type ToldMoment } from '../reading.ts';
import { createJudge } from './count-in-poll.ts';
import { readSteadily } from './read-steadily.ts';

/** What pay periods are read from, beside polls. */
export interface PeriodSource {
  readonly store: Store;
  readonly log: EventLog;
  /** What of the log is read, in milliseconds since 1970. */
  readonly range: { readonly from: number; readonly to: number };
}

type ReadConnection = Pick<Connection, 'name' | 'timeZone' | 'calendars'>;

/** Null when the connection has no such pay period. Throws a `NotifierError` for one of more than 400 days. */
export async function readPeriod(
  id: string,
  connection: ReadConnection,
  source: PeriodSource,
): Promise<PeriodReading | null> {
  const { name, timeZone } = connection;
  const rows: StoredRow[] = [];
  const [list] = await loadHeadsOf(name, 'pay-periods', source.store);
  for await (const slice of walkRows(name, { feed: 'pay-periods' }, source.store)) rows.push(...slice.rows);
  const row = rows.find((each) => each.id === id);
  const period = row?.text == null ? null : readStoredPeriod(parseRow(row.text));
  if (row === undefined || period === null) return null;
  const own = { ...period, id };
  requireUsualLength(period);
  const memory = row.memory?.period ?? null;
  const told = await readTold(id, name, source);
  const before = await loadBefore({ connection: name, payPeriodId: id }, memory, source.store);
  const read = await readSteadily(period, name, source.store);
  const periods = rows.map((each) => readKnownPeriod(each) ?? spanUnread(each.id));
  const answers = await loadAnswers(own, periods, { connection: name, store: source.store });
  const belongs = createJudge(own, { periods, answers, source: null });
  const { calendars = [] } = connection;
  const rule = calendars.find((each) => each.name === period.calendar);
  const isOpen = period.closed === null;
  const view = {
    ...describeState(period, memory),
    ...{ ...read, before, belongs, isUnlisted: list?.unlisted?.ids.includes(id) === true },
    closesAt:
      rule === undefined || !isOpen ? null : (computeDeadline(rule, period.finishDate, timeZone)?.at ?? null),
    through: period.finishDate,
  };
  const counted = countPeriod({ ...view, source: null });
  // The totals of the source are those that were told: later ones are not stored.
  const isAsTold = counted.changed?.isComplete === true && counted.changed.changed.length === 0;
  const totals = isAsTold ? (told.at(-1)?.account?.source ?? null) : null;
  const {
    account,
    own: members,
    changed,
  } = totals === null ? counted : countPeriod({ ...view, source: totals });
  const states = new Map(read.rows.map((each) => [each.id, readState('timesheets', each) ?? {}]));
  return {
    ...{ id, connection: name, period, account, told },
    timesheets: members.map((each) => ({ id: each.id, state: states.get(each.id) ?? {} })),
    changed: changed === null ? null : changed.changed.map(toChangedTimesheet),
    unknown: read.timesheets.filter((each) => belongs(each) === null).map((each) => each.id),
  };
}

function requireUsualLength(period: PayPeriodState): void {
  if (isOfUsualLength(period)) return;
  const { startDate, finishDate } = period;
  const what = `the period ${startDate} to ${finishDate} is longer than 400 days`;
  throw new NotifierError('period_too_long', what);
}

/** As it was told: a closing that still waits for looks leaves its period open. */
function describeState(
  { closed }: PayPeriodState,
  memory: PeriodMemory | null,
): Pick<PeriodView, 'state' | 'since' | 'closingSeenAt'> {
  const unknown = { since: null, closingSeenAt: null };
  if (memory === null) return { ...unknown, state: closed === null ? 'open' : 'closed' };
  const { told, at, closedAt: closingSeenAt } = memory;
  if (closed === null)
    return { since: at, closingSeenAt: null, state: told === 'reopened' ? 'reopened' : 'open' };
  if (told === 'settled') return { since: at, closingSeenAt, state: 'settled' };
  return { since: closingSeenAt, closingSeenAt, state: 'closed' };
}

async function loadBefore(
  key: { readonly connection: string; readonly payPeriodId: string },
  memory: PeriodMemory | null,
  store: Pick<Store, 'loadCount'>,
): Promise<ToldBefore | null> {
  if (memory?.count == null) return null;
  return toToldBefore(memory, await store.loadCount({ ...key, name: memory.count.name }));
}

async function loadAnswers(
  own: PeriodSpan,
  periods: readonly PeriodSpan[],
  { connection, store }: { readonly connection: string; readonly store: Pick<Store, 'loadAnswers'> },
): Promise<ReadonlyMap<string, MemberAnswers>> {
  const sharing = findSharing(own, periods);
  const answers = new Map<string, MemberAnswers>();
  for (const { id } of sharing.length === 0 ? [] : [own, ...sharing])
    answers.set(id, await store.loadAnswers(connection, id));
  return answers;
}

/** What was told of a pay period, in its order. */
async function readTold(id: string, connection: string, { log, range }: PeriodSource): Promise<ToldMoment[]> {
  const texts: string[] = [];
  for await (const item of log.read(connection, { ...range, topic: 'pay-periods' }))
    texts.push(...item.texts);
  return parseToldMoments(texts, id);
}
