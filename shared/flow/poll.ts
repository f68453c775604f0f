import type { PollReport } from '../config/poll-report.ts';
import { planPoll } from '../core/plan.ts';
import { publishLeft } from './commit.ts';
import { concludePoll } from './conclude-poll.ts';
import { fetchScans } from './fetch.ts';
import { lookAt } from './look.ts';
import { type PollOrder, recall } from './recall.ts';
import { reportOf, skippedReport } from './report.ts';
import { hasTimeLeft, type PollPorts, type Run } from './run.ts';

/**
 * One poll of one feed: plan -> fetch -> compare -> commit -> publish. What an earlier poll left in the outbox goes
 * out first; heads are read before the source is asked; what is complete is committed even when time runs out, and
 * the next poll goes on from there.
 *
 * Answers with what happened, in counts. Throws only when the store or the network of AWS fails: the next poll then
 * finds everything as it was.
 */
export async function poll(order: PollOrder, ports: PollPorts): Promise<PollReport> {
  const lease = {
    owner: order.runId,
    now: ports.clock.now(),
    expiresAt: order.deadline,
    takeOver: order.request.scope === 'window',
  };
  const feed = { connection: order.request.connection.name, feed: order.feed };
  if (!(await ports.store.acquireLease(feed, lease))) return skippedReport(feed, ports.telemetry);
  try {
    return await pollWithLease(order, ports);
  } finally {
    await ports.store.releaseLease(feed, order.runId);
  }
}

async function pollWithLease(order: PollOrder, ports: PollPorts): Promise<PollReport> {
  const { run, left } = await recall(order, ports);
  await publishLeft(left, run);
  const { timeZone, window } = run.connection;
  const plan = planPoll({
    feed: order.feed,
    scope: order.request.scope,
    now: run.startedAt,
    timeZone,
    window,
    state: run.state,
    heads: run.heads,
    payPeriods: run.payPeriods,
  });
  for (const [index, part] of plan.parts.entries()) {
    if (!canGoOn(run)) {
      run.tally.remainingSlices += plan.parts.slice(index).flatMap(({ slices }) => slices).length;
      break;
    }
    for await (const scan of fetchScans(part, run)) await lookAt(scan, run);
  }
  const concluded = await concludePoll(plan, run);
  return reportOf(run, concluded);
}

/** There is no point in asking on when the credential is refused, the source does not answer, or time is over. */
function canGoOn(run: Run): boolean {
  return !run.tally.refused && run.tally.errorCode === null && hasTimeLeft(run);
}
