import type { ClaimContext } from './claim.ts';
import { sumUp } from './world-figures.ts';

interface Closing {
  readonly at: number;
  /** Of the members at that moment. */
  readonly hours: number;
}

/** Every time that a period was closed until an instant, from its own record. */
export function findClosings(
  periodId: string,
  { figures, at }: Pick<ClaimContext, 'figures' | 'at'>,
): Closing[] {
  const states = figures.record.periodStatesOf(periodId).filter((state) => state.at <= at);
  return states.flatMap(({ at: when, value }, place) => {
    const isClosing = value?.closed != null && states[place - 1]?.value?.closed === null;
    return isClosing ? [{ at: when, hours: sumUp(figures.membersOf(value, when)).hours }] : [];
  });
}

/** What changed in the hours of a period since it closed first, by when: while it was closed, or open again. */
export function splitChanges(
  periodId: string,
  context: Pick<ClaimContext, 'figures' | 'at'>,
): Readonly<Record<'it' | 'reopening', ReturnType<typeof total>>> {
  const [first] = findClosings(periodId, context);
  const { record } = context.figures;
  const changes = { it: new Map<string, number>(), reopening: new Map<string, number>() };
  const period = record.periodStatesOf(periodId).findLast((state) => state.at <= context.at)?.value;
  if (first === undefined || period == null) throw new Error(`${periodId} was not closed`);
  const ids = [first.at, context.at].flatMap((at) =>
    context.figures.membersOf(period, at).map(({ id }) => id),
  );
  for (const id of new Set(ids)) {
    for (const { at, hours } of listMoves(id, { from: first.at, to: context.at }, context)) {
      const isOpen =
        record.periodStatesOf(periodId).findLast((state) => state.at <= at)?.value?.closed == null;
      const of = changes[isOpen ? 'reopening' : 'it'];
      of.set(id, (of.get(id) ?? 0) + hours);
    }
  }
  return { it: total(changes.it), reopening: total(changes.reopening) };
}

/** When the hours of a timesheet moved, and by how much. */
function listMoves(
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  { figures }: Pick<ClaimContext, 'figures'>,
) {
  const states = figures.record.statesOf(id);
  return states.flatMap(({ at, value }, place) => {
    const hours = (value?.hoursToPay ?? 0) - (states[place - 1]?.value?.hoursToPay ?? 0);
    return from < at && at <= to && hours !== 0 ? [{ at, hours }] : [];
  });
}

function total(changes: ReadonlyMap<string, number>) {
  const moved = new Map([...changes].filter(([, hours]) => hours !== 0));
  return { hours: [...moved.values()].reduce((sum, hours) => sum + hours, 0), timesheets: moved.size, moved };
}
