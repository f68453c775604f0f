import { isMisdated } from '#shared/core/clock-tolerance.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import { hasTimeLeft, isSilent, listFeeds, type PollRun } from '#shared/flow/poll/run.ts';
import { askAhead } from './ask-ahead.ts';
import { PERIODS_SLICE } from './periods-of-poll.ts';
import { remindOfDeadlines } from './remind-of-deadlines.ts';
import { tellAwaitedStatements } from './tell-statements.ts';

/**
 * What time makes due of pay periods, once a poll has read their list: statements that are awaited, and how far open
 * periods are. What there is no time for is due again in the next poll. Then employees are asked about who will be
 * needed at a closing.
 */
export async function tellMoments(run: PollRun): Promise<void> {
  const { memory, ports, startedAt } = run;
  const isListRead = (memory.state.lookedAt[nameSlice(PERIODS_SLICE)] ?? 0) >= startedAt;
  const isTold = listFeeds(run).includes('pay-periods') && !isSilent(run, 'pay-periods');
  if (!isTold || !isListRead || !hasTimeLeft(run)) return;
  const now = ports.clock.now();
  const until = memory.state.remindedUntil;
  // Who has never reminded begins now, and so does one whose clock was ahead.
  const since = until === null || isMisdated(until, now) ? now : until;
  await tellAwaitedStatements({ since, now }, run);
  const isDone = await remindOfDeadlines({ since, now }, run);
  if (isDone) memory.state = { ...memory.state, remindedUntil: now };
  await askAhead(run);
}
