import type { Walk } from '../journal.ts';
import type { ChangeGroup } from './change-group.ts';
import { type Evidence, isCertain } from './evidence.ts';
import type { Watched } from './reading.ts';

/** A closed pay period as events name it. */
export interface NamedPeriod {
  readonly id: string;
  readonly calendar: string;
}

/** A timesheet's date, and whose it is. */
interface OwnDate {
  readonly date: string;
  readonly employeeId: string;
}

/**
 * The pay periods of a date, if all of them were closed, as the poll may have known it: from the last list that was
 * certainly saved before it began, from a later one that may have been, or from one it read itself. Of several
 * calendars that of the employee counts, if the poll knew it. Null when that cannot be told.
 */
export function closedAnswers(
  own: OwnDate,
  { poll, events }: ChangeGroup,
  evidence: Evidence,
): NamedPeriod[][] | null {
  if (evidence.isUncertain) return null;
  const { startedAt = 0, membership } = evidence.poll(poll) ?? {};
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
  const known = lists.map((walk) => (walk === null ? [] : periodsOf(walk, evidence)));
  const entry = membership?.get(own.employeeId);
  const isOutdated = known.some((periods) => {
    const namers = periods.filter(({ id }) => id === entry?.periodId);
    return !(namers.length > 0 ? namers : periods).some(({ calendar }) => calendar === entry?.calendar);
  });
  return known.flatMap((periods) => {
    const covering = periods.filter((period) => covers(period, own.date));
    const isNeeded = covering.length > 1 && covering.some(({ closed }) => closed !== null);
    if (!isNeeded) return [nameClosed(covering)];
    // Who belongs to which calendar decides here: a poll with this list would have read it.
    if (membership === null) return [];
    const ofCalendar = covering.filter(({ calendar }) => calendar === entry?.calendar);
    if (ofCalendar.length === 0) return [nameClosed(covering)];
    return isOutdated ? [nameClosed(ofCalendar), nameClosed(covering)] : [nameClosed(ofCalendar)];
  });
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
    return nameClosed(covering).length > 0;
  });
}

type ListedPeriod = Watched & NamedPeriod;

function covers({ startDate, finishDate }: ListedPeriod, date: string): boolean {
  return String(startDate) <= date && date <= String(finishDate);
}

function periodsOf({ records }: Walk, evidence: Evidence): ListedPeriod[] {
  return [...records.values()].flatMap(({ id, version, shape }) => {
    const watched = evidence.watched('pay-periods', id, version);
    return shape === 'good' && watched !== null
      ? [{ ...watched, id, calendar: String(watched.calendar) }]
      : [];
  });
}

/** Periods when all of them are closed. */
function nameClosed(periods: readonly ListedPeriod[]): NamedPeriod[] {
  if (periods.some(({ closed }) => closed === null)) return [];
  return periods.map(({ id, calendar }) => ({ id, calendar }));
}
