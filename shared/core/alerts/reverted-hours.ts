import * as z from 'zod';
import { readNumber } from '../messages/record-events.ts';
import type { DescribableEvent } from '../messages/sentences.ts';

const REVERSAL = 'workforce.timesheet.processing_reverted';
const settledSchema = z
  .array(z.object({ id: z.string(), type: z.string(), late: z.array(z.string()).catch([]) }))
  .catch([]);

/**
 * Hours to pay of a timesheet when its processing was reverted. Null for another event, and where more was seen at once:
 * the hours may be new then.
 */
export function readRevertedHours({ type, data }: DescribableEvent): number | null {
  return type === REVERSAL && !data.collapsed ? readNumber(data.current, 'hoursToPay') : null;
}

/**
 * Id of the reversal that a processing settles. Null where people were told of other hours since the processing before:
 * then those of the reversal are not those that were paid.
 */
export function findReversal({ type, data }: DescribableEvent): string | null {
  if (type !== 'workforce.timesheet.processed') return null;
  const settled = settledSchema.parse(data.settles);
  const hasChanged = settled.some(
    (each) => each.type === 'workforce.timesheet.changed' && each.late.includes('processing'),
  );
  return hasChanged ? null : (settled.find((each) => each.type === REVERSAL)?.id ?? null);
}
