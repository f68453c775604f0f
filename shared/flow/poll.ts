import type { PollReport } from '../config/requests/poll-report.ts';
import { addOutcome } from '../core/outcome/add-outcome.ts';
import { NO_PROGRESS } from '../core/outcome/poll-progress.ts';
import { planAgenda } from '../core/plan/agenda.ts';
import { claimExtent, feedOf, keepClaim } from './poll/claims.ts';
import { finishPoll } from './poll/finish-poll.ts';
import { loadState, type PollOrder } from './poll/load-state.ts';
import { buildAgendaInput, type Claim, type PollPorts } from './poll/poll-run.ts';
import { processDueSlices } from './poll/process-due-slices.ts';
import { publishBacklog } from './poll/publish/commit-steps.ts';
import { countPublished } from './poll/publish/count-published.ts';
import { reportPoll, reportSkipped } from './poll/report.ts';
import { rescanBusyDates } from './poll/rescan-busy-dates.ts';

/**
 * One poll of one feed: plan -> fetch -> compare -> commit -> publish. Publishes the outbox of earlier polls first
 * (rule 3), reads heads before it requests anything from the source (rule 1), and commits what is complete even when
 * time runs out; the next poll continues from there. While another poll holds the lease of the feed, it reads only the
 * hot dates.
 *
 * Returns what happened, in counts. Throws only when the store fails; nothing is lost then, and the next poll continues
 * from the last commit.
 */
export async function poll(order: PollOrder, ports: PollPorts): Promise<PollReport> {
  const claim = await claimExtent(order, ports);
  if (claim === null) return reportSkipped(feedOf(order), ports.telemetry);
  try {
    return await pollExtent(claim, order, ports);
  } finally {
    if (claim.isLeased) await ports.store.releaseLease(feedOf(order), order.runId);
  }
}

async function pollExtent(claim: Claim, order: PollOrder, ports: PollPorts): Promise<PollReport> {
  const { extent } = claim;
  const { publisher, counts } = countPublished(ports.publisher, ports.clock);
  const { run, left } = await loadState(claim, order, { ...ports, publisher });
  // How long a backlog or a baseline takes is unknown, so the lease is taken now; overlap is only a waste (rule 1).
  if (left.length > 0 || run.state.baseline?.completedAt == null)
    await keepClaim(run, Number.POSITIVE_INFINITY);
  const published = addOutcome(NO_PROGRESS, await publishBacklog(left, run));
  const agenda = planAgenda(buildAgendaInput(run, run.startedAt));
  const isMine = ({ class: dateClass }: { class: string }) => extent === 'everything' || dateClass === 'hot';
  const due = agenda.due.filter(isMine);
  const progress = await processDueSlices({ agenda, due, early: agenda.early, progress: published }, run);
  const scanned = await rescanBusyDates({ agenda, progress }, extent, run);
  return reportPoll(await finishPoll(scanned, run), run, { batchesFound: left.length, counts });
}
