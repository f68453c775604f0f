import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { askAhead } from '#shared/period/flow/ask-ahead.ts';
import { remindOfDeadlines } from '#shared/period/flow/remind-of-deadlines.ts';
import { tellAwaitedStatements } from '#shared/period/flow/send-statements.ts';
import { claimDates, leaseLongPoll, releaseClaim } from './poll/claims.ts';
import { publishBacklog } from './poll/commit-and-publish.ts';
import { countPublished } from './poll/count-published.ts';
import { finishPoll, reportPoll, reportUnstarted } from './poll/finish-poll.ts';
import { loadState, readOpening, renewRestored } from './poll/load-state.ts';
import type { PollInput, PollPorts } from './poll/poll-run.ts';
import { planDueSlices, planFollowUp, processDueSlices, scanPulledDates } from './poll/process-due-slices.ts';

/**
 * One poll of one feed: plan -> fetch -> compare -> commit -> publish. While another poll holds the lease of the feed,
 * it reads only the hot dates: yesterday, today and tomorrow.
 *
 * Returns what happened, in counts. Throws only when the store fails; nothing is lost then, and the next poll continues
 * from the last commit.
 */
export async function poll(input: PollInput, ports: PollPorts): Promise<PollReport> {
  // What is known is loaded before the source is asked: an older view can then never be committed (rule 1).
  const opening = await readOpening(input, ports);
  const claim = await claimDates(opening, input, ports);
  if (typeof claim === 'string') return reportUnstarted(claim, input, ports);
  try {
    const { publisher, ...published } = countPublished(ports);
    const run = await loadState({ claim, opening }, input, { ...ports, publisher });
    if (run === null) return reportUnstarted('table_unknown', input, ports);
    await leaseLongPoll(run);

    // publish what earlier polls committed, before anything of this one (rule 3)
    await publishBacklog(run);

    // plan: which dates to read now, the most overdue first (rule 14)
    const planned = planDueSlices(run);

    // fetch -> compare -> commit -> publish: part by part, until all is read or time runs out (rule 12)
    await processDueSlices(planned, run);

    // renew: after a restore, what was published since the backup is unknown, so records begin anew (rule 16)
    await renewRestored(run);

    // the same again for dates of pay periods that moved meanwhile
    const agenda = await scanPulledDates(planned.agenda, run);

    // statements of pay periods that no change brings
    await tellAwaitedStatements(run);

    // remind: how far open pay periods are, at the moments of their calendars
    await remindOfDeadlines(run);

    // summarize: what the feed remembers, and the events about the watching itself
    const finished = await finishPoll(agenda, run);

    // with the time that is left: who belongs to which pay calendar, for closings to come
    if (finished.complete) await askAhead(finished.state.payPeriods, run);

    // repeat: when another poll is to read the dates again on which much is happening
    return reportPoll({ ...finished, followUpAt: planFollowUp(agenda, run) }, run, published);
  } finally {
    await releaseClaim(claim, input, ports);
  }
}
