import * as z from 'zod';
import { readNumber } from './messages/record-events.ts';
import type { DescribableEvent } from './words/sentences.ts';

/** Hours to pay of a timesheet when its processing was reverted. */
export const hoursAtReversalSchema = z.object({
  hours: z.number(),
  /** Nothing else was seen with the reversal: they are those that were processed. */
  isExact: z.boolean(),
});
export type HoursAtReversal = Readonly<z.output<typeof hoursAtReversalSchema>>;

const REVERSAL = 'workforce.timesheet.processing_reverted';
const settledSchema = z.array(z.object({ id: z.string(), type: z.string() })).catch([]);

/** Null for an event that is no reversal. */
export function readHoursAtReversal({ type, data }: DescribableEvent): HoursAtReversal | null {
  if (type !== REVERSAL) return null;
  const hours = readNumber(data.current, 'hoursToPay');
  return hours === null ? null : { hours, isExact: !data.collapsed };
}

/** Id of the reversal that a processing settles, or null. */
export function findReversal({ type, data }: DescribableEvent): string | null {
  if (type !== 'workforce.timesheet.processed') return null;
  return settledSchema.parse(data.settles).find((each) => each.type === REVERSAL)?.id ?? null;
}

/** The hours before to compare those of a processing with. Null where it is not certain that they are the same. */
export function chooseHoursBefore(
  { type, data }: DescribableEvent,
  before: HoursAtReversal | null | undefined,
): number | null {
  if (before == null || type !== 'workforce.timesheet.processed') return null;
  const isSame = readNumber(data.current, 'hoursToPay') === before.hours;
  return isSame && !before.isExact ? null : before.hours;
}
