import type * as z from 'zod';
import type { Names } from '../../names/names.ts';
import { closeManifestSchema } from '../../statements/close-manifest.ts';
import { tolerant } from '../tolerant.ts';
import { cleanText } from './clean-text.ts';
import { formatDates, formatDay, type MessageTimeContext } from './moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from './numbers.ts';
import { type Audience, DEFAULT_SERVICE_NAME } from './record-events.ts';

/** People that a closing names; it counts the others. */
const MAX_NAMED = 5;

/** A close manifest, of this version or a later one. */
export const manifestSchema = tolerant(closeManifestSchema);
export type Manifest = z.output<typeof manifestSchema>;

/** `1,912.5 h, 51 employees, 380 timesheets`. */
export function describeSums({ hoursToPay, employees, timesheets }: Manifest): string {
  return [
    formatHours(hoursToPay),
    formatCount(employees, 'employee'),
    formatCount(timesheets, 'timesheet'),
  ].join(', ');
}

/** `+3 h against the closing before`. */
export function describeDifference(hours: number): string {
  return `${formatChange(hours)} against the closing before`;
}

/** `2 not approved, 3 not processed`. `waiting` is added to those that are not approved. */
export function describeLeftovers({ unapproved, unprocessed }: Manifest, waiting = ''): string {
  if (unapproved === 0 && unprocessed === 0) return 'all approved and processed';
  const approved = unapproved === 0 ? 'all approved' : `${formatNumber(unapproved)} not approved${waiting}`;
  const processed = unprocessed === 0 ? 'all processed' : `${formatNumber(unprocessed)} not processed`;
  return `${approved}, ${processed}`;
}

/**
 * ` (Ana Lee Fri 13 Nov 8 h, Ben Fox Thu 12 Nov 7.5 h and 3 more)`: whose timesheets are not approved. Empty when it is
 * not said whose they are.
 */
export function describeWaiting(
  { unapproved, leftovers }: Manifest,
  { names, timeContext }: { readonly names: Names; readonly timeContext: MessageTimeContext },
): string {
  const named = (leftovers ?? [])
    .flatMap(({ approved, employeeId, date, hours }) => {
      if (approved || employeeId == null || date == null || hours == null) return [];
      const name = cleanText(names.employees.get(employeeId) ?? '');
      const who = name === '' ? `employee ${cleanText(employeeId)}` : name;
      return [`${who} ${formatDay(date, timeContext)} ${formatHours(hours)}`];
    })
    .slice(0, MAX_NAMED);
  if (named.length === 0) return '';
  const more = unapproved - named.length;
  return ` (${named.join(', ')}${more > 0 ? ` and ${formatNumber(more)} more` : ''})`;
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
  const name = ({ from, to }: Span) => formatDates(from, to, timeContext);
  const isUnread = missing !== null || (!complete && held === undefined);
  return [
    ...(isUnread
      ? [`without dates${missing === null ? '' : ` of ${name(missing)}`} that have not been read completely`]
      : []),
    ...(held === undefined
      ? []
      : [`${name(held)} as before much of it was lost at once, which is being checked`]),
    ...(asLastSeen === undefined
      ? []
      : [`${formatCount(asLastSeen, 'timesheet')} as last read, since now it cannot be read`]),
    ...(lookedAtBefore === undefined ? [] : [`${name(lookedAtBefore)} as read before it closed`]),
  ];
}

/** `without 3 timesheets, since the workforce service did not say whether they are its own`. */
export function describeUnknownMembers(
  timesheets: number,
  { serviceName = DEFAULT_SERVICE_NAME }: Pick<Audience, 'serviceName'>,
): string {
  const are = timesheets === 1 ? 'it is' : 'they are';
  return `without ${formatCount(timesheets, 'timesheet')}, since ${serviceName} did not say whether ${are} its own`;
}

/**
 * `; adds up with the workforce service`, or `; the workforce service has 7.5 h more, 1 timesheet more`. Empty when it
 * cannot be compared.
 */
export function describeAgreement(
  { addsUp, difference }: Manifest,
  { serviceName = DEFAULT_SERVICE_NAME }: Pick<Audience, 'serviceName'>,
): string {
  if (addsUp == null) return '';
  if (addsUp || difference == null) return `; adds up with ${serviceName}`;
  const parts = [
    describeAmount(difference.hours, formatHours(Math.abs(difference.hours)), 'less'),
    describeAmount(difference.employees, formatCount(Math.abs(difference.employees), 'employee'), 'fewer'),
    describeAmount(difference.timesheets, formatCount(Math.abs(difference.timesheets), 'timesheet'), 'fewer'),
  ];
  return `; ${serviceName} has ${parts.flat().join(', ')}`;
}

/** `difference`: what was counted here, minus what the source says. */
function describeAmount(difference: number, amount: string, less: string): string[] {
  return difference === 0 ? [] : [`${amount} ${difference < 0 ? 'more' : less}`];
}
