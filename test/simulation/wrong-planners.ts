import type { Agenda, AgendaInput, DueSlice } from '#shared/core/plan/agenda.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The input of a planner and the plan of the right one. */
interface Planning {
  readonly input: AgendaInput;
  readonly due: readonly DueSlice[];
  readonly plan: (input: AgendaInput) => Agenda;
}

type WrongPlanner = (planning: Planning) => readonly DueSlice[];

/** Removes the dates of a predicate from the plan; pay periods, which are one list, stay. */
const without =
  (isLeftOut: (slice: DueSlice, planning: Planning) => boolean): WrongPlanner =>
  (planning) =>
    planning.due.filter((slice) => !isLeftOut(slice, planning));

const ageOf = ({ slice }: DueSlice, { input: { heads, state, now } }: Planning): number => {
  const looks = [heads.get(slice)?.observedAt ?? null, state.coverage[slice]?.at ?? null];
  return now - Math.max(...looks.map((at) => at ?? Number.NEGATIVE_INFINITY));
};

/** Planners with mistakes in the order or the time of scans. */
export const WRONG_PLANNERS: Readonly<Record<string, WrongPlanner>> = {
  'never looks at settled dates again': without(
    (slice) => slice.class === 'settled' && slice.records !== null,
  ),
  'looks at settled dates every two hours': without(
    (slice, planning) => slice.class === 'settled' && ageOf(slice, planning) < 120 * MINUTE_MS,
  ),
  'looks at active dates as seldom as at settled ones': without(
    (slice, planning) => slice.class === 'active' && ageOf(slice, planning) < 30 * MINUTE_MS,
  ),
  'looks at hot dates every five minutes': without(
    (slice, planning) => slice.class === 'hot' && ageOf(slice, planning) < 5 * MINUTE_MS,
  ),
  'lets hot dates starve all others': ({ due }) => {
    const hot = due.filter((slice) => slice.class === 'hot');
    return hot.length > 0 ? hot : due;
  },
  'lets active dates starve settled ones': ({ due }) => {
    const others = due.filter((slice) => slice.class !== 'settled');
    return others.some((slice) => slice.class === 'active') ? others : due;
  },
  'looks at the three dates nearest to today': ({ due }) => due.slice(0, 3),
  'looks at the three earliest dates': ({ due }) =>
    due.toSorted((a, b) => (a.slice < b.slice ? -1 : 1)).slice(0, 3),
  'takes a look in the future for one': without((slice, planning) => ageOf(slice, planning) < -MINUTE_MS),
  'does not back off from a date that fails': ({ input, plan }) =>
    plan({ ...input, state: { ...input.state, failing: {} } }).due,
  'gives up a date that failed': without(
    ({ slice }, { input }) => input.state.failing[slice] !== undefined && input.scope === 'due',
  ),
  'waits a day after a date was not seen whole': without(
    ({ slice }, { input }) => input.now - (input.state.tried[slice] ?? Number.NEGATIVE_INFINITY) < DAY_MS,
  ),
  'takes a date that was tried for seen': without(
    ({ slice }, { input }) => input.state.tried[slice] !== undefined,
  ),
  'never looks at dates that time brings in': without(
    ({ records }, { input }) => records === null && input.state.baseline?.completedAt != null,
  ),
};
