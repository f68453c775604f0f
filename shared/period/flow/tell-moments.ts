import { addDays } from '#shared/core/dates.ts';
import { compareIds } from '#shared/core/events/compare-ids.ts';
import { belongsTo, findSharing } from '#shared/core/periods/members.ts';
import { isOfUsualLength, type KnownPeriod } from '#shared/core/records/pay-period.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import { hasTimeLeft, isSilent, listFeeds, type PollRun } from '#shared/flow/poll/run.ts';
import { askMembers } from './ask-members.ts';
import { PERIODS_SLICE } from './periods-of-poll.ts';
import { readDates, toDateSource, viewDates } from './read-dates.ts';
import { remind } from './remind.ts';
import { isFirstOfInterval, tellClosed } from './tell-closed.ts';

/** A list that was not read for so long is not waited for. */
const MAX_LIST_AGE_MS = 3 * 60_000;
/** Open periods are searched for employees to ask about that often. */
const ASK_EVERY_MS = 30 * 60_000;
/** Employees asked about ahead in one poll: the next one is to see a closing within its minute. */
const MAX_ASKED_AHEAD = 200;
/** Open periods that are searched, the newest first. */
const MAX_PERIODS = 6;
/** Open periods that ended longer ago were forgotten by those who close them. */
const MAX_OPEN_DAYS = 35;

/**
 * What time makes due of pay periods, once a poll has read their list: closed ones are recounted or settled, and people are
 * reminded of open ones. What there is no time for is due again in the next poll. Then employees are asked about who will be
 * needed at a closing. While the list cannot be read, people are reminded of what is stored.
 */
export async function tellMoments(run: PollRun): Promise<void> {
  const { memory, ports } = run;
  const now = ports.clock.now();
  const lookedAt = memory.state.lookedAt[nameSlice(PERIODS_SLICE)] ?? now;
  const isListRead = memory.periods.seen !== null;
  const isTold = listFeeds(run).includes('pay-periods') && !isSilent(run, 'pay-periods');
  if (!isTold || now >= run.fetchUntil) return;
  if (!isListRead && now - lookedAt < MAX_LIST_AGE_MS) return;
  // Who has never reminded begins now.
  const isFirst = memory.state.remindedUntil === null;
  const span = { since: memory.state.remindedUntil ?? now, now };
  if (isListRead) await tellClosed(span, run);
  const isDone = await remind(span, run);
  if (isDone) memory.state = { ...memory.state, remindedUntil: now };
  if (isListRead && (isFirst || isFirstOfInterval(ASK_EVERY_MS, span))) await askAhead(run);
}

/** Asks about employees of open periods that share dates, so that at the closing nearly all are known (ADR 19). */
async function askAhead(run: PollRun): Promise<void> {
  const { memory, today } = run;
  const periods = memory.periods.seen ?? [];
  const isCurrent = ({ closed, startDate, finishDate }: KnownPeriod) =>
    !closed && startDate <= today && finishDate >= addDays(today, -MAX_OPEN_DAYS);
  let left = MAX_ASKED_AHEAD;
  const open = periods.filter((each) => isCurrent(each) && isOfUsualLength(each));
  const newest = open.toSorted((a, b) => compareIds(b.startDate, a.startDate)).slice(0, MAX_PERIODS);
  for (const period of newest) {
    const sharing = findSharing(period, periods);
    if (sharing.length === 0 || left <= 0 || !hasTimeLeft(run)) continue;
    const source = toDateSource(run);
    const read = await readDates(viewDates(period, source), source);
    if (read === null) return;
    const answers = await memory.periods.answers([period, ...sharing]);
    const asked = new Map<string, string[]>();
    for (const [employeeId, own] of Map.groupBy(read.timesheets, (each) => each.employeeId)) {
      const isUnknown = own.some((each) => belongsTo(each, period, { periods, answers }) === null);
      if (employeeId !== null && isUnknown && asked.size < left)
        asked.set(
          employeeId,
          own.map(({ id }) => id),
        );
    }
    await askMembers(period.id, asked, run);
    left -= asked.size;
  }
}
