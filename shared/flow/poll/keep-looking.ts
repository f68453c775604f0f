import { coverSlices } from '../../core/coverage.ts';
import { type Agenda, type DueSlice, outlookOf } from '../../core/plan/agenda.ts';
import { CADENCE_MS } from '../../core/plan/cadence.ts';
import { WorkList } from '../../core/plan/work-list.ts';
import { agendaInput, type Run } from '../run.ts';
import { workOff } from './work-off.ts';

/** Looks are at least so far apart, however much is expected. */
const MIN_PAUSE_MS = 5_000;

/** Looks at hot dates again and again while so much is expected of them that the next poll would be too late. */
export async function keepLooking(agenda: Agenda, run: Run): Promise<void> {
  const { sleep, clock } = run.ports;
  if (sleep === undefined || run.feed.feed !== 'timesheets') return;
  for (;;) {
    const now = clock.now();
    const busy = busyHotDates(agenda, run, now);
    const [first] = busy;
    if (first === undefined || run.tally.refused || run.tally.mustStop) return;
    const wakeAt = Math.max(first.owedSince, now + MIN_PAUSE_MS);
    if (wakeAt >= Math.min(run.repeatUntil, run.fetchUntil)) return;
    await sleep(wakeAt - now);
    await workOff(
      agenda,
      new WorkList(
        busy.filter(({ owedSince }) => owedSince <= wakeAt),
        run.tally.turn ?? 0,
      ),
      run,
    );
  }
}

/** Hot dates whose next look is due before their minute is over, the most urgent first. */
function busyHotDates(agenda: Agenda, run: Run, now: number): DueSlice[] {
  const { looks, changesOn, failed, tried } = run.tally;
  const { window, pulls, due } = agenda;
  const seen = { startedAt: run.startedAt, now, window, heads: run.heads, looks, changesOn, tried };
  const state = { ...run.state, coverage: coverSlices(run.state, seen) };
  return due
    .filter((each) => looks.has(each.slice) && !failed.has(each.slice))
    .map(({ slice }) => outlookOf(slice, { ...agendaInput(run, now), state }, pulls))
    .filter(({ cadenceMs }) => cadenceMs < CADENCE_MS.hot.max)
    .toSorted((a, b) => a.owedSince - b.owedSince);
}
