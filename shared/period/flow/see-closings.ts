import type { Difference } from '#shared/core/compare/compare.ts';
import type { Moment } from '#shared/core/events/moments.ts';
import type { Look } from '#shared/core/look/look.ts';
import type { Account } from '#shared/core/periods/account-data.ts';
import type { PeriodMemory } from '#shared/core/periods/period-memory.ts';
import { parseRow, readStoredClosing, readStoredPeriod } from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import type { Head, PendingClosing } from '#shared/core/snapshot/head.ts';
import type { RowMemory, StoredRow } from '#shared/core/snapshot/row.ts';
import { readKnownPeriod } from '#shared/core/snapshot/stored-state.ts';
import { findSeenAt, listFeeds, type PollRun } from '#shared/flow/poll/run.ts';
import { isClosingToWait } from '../moments.ts';
import { listOpenDates } from '../open-dates.ts';
import { forgetAnswers } from './ask-members.ts';
import { countInPoll } from './count-in-poll.ts';
import { keepCount } from './keep-count.ts';
import { toDateSource, viewDates } from './read-dates.ts';

/** What a look at the list of pay periods says of closings. */
export interface SeenClosings {
  /** Periods whose change waits until their dates were looked at. */
  readonly held: ReadonlySet<string>;
  readonly head: Pick<Head, 'openDates' | 'pending'> | null;
  /** What the rows of periods remember that close or are reopened now. */
  readonly memory: ReadonlyMap<string, RowMemory>;
  /** What these events say of them. */
  readonly moments: ReadonlyMap<string, Moment>;
}

export const NO_CLOSINGS: SeenClosings = {
  held: new Set(),
  head: null,
  memory: new Map(),
  moments: new Map(),
};

/** What of a look at the list is believed. `head`: as it was before. */
export interface SeenList {
  readonly look: Look;
  readonly head: Head;
  readonly believed: readonly Difference[];
}

/** So long a closing is remembered that no later look shows. */
const MAX_UNSEEN_MS = 10 * 60_000;

/**
 * Which closings are told by a look, with what their periods come to. One waits some minutes for looks at its dates that
 * began after it was seen: else what was approved just before it would count as left over.
 */
export async function seeClosings(seen: SeenList, run: PollRun): Promise<SeenClosings> {
  const { look, head } = seen;
  const periods = [...look.texts].flatMap(([id, text]) => readKnownPeriod({ id, text }) ?? []);
  if (look.problem === null) run.memory.periods.see(periods);
  for (const id of listMoved(seen)) await forgetAnswers(id, run);
  const told = { memory: new Map<string, RowMemory>(), moments: new Map<string, Moment>() };
  const pending: PendingClosing[] = [];
  for (const each of listClosedOrReopened(seen, run)) {
    if (each.pending !== null && waits(each.period, each.pending, run)) pending.push(each.pending);
    else await tell(each, { seen, told }, run);
  }
  const held = new Set(pending.map(({ id }) => id));
  const listed = new Map(periods.map((period) => [period.id, period]));
  const openDates = look.problem === null ? listOpenDates(periods, run.today) : (head.openDates ?? []);
  const stillPending = (head.pending ?? []).filter(
    ({ id }) => !held.has(id) && !told.memory.has(id) && listed.get(id)?.closed !== false,
  );
  // What this look does not show, or shows in doubt, waits as it did: not for ever.
  const kept = stillPending.filter(({ by }) => look.startedAt - by < MAX_UNSEEN_MS);
  return { held, head: { openDates, pending: [...pending, ...kept] }, ...told };
}

/** Periods that have other dates than before. */
function listMoved({ believed }: SeenList): string[] {
  return believed.flatMap(({ changed }) =>
    changed.flatMap(({ row, text }) => {
      const [before, after] = [row.text ?? text, text].map((each) => readStoredPeriod(parseRow(each)));
      const isSame = before?.startDate === after?.startDate && before?.finishDate === after?.finishDate;
      return isSame ? [] : [row.id];
    }),
  );
}

/** A pay period that a look shows as closed or reopened. */
interface ClosedOrReopened {
  readonly id: string;
  readonly row: StoredRow | null;
  readonly period: PayPeriodState;
  /** The closing; null for a reopening, and for a period that was closed when it was first seen. */
  readonly pending: PendingClosing | null;
}

