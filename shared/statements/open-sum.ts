import { type Language, languageOf, sayCount } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import { addDays, toLocalDate } from '../core/dates.ts';
import { formatDay } from '../core/messages/moments.ts';
import { formatChange, formatNumber } from '../core/messages/numbers.ts';
import type { OpenSum } from './outstanding-data.ts';

/** Something is open, or was at the last report. */
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
  readonly language?: Language | undefined;
}

/**
 * One line about all of them: `Still open since closing: 3 timesheets, +4.5 h in 2 pay periods (5, +6 h yesterday; 1 more
 * not known)`. Null where all that there is to say is that nothing is known.
 */
export function describeOpen(periods: readonly OpenSum[], seen: OpenSeen): string | null {
  const line = describeOpenBriefly(periods, languageOf(seen));
  return line === null ? null : `${line}${inBrackets(listNotes(periods, seen))}`;
}

/** The same without its notes. */
export function describeOpenBriefly(periods: readonly OpenSum[], language: Language): string | null {
  const { outstanding: words } = language;
  if (!periods.some(isOpenNews)) return null;
  const open = periods.filter(({ timesheets }) => (timesheets ?? 0) > 0);
  const [first, ...others] = open;
  if (first === undefined) {
    const isLost = periods.some(({ timesheets, before }) => timesheets === null && before !== null);
    return isLost ? words.allUnknown : words.allPaid;
  }
  const sum = describeSum(addUp(open), language);
  if (others.length === 0) return say(words.openOf, { period: first.period, sum });
  return sayCount(words.openInAll, open.length, language, { sum });
}

/** Whether it is as in the last report. What was never known is no news. */
export function isUnchanged(periods: readonly OpenSum[]): boolean {
  return periods.every(
    ({ timesheets, hours, before }) =>
      (timesheets === null && before === null) ||
      (timesheets === (before?.timesheets ?? 0) && hours === (before?.hours ?? 0)),
  );
}

/** `3 timesheets, +4.5 h`. */
export function describeSum(
  { timesheets, hours }: Pick<OpenSum, 'timesheets' | 'hours'>,
  language: Language,
): string {
  const counted = sayCount(language.forms.timesheets, timesheets ?? 0, language);
  return say(language.outstanding.sum, { timesheets: counted, change: formatChange(hours, language) });
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
  const language = languageOf(seen);
  const { withoutAdded, moreUnknown } = language.outstanding;
  return [
    ...describeBefore(periods, seen),
    ...(isPart ? [withoutAdded] : []),
    ...(unknown === 0 || isAlone ? [] : [sayCount(moreUnknown, unknown, language)]),
  ];
}

/** `5, +6 h yesterday`, `unchanged since Fri 6 Nov`. Nothing where nothing was open. */
function describeBefore(periods: readonly OpenSum[], { at, timeZone, ...seen }: OpenSeen): string[] {
  const language = languageOf(seen);
  const { outstanding: words, forms } = language;
  const before = periods.flatMap((each) =>
    each.before !== null && each.before.timesheets > 0 ? [each.before] : [],
  );
  const [day, today] = [Math.min(...before.map((each) => each.at)), at].map((each) =>
    Number.isFinite(each) ? toLocalDate(each, timeZone) : undefined,
  );
  if (day === undefined || today === undefined || day === today) return [];
  const isYesterday = !seen.isHeld && day === addDays(today, -1);
  const named = formatDay(day, { year: today.slice(0, 4), language });
  if (isUnchanged(periods))
    return [say(words.unchangedSince, { day: isYesterday ? forms.yesterday : named })];
  const { timesheets, hours } = addUp(before);
  const sum = { n: formatNumber(timesheets, language), change: formatChange(hours, language) };
  return [isYesterday ? say(words.yesterday, sum) : say(words.before, { ...sum, day: named })];
}
