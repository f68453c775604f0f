import type * as z from 'zod';
import { type Language, languageOf, sayCount, sayFirst } from '../../languages/language.ts';
import { say } from '../../languages/text.ts';
import type { Names } from '../../names/names.ts';
import { closeManifestSchema } from '../../statements/close-manifest.ts';
import { tolerant } from '../tolerant.ts';
import { formatDates, formatDay, type MessageTimeContext } from './moments.ts';
import { formatChange, formatHours } from './numbers.ts';
import { type Audience, nameService } from './record-events.ts';
import { nameOf } from './timesheet-fields.ts';

/** People that a closing names; it counts the others. */
const MAX_NAMED = 5;

/** A close manifest, of this version or a later one. */
export const manifestSchema = tolerant(closeManifestSchema);
export type Manifest = z.output<typeof manifestSchema>;

/** `1,912.5 h, 51 employees, 380 timesheets`. */
export function describeSums({ hoursToPay, employees, timesheets }: Manifest, language: Language): string {
  const { forms } = language;
  return [
    formatHours(hoursToPay, language),
    sayCount(forms.employees, employees, language),
    sayCount(forms.timesheets, timesheets, language),
  ].join(', ');
}

/** `+3 h against the closing before`. */
export function describeDifference(hours: number, language: Language): string {
  return say(language.closings.difference, { change: formatChange(hours, language) });
}

/** `2 not approved`, `3 not processed`. */
export function listLeftovers(
  { unapproved, unprocessed }: Pick<Manifest, 'unapproved' | 'unprocessed'>,
  language: Language,
): string[] {
  const { notApproved, notProcessed } = language.closings;
  return [
    ...(unapproved === 0 ? [] : [sayCount(notApproved, unapproved, language)]),
    ...(unprocessed === 0 ? [] : [sayCount(notProcessed, unprocessed, language)]),
  ];
}

/** `2 not approved, 3 not processed`. `waiting` is added to those that are not approved. */
export function describeLeftovers(
  { unapproved, unprocessed }: Manifest,
  language: Language,
  waiting = '',
): string {
  const { allDone, allApproved, allProcessed } = language.closings;
  if (unapproved === 0 && unprocessed === 0) return allDone;
  const [approved] = listLeftovers({ unapproved, unprocessed: 0 }, language);
  const [processed] = listLeftovers({ unapproved: 0, unprocessed }, language);
  return [approved === undefined ? allApproved : `${approved}${waiting}`, processed ?? allProcessed].join(
    ', ',
  );
}

/**
 * ` (Ana Lee Fri 13 Nov 8 h, Ben Fox Thu 12 Nov 7.5 h and 3 more)`: whose timesheets are not approved. Empty when it is
 * not said whose they are.
 */
export function describeWaiting(
  { unapproved, leftovers }: Manifest,
  { names, timeContext }: { readonly names: Names; readonly timeContext: MessageTimeContext },
): string {
  const language = languageOf(timeContext);
  const named = (leftovers ?? [])
    .flatMap(({ approved, employeeId, date, hours }) => {
      if (approved || employeeId == null || date == null || hours == null) return [];
      const who = nameOf(names.employees, employeeId, language.timesheets.employee);
      const day = formatDay(date, timeContext);
      return [say(language.closings.hoursOf, { who, day, hours: formatHours(hours, language) })];
    })
    .slice(0, MAX_NAMED);
  return named.length === 0 ? '' : ` (${sayFirst(named, unapproved - named.length, language)})`;
}

/** What is in doubt of the numbers of a period. */
interface Doubts {
  readonly complete: boolean;
  readonly missing: Span | null;
  readonly held?: Span | undefined;
  readonly asLastSeen?: number | undefined;
  readonly lookedAtBefore?: Span | undefined;
}

interface Span {
  readonly from: string;
  readonly to: string;
}

/** What a reader must know of numbers that are in doubt, one note each; empty when nothing is. */
export function listDoubts(
  { complete, missing, held, asLastSeen, lookedAtBefore }: Doubts,
  timeContext: MessageTimeContext,
): string[] {
  const language = languageOf(timeContext);
  const { doubts } = language.closings;
  const name = ({ from, to }: Span) => ({ dates: formatDates(from, to, timeContext) });
  const isUnread = missing !== null || (!complete && held === undefined);
  const unread = missing === null ? doubts.unread : say(doubts.unreadOf, name(missing));
  return [
    ...(isUnread ? [unread] : []),
    ...(held === undefined ? [] : [say(doubts.held, name(held))]),
    ...(asLastSeen === undefined ? [] : [sayCount(doubts.asLastSeen, asLastSeen, language)]),
    ...(lookedAtBefore === undefined ? [] : [say(doubts.lookedAtBefore, name(lookedAtBefore))]),
  ];
}

type Reader = Pick<Audience, 'serviceName' | 'language'>;

/** `without 3 timesheets, since the workforce service did not say whether they are its own`. */
export function describeUnknownMembers(timesheets: number, reader: Reader): string {
  const language = languageOf(reader);
  const service = nameService(reader);
  return sayCount(language.closings.doubts.unknownMembers, timesheets, language, { service });
}

/**
 * `; adds up with the workforce service`, or `; the workforce service has 7.5 h more, 1 timesheet more`. Empty when it
 * cannot be compared.
 */
export function describeAgreement({ addsUp, difference }: Manifest, reader: Reader): string {
  if (addsUp == null) return '';
  const language = languageOf(reader);
  const { closings, forms } = language;
  const service = nameService(reader);
  if (addsUp || difference == null) return say(closings.addsUp, { service });
  const count = (text: typeof forms.timesheets, amount: number) => sayCount(text, Math.abs(amount), language);
  const parts: readonly (readonly [difference: number, amount: string, less: typeof closings.less])[] = [
    [difference.hours, formatHours(Math.abs(difference.hours), language), closings.less],
    [difference.employees, count(forms.employees, difference.employees), closings.fewer],
    [difference.timesheets, count(forms.timesheets, difference.timesheets), closings.fewer],
  ];
  // What was counted here, minus what the source says.
  const differences = parts
    .filter(([each]) => each !== 0)
    .map(([each, amount, less]) => say(each < 0 ? closings.more : less, { amount }));
  return say(closings.serviceHas, { service, differences: differences.join(', ') });
}
