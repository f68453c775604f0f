import type { Walk } from '../journal.ts';
import type { ChangeGroup } from './change-group.ts';
import { type Evidence, isCertain } from './evidence.ts';
import type { Watched } from './reading.ts';

/** A closed pay period as events name it. */
export interface NamedPeriod {
  readonly id: string;
  readonly calendar: string;
}

/**
 * The pay periods that cover a date, if all of them were closed, as the poll may have known it: from the last list that
 * was certainly saved before it began, from a later one that may have been, or from one it read itself. Null when that
 * cannot be told.
 */
export function closedAnswers(
  date: string,
  { poll, events }: ChangeGroup,
  evidence: Evidence,
): NamedPeriod[][] | null {
  if (evidence.isUncertain) return null;
  const startedAt = evidence.poll(poll)?.startedAt ?? 0;
  const by = events[0]?.by ?? 0;
  const lists: (Walk | null)[] = [null];
  const own = evidence.history.journal.walks.filter((walk) => walk.poll === poll && walk.complete);
  for (const walk of [
    ...evidence.walksOf['pay-periods'],
    ...own.filter(({ feed }) => feed === 'pay-periods'),
  ]) {
    if (walk.endedAt > by) continue;
    const saver = evidence.poll(walk.poll);
    const certain = isCertain(saver) && saver?.endedAt != null && saver.endedAt <= startedAt;
    if (certain) lists.length = 0;
    lists.push(walk);
  }
  return lists.map((walk) => (walk === null ? [] : closedPeriods(date, walk, evidence)));
}

function closedPeriods(date: string, { records }: Walk, evidence: Evidence): NamedPeriod[] {
  const periods: (Watched & { readonly id: string })[] = [];
  for (const { id, version, shape } of records.values()) {
    const watched = evidence.watched('pay-periods', id, version);
    if (shape !== 'good' || watched === null) continue;
    if (String(watched.startDate) <= date && date <= String(watched.finishDate))
      periods.push({ ...watched, id });
  }
  if (periods.some(({ closed }) => closed === null)) return [];
  return periods.map(({ id, calendar }) => ({ id, calendar: String(calendar) }));
}