function listClosedOrReopened({ look, head, believed }: SeenList, run: PollRun): ClosedOrReopened[] {
  // What is there at first is stored and not told.
  if (head.baselinedAt === null) return [];
  const changes = believed.flatMap((difference) => [
    ...difference.changed.map(({ row, text }) => ({ id: row.id, row, text })),
    ...[...difference.unknown].map(([id, text]) => ({ id, row: null, text })),
  ]);
  return changes.flatMap(({ id, row, text }) => {
    const period = readStoredPeriod(parseRow(text));
    const before = row?.text == null ? null : readStoredClosing(parseRow(row.text));
    if (period === null || period.closed === before) return [];
    const isFirst = row === null || period.closed === null;
    const pending = isFirst ? null : toPending({ id, row, period, by: look.at }, head, run);
    return [{ id, row, period, pending }];
  });
}

interface SeenClosed extends Pick<ClosedOrReopened, 'id' | 'period'> {
  readonly row: StoredRow;
  /** When the look showed it. */
  readonly by: number;
}

/** A closing that waits since an earlier look, whatever its stamp was then, or since this one. */
function toPending({ id, row, period, by }: SeenClosed, head: Head, run: PollRun): PendingClosing {
  const { startDate, finishDate } = period;
  const closed = String(period.closed);
  const known = head.pending?.find((each) => each.id === id);
  if (known !== undefined) return { ...known, startDate, finishDate, closed };
  const wasShown = row.bad === undefined && head.unlisted?.ids.includes(id) !== true;
  const after = wasShown ? findSeenAt(head, run) : null;
  return { id, startDate, finishDate, closed, after, by };
}

/** Whether a closing waits for looks at its dates. */
function waits(period: PayPeriodState, pending: PendingClosing, run: PollRun): boolean {
  if (!listFeeds(run).includes('timesheets') || !isOfUsualLength(period)) return false;
  const moment = { seenAt: pending.by, window: run.window, now: run.ports.clock.now() };
  return isClosingToWait(viewDates(period, toDateSource(run)), moment);
}

interface Telling {
  readonly seen: SeenList;
  readonly told: { readonly memory: Map<string, RowMemory>; readonly moments: Map<string, Moment> };
}

/** Counts a period that has closed or was reopened. */
async function tell(each: ClosedOrReopened, { seen, told }: Telling, run: PollRun): Promise<void> {
  const { id, row, period, pending } = each;
  const { closedBetween: _, ...others } = row?.memory ?? {};
  const isClosed = period.closed !== null;
  const by = pending?.by ?? seen.look.at;
  const before = others.period ?? null;
  const counted = await countInPoll(
    {
      ...{ period: { ...period, id }, memory: before, since: by, closesAt: null },
      state: isClosed ? 'closed' : 'reopened',
      closingSeenAt: isClosed ? by : null,
      source: seen.look.totals.get(id) ?? null,
      isUnlisted: !seen.look.texts.has(id),
    },
    run,
  );
  const count = isClosed && counted !== null ? await keepCount(id, counted, run) : null;
  const memory = toMemory(counted?.account ?? null, { before, isClosed, by, count }, run);
  const between = isClosed ? { closedBetween: { after: pending?.after ?? null, by } } : {};
  told.memory.set(id, { ...others, ...between, period: memory });
  told.moments.set(id, { step: null, data: { account: counted?.account ?? null } });
}

interface Told {
  readonly before: PeriodMemory | null;
  readonly isClosed: boolean;
  /** When the closing or reopening was seen. */
  readonly by: number;
  /** What later accounts are held against; null: what was before. */
  readonly count: PeriodMemory['count'];
}

function toMemory(
  account: Account | null,
  { before, isClosed, by, count }: Told,
  run: PollRun,
): PeriodMemory {
  const told = { at: run.ports.clock.now(), count: count ?? before?.count ?? null, differsSince: null };
  const { closedAt = by, closings = 0 } = before ?? {};
  if (!isClosed) return { ...told, told: 'reopened', closedAt, closings, hasReserve: false };
  // What could not be counted is told as soon as it can be.
  const hasReserve = account === null || account.reserves.length > 0;
  return { ...told, told: 'closed', closedAt: by, closings: closings + 1, hasReserve };
}
