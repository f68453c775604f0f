import { updateBursts, updateCoverage } from '#shared/core/plan/coverage.ts';
import { type Agenda, type DueSlice, scheduleDate, sortByUrgency } from '../../core/plan/agenda.ts';
import { CADENCE_MS } from '../../core/plan/cadence.ts';
import { pullMovedPeriods } from '../../core/plan/pulls.ts';
import { WorkList } from '../../core/plan/work-list.ts';
import { refreshPayPeriods, takePayPeriods } from './period-hints.ts';
import { buildAgendaInput, type Extent, type PollRun } from './poll-run.ts';
import { processDueSlices, recordPulled } from './process-due-slices.ts';

/** Looks are at least so far apart, however much is expected. */
const MIN_PAUSE_MS = 5_000;

/**
 * Looks again and again while so much is expected of some dates that the next poll would be too late; whatever else
 * is due by then comes along. Pay periods are read anew each time: they say where something was published. Answers
 * with the agenda as it is in the end.
 */
export async function rescanBusyDates(agenda: Agenda, extent: Extent, run: PollRun): Promise<Agenda> {
  const { sleep, clock } = run.ports;
  const isRepeating = run.repeatUntil > run.startedAt;
  if (sleep === undefined || run.feed.feed !== 'timesheets' || !isRepeating) return agenda;
  // Their own feed was polled beside this one, and may have seen something published meanwhile.
  await takePayPeriods(run);
  let current = await lookAtDue(agenda, { extent, isPulledAlone: true }, run);
  for (;;) {
    const wakeAt = computeNextWake(buildOutlooks(current, extent, run), run);
    if (wakeAt === null) return current;
    await sleep(wakeAt - clock.now());
    await refreshPayPeriods(run);
    current = await lookAtDue(current, { extent, isPulledAlone: false }, run);
  }
}

/** Looks at what is due by now, or only at what was pulled forward. Answers with the agenda after it. */
async function lookAtDue(
  agenda: Agenda,
  { extent, isPulledAlone }: { readonly extent: Extent; readonly isPulledAlone: boolean },
  run: PollRun,
): Promise<Agenda> {
  const input = buildAgendaInput(run, run.ports.clock.now());
  const current = { ...agenda, pulls: pullMovedPeriods(agenda, run.payPeriods, input) };
  const outlooks = buildOutlooks(current, extent, run);
  const isDue = ({ owedSince }: DueSlice) => owedSince <= input.now;
  const due = outlooks.filter((each) => isDue(each) && (each.isPulled === true || !isPulledAlone));
  const early = outlooks.filter((each) => !isDue(each));
  if (due.length === 0 || run.tally.refused || run.tally.mustStop) return current;
  recordPulled(due, run);
  await processDueSlices(current, new WorkList(sortByUrgency(due, input), run.tally.turn ?? 0, early), run);
  return current;
}

/** When the first date that is expected to change within the minute is to be looked at again; null: not in this poll. */
function computeNextWake(outlooks: readonly DueSlice[], run: PollRun): number | null {
  const { looks, refused, mustStop } = run.tally;
  const busy = outlooks.filter(({ slice, cadenceMs }) => looks.has(slice) && cadenceMs < CADENCE_MS.hot.max);
  if (busy.length === 0 || refused || mustStop) return null;
  const soonest = Math.min(...busy.map(({ owedSince }) => owedSince));
  const wakeAt = Math.max(soonest, run.ports.clock.now() + MIN_PAUSE_MS);
  return wakeAt >= Math.min(run.repeatUntil, run.fetchUntil) ? null : wakeAt;
}

/** The dates of this poll that can be read, as they are after its looks. */
function buildOutlooks({ window, pulls, postponed }: Agenda, extent: Extent, run: PollRun): DueSlice[] {
  const now = run.ports.clock.now();
  const { looks, changesOn, failed, tried } = run.tally;
  const seen = { startedAt: run.startedAt, now, window, heads: run.heads, looks, changesOn, tried };
  const state = {
    ...run.state,
    coverage: updateCoverage(run.state, seen),
    bursts: updateBursts(run.state, seen),
  };
  const input = { ...buildAgendaInput(run, now), state };
  return window
    .filter((slice) => !failed.has(slice) && !postponed.includes(slice))
    .map((slice) => scheduleDate(slice, input, pulls))
    .filter((each) => extent === 'everything' || each.class === 'hot');
}
