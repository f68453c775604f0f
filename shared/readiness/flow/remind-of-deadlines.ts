import { readPollAccount } from '#shared/account/flow/read-account.ts';
import { judgeReminder } from '#shared/account/standing.ts';
import { findRow, indexKnownRows, type KnownRow } from '#shared/core/compare/classify-records.ts';
import { addDroppedCommit, addReminders } from '#shared/core/outcome/poll-findings.ts';
import { readStoredPeriod, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type PayPeriodHint, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import { NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { commitChanges } from '#shared/flow/poll/commit-changes.ts';
import { uniqueRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import { findMembers } from '#shared/membership/flow/find-members.ts';
import { findSharing, type PeriodOfCalendar } from '#shared/membership/learn-membership.ts';
import { readOpen } from '#shared/statements/flow/read-outstanding.ts';
import { sumOutstanding } from '#shared/statements/outstanding.ts';
import type { OutstandingSum } from '#shared/statements/outstanding-data.ts';
import { countReadiness, isWorthTelling } from '../readiness.ts';
import type { Readiness } from '../readiness-data.ts';
import { type ReadinessNews, toReadinessEvents } from '../readiness-event.ts';
import {
  type DueReadiness,
  findDueReadiness,
  findLastReminder,
  findRemindersSince,
  type ReadinessPlan,
} from '../readiness-moments.ts';

/** Periods that one poll reports; more are left to the next one. */
const MAX_PERIODS = 20;
const UNCOUNTED = 'not all open pay periods could be counted; the next poll tells how far they are';

/** What is planned in this poll. Instants in milliseconds since 1970. */
interface Moments {
  readonly plan: ReadinessPlan;
  readonly since: number;
  readonly now: number;
}

/**
 * Publishes how far each open pay period is at the moments that its calendar and the daily summaries name, and then what is
 * still open of closed ones: one event each, committed with the row that remembers it. Nothing where nothing is open.
 * When no moment has come, nothing is read and nothing is asked; what there was no time for, or another poll committed
 * first, is due again in the next poll.
 */
export async function remindOfDeadlines(run: PollRun): Promise<void> {
  const plan = readPlan(run);
  if (plan === null) return;
  const now = run.ports.clock.now();
  const moments = { plan, now, since: findRemindersSince(run.state.remindedUntil, now) };
  const { findings } = run.memory;
  const hints = findings.payPeriods ?? run.state.payPeriods;
  const due = hints.filter((hint) => findDueReadiness(hint, moments, plan) !== null);
  let isDone = true;
  // Who is to approve something before a deadline does not wait for the sums of closed periods.
  for (const group of [due.filter(({ closed }) => !closed), due.filter(({ closed }) => closed)])
    if (group.length > 0 && !(await publishDue(group, { moments, hints }, run))) isDone = false;
  addReminders(findings, { until: isDone ? now : null, reason: isDone ? null : UNCOUNTED });
}

/** Null where nobody is to be reminded. */
function readPlan({ feed, connection, summaries, window }: PollRun): ReadinessPlan | null {
  const { calendars = [], timeZone } = connection;
  if (feed.feed !== 'pay-periods' || calendars.length + summaries.length === 0) return null;
  return { calendars, summaries, timeZone, windowFrom: window.from };
}

/** False when some are left to the next poll. */
async function publishDue(
  due: readonly PayPeriodHint[],
  known: KnownMoments,
  run: PollRun,
): Promise<boolean> {
  const { heads, findings } = run.memory;
  const head = heads.get(WHOLE_LIST);
  if (head?.baselinedAt == null) return true;
  const leaves = await run.leaves.readMatching(uniqueRefs(due.map(({ id }) => toLeafRef(head, id))));
  if (leaves === null) {
    addDroppedCommit(findings);
    return false;
  }
  const snapshot = run.leaves.toSnapshot(leaves);
  const rows = indexKnownRows(snapshot);
  const news: ReadinessNews[] = [];
  let isDone = true;
  for (const { id } of due) {
    const row = findRow(rows, id, WHOLE_LIST);
    const isFull = news.length === MAX_PERIODS;
    const found = row === undefined ? null : isFull ? 'later' : await readNews(row, known, run);
    if (found === 'later') isDone = false;
    else if (found !== null) news.push(found);
  }
  const epochs = run.eventContext.epochs ?? NO_EPOCHS;
  const changeEvents = toReadinessEvents(news, { feed: run.feed, epochs });
  if ((await commitChanges({ snapshot, changeEvents }, run)).outcome === 'committed') return isDone;
  addDroppedCommit(findings);
  return false;
}

interface KnownMoments {
  readonly moments: Moments;
  readonly hints: readonly PayPeriodHint[];
}

/**
 * What there is to report of a period as it is stored; null when that is done already, or it is ready. `later`: there is no time,
 * what is in doubt has to end first, or its row lacks a field that was appended since, and it was not read again.
 */
async function readNews(
  known: KnownRow,
  { moments, hints }: KnownMoments,
  run: PollRun,
): Promise<ReadinessNews | 'later' | null> {
  const { row } = known;
  const period = readStoredPeriod(row.state);
  if (period === null) return 'later';
  const since = Math.max(moments.since, findLastReminder(row.remindedAt, moments.now));
  const seen = { ...period, id: row.id, closed: period.closed !== null };
  const findDue = (now: number) => findDueReadiness(seen, { since, now }, moments.plan);
  const planned = findDue(moments.now);
  if (planned === null) return null;
  const content = seen.closed
    ? await readOutstanding(known, period, { moments, hints }, run)
    : await countOpen({ ...period, id: row.id }, planned, hints, run);
  if (content === 'later' || content === null) return content;
  // The deadline may have passed meanwhile.
  const now = run.ports.clock.now();
  const due = findDue(now);
  return due === null ? null : { known, due, now, content };
}

/** As for a closing, of the dates that are over. */
async function countOpen(
  own: PeriodOfCalendar,
  { through }: DueReadiness,
  hints: readonly PayPeriodHint[],
  run: PollRun,
): Promise<{ readonly readiness: Readiness } | 'later' | null> {
  const account = await readPollAccount({ ...own, finishDate: through }, run);
  if (account === null || judgeReminder(account.views, run.ports.clock.now()) === 'wait') return 'later';
  const sharing = findSharing(own, hints);
  const open = { period: own, sharing, account, source: null, totalsSince: null, isOpen: true } as const;
  const members = sharing.length === 0 ? null : await findMembers(open, run);
  const readiness = countReadiness(account, { through, sharing: sharing.map(({ id }) => id), members });
  return isWorthTelling(readiness) ? { readiness } : null;
}

/** As `notifier outstanding` has it. Dates before the window are not read any more. */
async function readOutstanding(
  { row: { id, statement } }: KnownRow,
  period: PayPeriodState,
  { moments: { plan }, hints }: KnownMoments,
  run: PollRun,
): Promise<{ readonly outstanding: OutstandingSum | null } | 'later'> {
  if (period.finishDate < plan.windowFrom || !isOfUsualLength(period)) return { outstanding: null };
  const { ports, feed } = run;
  const { now } = ports.clock;
  const source = { connection: feed.connection, store: ports.store, hasTimeLeft: run.hasTimeLeft };
  const stored = { id, period, periods: hints, memory: statement ?? null };
  const found = await readOpen(stored, { ...source, timeZone: plan.timeZone, now: now() });
  if (found === 'later' || found === null) return found ?? { outstanding: null };
  if (judgeReminder(found.account.views, now()) === 'wait') return 'later';
  return { outstanding: sumOutstanding(found.open, found.knowsAdded) };
}
