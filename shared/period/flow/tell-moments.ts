import { nameSlice } from '#shared/core/snapshot/head.ts';
import { isSilent, listFeeds, type PollRun } from '#shared/flow/poll/run.ts';
import { askAhead } from './ask-ahead.ts';
import { PERIODS_SLICE } from './periods-of-poll.ts';
import { remindOfDeadlines } from './remind-of-deadlines.ts';
import { CHECK_EVERY_MS, isFirstOfInterval, tellAwaitedStatements } from './tell-statements.ts';

/** A list that was not read for so long is not waited for. */
const MAX_LIST_AGE_MS = 3 * 60_000;

/**
 * What time makes due of pay periods, once a poll has read their list: statements that are awaited, and how far open
 * periods are. What there is no time for is due again in the next poll. Then employees are asked about who will be
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
  if (isListRead) await tellAwaitedStatements(span, run);
  const isDone = await remindOfDeadlines(span, run);
  if (isDone) memory.state = { ...memory.state, remindedUntil: now };
  if (isListRead && (isFirst || isFirstOfInterval(CHECK_EVERY_MS, span))) await askAhead(run);
}
