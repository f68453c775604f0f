import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { LeaseLost } from '#shared/core/errors.ts';
import { tellMoments } from '#shared/period/flow/tell-moments.ts';
import { finishPoll, reportLost, reportUnstarted } from './poll/finish.ts';
import { openPoll } from './poll/open.ts';
import { publishBacklog } from './poll/publish.ts';
import { readSlices } from './poll/read-slices.ts';
import { renewRestored } from './poll/renew.ts';
import type { PollInput, PollPorts } from './poll/run.ts';
import { dropOldDate } from './poll/window-edge.ts';

/**
 * One poll of a connection: plan -> fetch -> compare -> commit -> publish, a slice at a time, under one lease.
 *
 * Returns what happened, in counts. Throws only when the store fails; nothing is lost then, and the next poll continues
 * from the last commit.
 */
export async function poll(input: PollInput, ports: PollPorts): Promise<PollReport> {
  // One writer: whoever has not the lease asks the source nothing (rule 1).
  const run = await openPoll(input, ports);
  if (typeof run === 'string') return reportUnstarted(run, input, ports);
  try {
    // What earlier polls committed is published before anything of this one (rule 3).
    await publishBacklog(run);

    // While there is time: the most overdue slice, looked at, compared, committed and published (rules 12 to 14).
    await readSlices(run);

    // After a restore every row begins a new epoch, and its state is sent again (rule 16).
    await renewRestored(run);

    // What time makes due of pay periods: recounts, settlements, reminders (rule 18).
    await tellMoments(run);

    await dropOldDate(run);

    // Troubles that began or ended, proof of silence, and the lease given back with what was learned.
    return await finishPoll(run);
  } catch (error) {
    if (error instanceof LeaseLost) return reportLost(run);
    throw error;
  }
}
