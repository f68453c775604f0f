import { addDays, toLocalDate } from '../core/dates.ts';
import { formatDay } from '../core/messages/moments.ts';
import { formatChange, formatCount, formatNumber } from '../core/messages/numbers.ts';
import type { OpenSum } from './outstanding-data.ts';

/** Something is open, or was when it was told last. */
export function isOpenNews({ timesheets, before }: Pick<OpenSum, 'timesheets' | 'before'>): boolean {
  return (timesheets ?? 0) > 0 || (before?.timesheets ?? 0) > 0;
}

/** Where and when a line is read. */
export interface OpenSeen {
  /** When the latest of it was observed, in milliseconds since 1970. */
  readonly at: number;
  readonly timeZone: string;
  /** It is read on another day. */
  readonly isHeld: boolean;
}

/**
 * One line about all of them: `Still open since closing: 3 timesheets, +4.5 h in 2 pay periods (5, +6 h yesterday; 1 more
 * not known)`. Null where all that there is to say is that nothing is known.
 */
export function describeOpen(periods: readonly OpenSum[], seen: OpenSeen): string | null {
  const line = describeOpenBriefly(periods);
  return line === null ? null : `${line}${inBrackets(listNotes(periods, seen))}`;
}

/** The same without its notes. */
export function describeOpenBriefly(periods: readonly OpenSum[]): string | null {
  if (!periods.some(isOpenNews)) return null;
  const open = periods.filter(({ timesheets }) => (timesheets ?? 0) > 0);
  const [first, ...others] = open;
  if (first === undefined) {
    const isLost = periods.some(({ timesheets, before }) => timesheets === null && before !== null);
    return isLost
      ? 'It is not known any more what is open since closing'
      : 'Since closing nothing is open any more';
  }
  const sum = describeSum(addUp(open));
  return others.length === 0
    ? `Still open of ${first.period}: ${sum}`
    : `Still open since closing: ${sum} in ${formatCount(open.length, 'pay period')}`;
}

/** Whether it is as it was told last. What was never known is no news. */
export function isUnchanged(periods: readonly OpenSum[]): boolean {
  return periods.every(
    ({ timesheets, hours, before }) =>
      (timesheets === null && before === null) ||
      (timesheets === (before?.timesheets ?? 0) && hours === (before?.hours ?? 0)),
  );
}

export function describeSum({ timesheets, hours }: Pick<OpenSum, 'timesheets' | 'hours'>): string {
  return `${formatCount(timesheets ?? 0, 'timesheet')}, ${formatChange(hours)}`;
}

function addUp(all: readonly Pick<OpenSum, 'timesheets' | 'hours'>[]) {
  return {
    timesheets: all.reduce((sum, { timesheets }) => sum + (timesheets ?? 0), 0),
    hours: all.reduce((sum, { hours }) => sum + hours, 0),
  };
}

export function inBrackets(notes: readonly string[]): string {
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

/** What it was before, and what of it is not known. */
export function listNotes(periods: readonly OpenSum[], seen: OpenSeen): string[] {
  const unknown = periods.filter(({ timesheets }) => timesheets === null).length;
  const isPart = periods.some(({ complete }) => !complete);
  const isAlone = periods.length === unknown;
  return [
    ...describeBefore(periods, seen),
    ...(isPart ? ['without what was added or removed'] : []),
    ...(unknown === 0 || isAlone ? [] : [`${formatNumber(unknown)} more not known`]),
  ];
}

/** `5, +6 h yesterday`, `unchanged since Fri 6 Nov`. Nothing where nothing was open. */
function describeBefore(periods: readonly OpenSum[], { at, timeZone, isHeld }: OpenSeen): string[] {
  const before = periods.flatMap((each) =>
    each.before !== null && each.before.timesheets > 0 ? [each.before] : [],
  );
  const [day, today] = [Math.min(...before.map((each) => each.at)), at].map((each) =>
    Number.isFinite(each) ? toLocalDate(each, timeZone) : undefined,
  );
  if (day === undefined || today === undefined || day === today) return [];
  const isYesterday = !isHeld && day === addDays(today, -1);
  const then = isYesterday ? 'yesterday' : formatDay(day, { year: today.slice(0, 4) });
  const sum = addUp(before);
  if (isUnchanged(periods)) return [`unchanged since ${then}`];
  return [`${formatNumber(sum.timesheets)}, ${formatChange(sum.hours)} ${isYesterday ? then : `on ${then}`}`];
}
