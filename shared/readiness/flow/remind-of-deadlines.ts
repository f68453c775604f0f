import { readPollAccount } from '#shared/account/flow/read-account.ts';
import { judgeReminder } from '#shared/account/standing.ts';
import { findRow, indexKnownRows, type KnownRow } from '#shared/core/compare/classify-records.ts';
import type { ChangeEvents } from '#shared/core/events/events.ts';
import { addDroppedCommit, addReminders } from '#shared/core/outcome/poll-findings.ts';
import { readStoredPeriod, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import { NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { commitChanges } from '#shared/flow/poll/commit-and-publish.ts';
import { readMatchingLeaves, toSnapshot, uniqueRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import { findMembers } from '#shared/membership/flow/find-members.ts';
import { findSharing } from '#shared/membership/learn-membership.ts';
import { countReadiness, isWorthTelling } from '../readiness.ts';
import { toReadinessEvent } from '../readiness-event.ts';
import {
  type DueReadiness,
  findDueReadiness,
  findLastReminder,
  findRemindersSince,
  type ReadinessPlan,
} from '../readiness-moments.ts';

/** Periods of which one poll tells; more are left to the next one. */
const MAX_PERIODS = 20;
const UNTOLD = 'not all open pay periods could be counted; the next poll tells how far they are';

/** What is planned in this poll. Instants in milliseconds since 1970. */
interface Moments {
  readonly plan: ReadinessPlan;
  readonly since: number;
  readonly now: number;
}

interface DuePeriod {
  readonly hint: PayPeriodHint;
  readonly due: DueReadiness;
}

/**
 * Tells how far each open pay period is at the moments that its calendar and the daily summaries name: one event each,
 * committed with the row that remembers it. Nothing where nothing is open. When no moment has come, nothing is read and
 * nothing is asked; what there was no time for, or another poll committed first, is due again in the next poll.
 */
export async function remindOfDeadlines(run: PollRun): Promise<void> {
  const plan = readPlan(run);
  if (plan === null) return;
  const now = run.ports.clock.now();
  const moments = { plan, now, since: findRemindersSince(run.state.remindedUntil, now) };
  const { findings } = run.memory;
  const hints = findings.payPeriods ?? run.state.payPeriods;
  const due = hints.flatMap((hint): DuePeriod[] => {
    const found = hint.closed ? null : findDueReadiness(hint, moments, plan);
    return found === null ? [] : [{ hint, due: found }];
  });
  const isDone = due.length === 0 || (await tellDue(due, { moments, hints }, run));
  addReminders(findings, { until: isDone ? now : null, reason: isDone ? null : UNTOLD });
}

/** Null where nobody is to be reminded. */
function readPlan({ feed, connection, summaries, window }: PollRun): ReadinessPlan | null {
  const { calendars = [], timeZone } = connection;
  if (feed.feed !== 'pay-periods' || calendars.length + summaries.length === 0) return null;
  return { calendars, summaries, timeZone, windowFrom: window.from };
}

/** False when some are left to the next poll. */
async function tellDue(
  due: readonly DuePeriod[],
  known: { readonly moments: Moments; readonly hints: readonly PayPeriodHint[] },
  run: PollRun,
): Promise<boolean> {
  const { heads, findings } = run.memory;
  const head = heads.get(WHOLE_LIST);
  if (head?.baselinedAt == null) return true;
  const leaves = await readMatchingLeaves(uniqueRefs(due.map(({ hint }) => toLeafRef(head, hint.id))), run);
  if (leaves === null) {
    addDroppedCommit(findings);
    return false;
  }
  const snapshot = toSnapshot(leaves, run);
  const rows = indexKnownRows(snapshot);
  const changeEvents: ChangeEvents[] = [];
  let isDone = true;
  for (const { hint } of due) {
    const row = findRow(rows, hint.id, WHOLE_LIST);
    const isFull = changeEvents.length === MAX_PERIODS;
    const news = row === undefined ? null : isFull ? 'later' : await readNews(row, known, run);
    if (news === 'later') isDone = false;
    else if (news !== null) changeEvents.push(news);
  }
  if ((await commitChanges({ snapshot, changeEvents }, run)) === 'committed') return isDone;
  addDroppedCommit(findings);
  return false;
}

/**
 * The event of a period as it is stored; null when it is closed, told already, or ready. `later`: there is no time, what
 * is in doubt has to end first, or its row lacks a field that was appended since, and it was not read again.
 */
async function readNews(
  known: KnownRow,
  { moments, hints }: { readonly moments: Moments; readonly hints: readonly PayPeriodHint[] },
  run: PollRun,
): Promise<ChangeEvents | 'later' | null> {
  const { row } = known;
  const period = readStoredPeriod(row.state);
  if (period === null) return 'later';
  if (period.closed !== null) return null;
  const since = Math.max(moments.since, findLastReminder(row.remindedAt, moments.now));
  const findDue = (now: number) => findDueReadiness(period, { since, now }, moments.plan);
  const planned = findDue(moments.now);
  if (planned === null) return null;
  const { through } = planned;
  // As for a closing, of the dates that are over.
  const account = await readPollAccount({ ...period, finishDate: through }, run);
  if (account === null || judgeReminder(account.views, run.ports.clock.now()) === 'wait') return 'later';
  const own = { ...period, id: row.id };
  const sharing = findSharing(own, hints);
  const open = { period: own, sharing, account, source: null, totalsSince: null, isOpen: true } as const;
  const members = sharing.length === 0 ? null : await findMembers(open, run);
  const readiness = countReadiness(account, { through, sharing: sharing.map(({ id }) => id), members });
  const now = run.ports.clock.now();
  // The deadline may have passed meanwhile.
  const due = findDue(now);
  if (due === null || !isWorthTelling(readiness)) return null;
  const { feed, eventContext } = run;
  return toReadinessEvent({ known, due, readiness }, { feed, epochs: eventContext.epochs ?? NO_EPOCHS, now });
}
