import * as z from 'zod';
import { cleanText } from './clean-text.ts';
import { formatChange } from './numbers.ts';
import { type EventState, readNumber } from './record-events.ts';

/** Reasons for being late that the sentence itself implies: what was revoked stood before. */
const OBVIOUS: Readonly<Record<string, readonly string[]>> = {
  'workforce.timesheet.approval_revoked': ['approval'],
  'workforce.timesheet.payroll_approval_revoked': ['approval'],
  'workforce.timesheet.processing_reverted': ['approval', 'processing'],
};

/** `, after it was approved and its pay period closed`. */
export function describeLate(type: string, late: readonly string[]): string {
  const stood = late.filter((each) => !(OBVIOUS[type] ?? []).includes(each));
  const was = [
    stood.includes('approval') ? 'approved' : '',
    stood.includes('processing') ? 'processed' : '',
  ].filter((word) => word !== '');
  const parts = [
    was.length === 0 ? '' : `it was ${was.join(' and ')}`,
    stood.includes('close') ? 'its pay period closed' : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return '';
  // The person clocked in time.
  const recorded = type.includes('.clocked_') ? ', recorded' : ',';
  return stood.length === 1 && was[0] === 'approved'
    ? ', after approval'
    : `${recorded} after ${parts.join(' and ')}`;
}

const closedPeriodsSchema = z.array(z.object({ calendar: z.string().nullable() })).catch([]);

/** ` (Weekly +1 h)`: what its pay period no longer comes to as it closed, or as its statement said. */
export function describeSinceClosing({
  current,
  previous,
  changed,
  closedPeriods,
}: {
  readonly current: EventState;
  readonly previous: EventState;
  readonly changed: readonly string[];
  readonly closedPeriods?: unknown;
}): string {
  // Of another date or employee it may belong to another period.
  if (changed.some((field) => field === 'date' || field === 'employeeId')) return '';
  const [period, ...others] = closedPeriodsSchema.parse(closedPeriods);
  const [before, after] = [previous, current].map((state) =>
    state === null ? 0 : readNumber(state, 'hoursToPay'),
  );
  if (period === undefined || before == null || after == null || before === after) return '';
  const calendar = others.length > 0 ? '' : cleanText(period.calendar ?? '');
  return ` (${calendar === '' ? '' : `${calendar} `}${formatChange(after - before)})`;
}
