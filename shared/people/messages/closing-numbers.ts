import type * as z from 'zod';
import { closeManifestSchema } from '../../core/periods/close-manifest.ts';
import { tolerant } from '../../core/tolerant.ts';
import type { Names } from '../names/names.ts';
import { formatDates, formatDay, type MessageTimeContext } from './moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from './numbers.ts';
import { type Audience, nameService } from './record-events.ts';
import { nameOf } from './timesheet-fields.ts';
import { listFirst } from './wording.ts';

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

/** `2 not approved`, `3 not processed`. */
export function listLeftovers({
  unapproved,
  unprocessed,
}: Pick<Manifest, 'unapproved' | 'unprocessed'>): string[] {
  return [
    ...(unapproved === 0 ? [] : [`${formatNumber(unapproved)} not approved`]),
    ...(unprocessed === 0 ? [] : [`${formatNumber(unprocessed)} not processed`]),
  ];
}

/** `2 not approved, 3 not processed`. `waiting` is added to those that are not approved. */
export function describeLeftovers({ unapproved, unprocessed }: Manifest, waiting = ''): string {
  if (unapproved === 0 && unprocessed === 0) return 'all approved and processed';
  const [approved] = listLeftovers({ unapproved, unprocessed: 0 });
  const [processed] = listLeftovers({ unapproved: 0, unprocessed });
  return [
    approved === undefined ? 'all approved' : `${approved}${waiting}`,
    processed ?? 'all processed',
  ].join(', ');
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
      const who = nameOf(names.employees, employeeId, 'employee ');
      const day = formatDay(date, timeContext);
      return [`${who} ${day} ${formatHours(hours)}`];
    })
    .slice(0, MAX_NAMED);
  return named.length === 0 ? '' : ` (${listFirst(named, unapproved - named.length)})`;
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
  const unread =
    missing === null
      ? 'without dates that have not been read completely'
      : `without dates of ${name(missing)} that have not been read completely`;
  return [
    ...(isUnread ? [unread] : []),
    ...(held === undefined
      ? []
      : [`${name(held)} as before much of it was lost at once, which is being checked`]),
    ...(asLastSeen === undefined
      ? []
      : [`${formatCount(asLastSeen, 'timesheet')} as last read, since now it cannot be read`]),
    ...(lookedAtBefore === undefined ? [] : [`${name(lookedAtBefore)} as read before it closed`]),
  ];
}

type Reader = Pick<Audience, 'serviceName'>;

/** `without 3 timesheets, since the workforce service did not say whether they are its own`. */
export function describeUnknownMembers(timesheets: number, reader: Reader): string {
  const service = nameService(reader);
  return timesheets === 1
    ? `without 1 timesheet, since ${service} did not say whether it is its own`
    : `without ${formatNumber(timesheets)} timesheets, since ${service} did not say whether they are its own`;
}

/**
 * `; adds up with the workforce service`, or `; the workforce service has 7.5 h more, 1 timesheet more`. Empty when it
 * cannot be compared.
 */
export function describeAgreement({ addsUp, difference }: Manifest, reader: Reader): string {
  if (addsUp == null) return '';
  const service = nameService(reader);
  if (addsUp || difference == null) return `; adds up with ${service}`;
  const parts: readonly (readonly [difference: number, amount: string, less: 'less' | 'fewer'])[] = [
    [difference.hours, formatHours(Math.abs(difference.hours)), 'less'],
    [difference.employees, formatCount(Math.abs(difference.employees), 'employee'), 'fewer'],
    [difference.timesheets, formatCount(Math.abs(difference.timesheets), 'timesheet'), 'fewer'],
  ];
  // What was counted here, minus what the source says.
  const differences = parts
    .filter(([each]) => each !== 0)
    .map(([each, amount, less]) => `${amount} ${each < 0 ? 'more' : less}`);
  return `; ${service} has ${differences.join(', ')}`;
}
