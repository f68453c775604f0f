import { findRow, indexKnownRows, type KnownRow } from '#shared/core/compare/classify-records.ts';
import { addDroppedCommit, addReminders } from '#shared/core/outcome/poll-findings.ts';
import { findSharing, type PeriodOfCalendar } from '#shared/core/periods/learn-membership.ts';
import { readStoredPeriod, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type PayPeriodHint } from '#shared/core/records/pay-period.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { commitChanges } from '#shared/flow/poll/commit-changes.ts';
import { uniqueRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import { findMembers } from '#shared/period/flow/find-members.ts';
import { readPollAccount } from '#shared/period/flow/read-account.ts';
import { readOpen } from '#shared/period/flow/read-open-timesheets.ts';
import { readStoredPeriodOf } from '#shared/period/flow/stored-account.ts';
import { judgeReminder } from '#shared/period/standing.ts';
import type { Readiness, StillOpen } from '../../core/periods/readiness-data.ts';
import { countReadiness, isWorthTelling } from '../readiness.ts';
import { type ReadinessNews, toReadinessEvent } from '../readiness-event.ts';
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
 * Publishes how far each open pay period is at the moments that its calendar and the daily summaries name: one event each,
 * committed with the row that remembers it. Nothing where nothing is open.
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
  const isDone = due.length === 0 || (await publishDue(due, { moments, hints }, run));
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
  const { news, isDone } = await readAllNews(due, indexKnownRows(snapshot), { known, run });
  const place = { feed: run.feed, epochs: run.eventContext.epochs ?? NO_EPOCHS };
  const changeEvents = news.map((each) => toReadinessEvent(each, place));
  if ((await commitChanges({ snapshot, changeEvents }, run)).outcome === 'committed') return isDone;
  addDroppedCommit(findings);
  return false;
}

/** In a daily summary the first period of a calendar says what is open of its closed ones. */
async function readAllNews(
  due: readonly PayPeriodHint[],
  rows: ReturnType<typeof indexKnownRows>,
  { known, run }: { readonly known: KnownMoments; readonly run: PollRun },
): Promise<{ readonly news: readonly ReadinessNews[]; readonly isDone: boolean }> {
  const news: ReadinessNews[] = [];
  const summed = new Set<string>();
  let isDone = true;
  for (const { id, calendar } of due) {
    const row = findRow(rows, id, WHOLE_LIST);
    if (row === undefined) continue;
    if (news.length === MAX_PERIODS) return { news, isDone: false };
    const found = await readNews(row, known, run);
    if (found === 'later') isDone = false;
    if (found === 'later' || found === null) continue;
    const isSummed = found.due.summaries.length > 0 && !summed.has(calendar);
    if (isSummed) summed.add(calendar);
    news.push({ ...found, stillOpen: isSummed ? await sumStillOpen(calendar, known, run) : null });
  }
  return { news, isDone };
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
): Promise<Omit<ReadinessNews, 'stillOpen'> | 'later' | null> {
  const { row } = known;
  const period = readStoredPeriod(row.state);
  if (period === null) return 'later';
  const since = Math.max(moments.since, findLastReminder(row.remindedAt, moments.now));
  const seen = { ...period, id: row.id, closed: period.closed !== null };
  const findDue = (now: number) => findDueReadiness(seen, { since, now }, moments.plan);
  const planned = findDue(moments.now);
  if (planned === null) return null;
  const readiness = await countOpen({ ...period, id: row.id }, planned, hints, run);
  if (readiness === 'later' || readiness === null) return readiness;
  // The deadline may have passed meanwhile.
  const now = run.ports.clock.now();
  const due = findDue(now);
  return due === null ? null : { known, due, now, readiness };
}

/** As for a closing, of the dates that are over. */
async function countOpen(
  own: PeriodOfCalendar,
  { through }: DueReadiness,
  hints: readonly PayPeriodHint[],
  run: PollRun,
): Promise<Readiness | 'later' | null> {
  const account = await readPollAccount({ ...own, finishDate: through }, run);
  if (account === null || judgeReminder(account.views, run.ports.clock.now()) === 'wait') return 'later';
  const sharing = findSharing(own, hints);
  const open = { period: own, sharing, account, source: null, totalsSince: null, isOpen: true } as const;
  const members = sharing.length === 0 ? null : await findMembers(open, run);
  const readiness = countReadiness(account, { through, sharing: sharing.map(({ id }) => id), members });
  return isWorthTelling(readiness) ? readiness : null;
}

/**
 * What is open of the closed periods of a calendar. Dates before the window are not read any more. What cannot be counted
 * now is left out: who is to approve something does not wait for it.
 */
async function sumStillOpen(
  calendar: string,
  { moments: { plan }, hints }: KnownMoments,
  run: PollRun,
): Promise<StillOpen | null> {
  const { ports, feed, hasTimeLeft } = run;
  const source = { connection: feed.connection, store: ports.store, hasTimeLeft };
  const now = ports.clock.now();
  let sum: StillOpen = { payPeriods: 0, timesheets: 0, hours: 0, complete: true };
  const closed = hints.filter((each) => each.closed && each.calendar === calendar && isOfUsualLength(each));
  for (const { id } of closed.filter(({ finishDate }) => finishDate >= plan.windowFrom)) {
    const stored = await readStoredPeriodOf(id, source);
    // Of one that closed before it was watched nothing is ever known.
    if (stored?.memory?.count == null) continue;
    const found = await readOpen(stored, { ...source, timeZone: plan.timeZone, now });
    const { open = [], knowsAdded = false } = found ?? {};
    sum = {
      payPeriods: sum.payPeriods + Math.min(1, open.length),
      timesheets: sum.timesheets + open.length,
      hours: roundNumber(open.reduce((hours, { difference }) => hours + difference, sum.hours)),
      complete: sum.complete && knowsAdded,
    };
  }
  return sum.timesheets === 0 ? null : sum;
}
