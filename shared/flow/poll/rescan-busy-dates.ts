import {
  type Agenda,
  type DueDates,
  type DueSlice,
  pullMovedPeriods,
  rescheduleDates,
} from '#shared/core/plan/agenda.ts';
import { CADENCE_MS } from '#shared/core/plan/cadence.ts';
import { refreshPayPeriods, takePayPeriods } from '#shared/membership/flow/known-periods.ts';
import { buildAgendaInput, isClaimed, type PollRun } from './poll-run.ts';
import { processDueSlices } from './process-due-slices.ts';

/** Scans of a date are at least so far apart, however much is expected. */
const MIN_PAUSE_MS = 5_000;

/**
 * Scans again and again while so much is expected of some dates that the next poll would be too late, with whatever
 * else is due by then. Pay periods are read anew each time: they show where something was published. Returns the
 * agenda as it is in the end.
 */
export async function rescanBusyDates(agenda: Agenda, run: PollRun): Promise<Agenda> {
  const { memory, window } = run;
  const { sleep, clock } = run.ports;
  const isRepeating = run.repeatUntil > run.startedAt;
  if (sleep === undefined || run.feed.feed !== 'timesheets' || !isRepeating) return agenda;
  // Their own feed was polled beside this one, and may have seen something published meanwhile.
  await takePayPeriods(run);
  let current = agenda;
  for (let onlyPulled = true; ; onlyPulled = false) {
    const known = { payPeriods: memory.periods.payPeriods, now: clock.now(), window };
    current = { ...current, pulls: pullMovedPeriods(current, known) };
    await scanDue(current, { onlyPulled }, run);
    // What is held is told to the feed of pay periods by the state, which the end of this poll saves.
    if (holdsMore(run)) return current;
    const wakeAt = computeNextWake(scheduleDates(current, run), run);
    if (wakeAt === null) return current;
    await sleep(wakeAt - clock.now());
    await refreshPayPeriods(run);
  }
}

/** Whether losses or removals are held that the stored state does not know of. */
function holdsMore({ state, memory }: PollRun): boolean {
  const { massChanges, shrunk } = memory.findings;
  const isNew = (slice: string) => !Object.hasOwn(state.shrunk, slice);
  return [...shrunk.keys()].some(isNew) || massChanges.some(({ isConfirmed }) => !isConfirmed);
}

/** Scans what is due by now, or only what was pulled forward. */
async function scanDue(
  agenda: Agenda,
  { onlyPulled }: { readonly onlyPulled: boolean },
  run: PollRun,
): Promise<void> {
  const { due, early } = scheduleDates(agenda, run);
  const wanted = onlyPulled ? due.filter(({ isPulled }) => isPulled === true) : due;
  if (wanted.length === 0 || run.memory.findings.isStopped) return;
  await processDueSlices({ agenda, due: wanted, early }, run);
}

/** When the first date that is expected to change within the minute is scanned again; null: not in this poll. */
function computeNextWake({ due, early }: DueDates, run: PollRun): number | null {
  const { findings } = run.memory;
  const isBusy = ({ slice, cadenceMs }: DueSlice) =>
    findings.completeScans.has(slice) && cadenceMs < CADENCE_MS.hot.max;
  const busy = [...due, ...early].filter(isBusy);
  if (busy.length === 0 || findings.isStopped) return null;
  const soonest = Math.min(...busy.map(({ owedSince }) => owedSince));
  const wakeAt = Math.max(soonest, run.ports.clock.now() + MIN_PAUSE_MS);
  return wakeAt >= Math.min(run.repeatUntil, run.fetchUntil) ? null : wakeAt;
}

/** The dates of this poll that can be read, as they are after its scans. */
function scheduleDates(agenda: Agenda, run: PollRun): DueDates {
  const { startedAt } = run;
  const { findings, claim } = run.memory;
  const input = buildAgendaInput(run, run.ports.clock.now());
  const { due, early } = rescheduleDates(agenda, input, { ...findings, startedAt });
  const isOurs = (each: DueSlice) => isClaimed(each, claim);
  return { due: due.filter(isOurs), early: early.filter(isOurs) };
}
