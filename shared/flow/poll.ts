import type { PollReport } from '../config/requests/poll-report.ts';
import { planAgenda } from '../core/plan/agenda.ts';
import { WorkList } from '../core/plan/work-list.ts';
import { claimExtent, type Extent, feedOf } from './poll/claims.ts';
import { loadState, type PollOrder } from './poll/load-state.ts';
import { buildAgendaInput, type PollPorts } from './poll/poll-run.ts';
import { processDueSlices, recordPulled } from './poll/process-due-slices.ts';
import { publishBacklog } from './poll/publish/commit-steps.ts';
import { reportPoll, reportSkipped } from './poll/report.ts';
import { rescanBusyDates } from './poll/rescan-busy-dates.ts';
import { finishPoll } from './poll/save-feed-state.ts';

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
  const extent = await claimExtent(order, ports);
  if (extent === null) return reportSkipped(feedOf(order), ports.telemetry);
  try {
    return await pollExtent(extent, order, ports);
  } finally {
    if (extent === 'everything') await ports.store.releaseLease(feedOf(order), order.runId);
  }
}

async function pollExtent(extent: Extent, order: PollOrder, ports: PollPorts): Promise<PollReport> {
  const { run, left } = await loadState(order, ports);
  await publishBacklog(left, run);
  const agenda = planAgenda(buildAgendaInput(run, run.startedAt));
  const isMine = ({ class: dateClass }: { class: string }) => extent === 'everything' || dateClass === 'hot';
  const due = agenda.due.filter(isMine);
  recordPulled(due, run);
  await processDueSlices(agenda, new WorkList(due, run.state.turn), run);
  const concluded = await finishPoll(await rescanBusyDates(agenda, extent, run), run);
  return reportPoll(run, concluded);
}
