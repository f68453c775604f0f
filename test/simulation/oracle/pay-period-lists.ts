import type { Walk } from '../journal.ts';
import type { ChangeGroup } from './change-group.ts';
import { type Evidence, isCertain } from './evidence.ts';
import type { Watched } from './reading.ts';

/** A list of pay periods, and when the answer had come by the clock of its poll. */
export interface KnownList {
  readonly periods: ReadonlyMap<string, Watched>;
  readonly endedAt: number;
}

/**
 * The lists of pay periods that a poll may have gone by: the last one that was certainly saved before it began, later
 * ones that may have been, and those it read itself; null among them for none. Null when that cannot be told.
 */
export function listsKnownTo(
  { poll, events }: ChangeGroup,
  evidence: Evidence,
): readonly (KnownList | null)[] | null {
  if (evidence.isUncertain) return null;
  const { startedAt = 0 } = evidence.poll(poll) ?? {};
  const by = events[0]?.by ?? 0;
  const lists: (Walk | null)[] = [null];
  const walks = evidence.history.journal.walks.filter((walk) => walk.poll === poll && walk.complete);
  for (const walk of [
    ...evidence.walksOf['pay-periods'],
    ...walks.filter(({ feed }) => feed === 'pay-periods'),
  ]) {
    if (walk.endedAt > by) continue;
    const saver = evidence.poll(walk.poll);
    const certain = isCertain(saver) && saver?.endedAt != null && saver.endedAt <= startedAt;
    if (certain) lists.length = 0;
    lists.push(walk);
  }
  return lists.map((walk) =>
    walk === null
      ? null
      : { periods: new Map(periodsOf(walk, evidence).map((each) => [each.id, each])), endedAt: walk.endedAt },
  );
}

/** Whether the pay periods of a date, one at least, are all closed on a list that a poll at an instant may know. */
export function mayBeClosed(evidence: Evidence, date: string, at: number): boolean {
  const lists: Walk[] = [];
  for (const walk of evidence.walksOf['pay-periods'].filter(({ beganAt }) => beganAt <= at)) {
    const saver = evidence.poll(walk.poll);
    if (isCertain(saver) && saver?.endedAt != null && saver.endedAt <= at) lists.length = 0;
    lists.push(walk);
  }
  return lists.some((walk) => {
    const covering = periodsOf(walk, evidence).filter((period) => covers(period, date));
    return covering.length > 0 && covering.every(({ closed }) => closed !== null);
  });
}

type ListedPeriod = Watched & { readonly id: string };

function covers({ startDate, finishDate }: ListedPeriod, date: string): boolean {
  return String(startDate) <= date && date <= String(finishDate);
}

function periodsOf({ records }: Walk, evidence: Evidence): ListedPeriod[] {
  return [...records.values()].flatMap(({ id, version, shape }) => {
    const watched = evidence.watched('pay-periods', id, version);
    return shape === 'good' && watched !== null ? [{ ...watched, id }] : [];
  });
}
