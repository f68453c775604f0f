import { countReadiness, isWorthTelling } from '#shared/core/account/readiness.ts';
import { judgeReminder } from '#shared/core/account/standing.ts';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import { findRow, indexKnownRows, type KnownRow } from '#shared/core/compare/classify-records.ts';
import type { ChangeEvents } from '#shared/core/events/events.ts';
import { toReadinessEvent } from '#shared/core/events/readiness-event.ts';
import { addOutcome, addOutcomes } from '#shared/core/outcome/add-outcome.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import { COMMIT_DROPPED, type StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import { findSharing } from '#shared/core/plan/membership.ts';
import {
  type DueReadiness,
  findDueReadiness,
  findRemindersSince,
  findTold,
  type ReadinessPlan,
} from '#shared/core/plan/readiness-moments.ts';
import { computeWindow } from '#shared/core/plan/window.ts';
import { toState, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import {
  type PayPeriodHint,
  type PayPeriodState,
  payPeriodStateSchema,
} from '#shared/core/records/pay-period.ts';
import { NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import { toLeafKey, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { readPollAccount } from './account/count-period.ts';
import { findMembers } from './account/find-members.ts';
import { readMissingLeaves } from './compare/read-part-leaves.ts';
import { assignCommitTime, type PollRun } from './poll-run.ts';
import { commitSteps } from './publish/commit-steps.ts';

/** Periods of which one poll tells; more are left to the next one. */
const MAX_PERIODS = 20;

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
export async function remindOfDeadlines(before: PollProgress, run: PollRun): Promise<PollProgress> {
  const plan = readPlan(run);
  if (plan === null) return before;
  const now = run.ports.clock.now();
  const moments = { plan, now, since: findRemindersSince(run.state.remindedUntil, now) };
  const hints = before.payPeriods ?? run.state.payPeriods;
  const due = hints.flatMap((hint): DuePeriod[] => {
    const found = hint.closed ? null : findDueReadiness(hint, moments, plan);
    return found === null ? [] : [{ hint, due: found }];
  });
  const told = due.length === 0 ? DONE : await tellDue(due, { moments, hints }, run);
  return addOutcome(addOutcomes(before, told.outcomes), {
    stage: 'remind',
    until: told.isDone ? now : null,
    reason: told.isDone
      ? null
      : 'not all open pay periods could be counted; the next poll tells how far they are',
  });
}

/** Null where nobody is to be reminded. */
function readPlan({ feed, connection, summaries = [], startedAt }: PollRun): ReadinessPlan | null {
  const { calendars = [], timeZone, window } = connection;
  if (feed.feed !== 'pay-periods' || calendars.length + summaries.length === 0) return null;
  return { calendars, summaries, timeZone, windowFrom: computeWindow(startedAt, timeZone, window).from };
}

interface Told {
  readonly outcomes: readonly StageOutcome[];
  readonly isDone: boolean;
}

const DONE: Told = { outcomes: [], isDone: true };

async function tellDue(
  due: readonly DuePeriod[],
  known: { readonly moments: Moments; readonly hints: readonly PayPeriodHint[] },
  run: PollRun,
): Promise<Told> {
  const head = run.heads.get(WHOLE_LIST);
  if (head?.baselinedAt == null) return DONE;
  const refs = new Map(due.map(({ hint }) => toLeafRef(head, hint.id)).map((ref) => [toLeafKey(ref), ref]));
  const snapshot = await readMissingLeaves({ heads: run.heads, leaves: new Map() }, [...refs.values()], run);
  if (snapshot === null) return { outcomes: [COMMIT_DROPPED], isDone: false };
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
  const { steps } = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot,
    changeEvents,
    observed: new Map(),
    runId: run.id,
    now: assignCommitTime(run),
    retentionMs: run.retentionMs,
  });
  const { outcome, published } = await commitSteps(steps, run);
  if (outcome === 'committed') return { outcomes: published, isDone };
  return { outcomes: [...published, COMMIT_DROPPED], isDone: false };
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
  const period = payPeriodStateSchema.safeParse(toState(run.definition, row.state));
  if (!period.success) return 'later';
  if (period.data.closed !== null) return null;
  const since = Math.max(moments.since, findTold(row.remindedAt, moments.now));
  const findDue = (now: number) => findDueReadiness(period.data, { since, now }, moments.plan);
  const planned = findDue(moments.now);
  if (planned === null) return null;
  const { through } = planned;
  const readiness = await count({ id: row.id, ...period.data }, { through, hints }, run);
  if (readiness === null) return 'later';
  const now = run.ports.clock.now();
  // The deadline may have passed meanwhile.
  const due = findDue(now);
  if (due === null || !isWorthTelling(readiness)) return null;
  const { feed, eventContext } = run;
  return toReadinessEvent({ known, due, readiness }, { feed, epochs: eventContext.epochs ?? NO_EPOCHS, now });
}

/** As for a closing, of the dates that are over; null when there is no time, or it has to wait for what is in doubt. */
async function count(
  period: PayPeriodState & { readonly id: string },
  { through, hints }: { readonly through: string; readonly hints: readonly PayPeriodHint[] },
  run: PollRun,
) {
  const account = await readPollAccount({ ...period, finishDate: through }, run);
  if (account === null || judgeReminder(account.views, run.ports.clock.now()) === 'wait') return null;
  const sharing = findSharing(period, hints);
  const open = { period, sharing, account, source: null, totalsSince: null, isOpen: true } as const;
  const members = sharing.length === 0 ? null : await findMembers(open, run);
  return countReadiness(account, { through, sharing: sharing.map(({ id }) => id), members });
}
