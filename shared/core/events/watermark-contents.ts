import * as z from 'zod';

/**
 * Why a watermark does not speak of something. `unreadable`: it cannot be read. `doubtful`: a look would have taken too
 * much away, and waits for another. `unread`: it was not read whole yet, or not since the table was restored. `unlisted`:
 * its list leaves out records that are there. `pending`: its closing is seen, and not told yet. `overdue`: it was not
 * looked at for too long.
 */
const EXCEPTION_REASONS = ['unreadable', 'doubtful', 'unread', 'unlisted', 'pending', 'overdue'] as const;
export type ExceptionReason = (typeof EXCEPTION_REASONS)[number];

const instant = z.iso.datetime();
const id = z.string();
const slice = z.string();

const exceptionSchema = z.strictObject({
  reason: z.enum(EXCEPTION_REASONS),
  from: slice.optional().describe('First and last date; absent for a list, and for records.'),
  to: slice.optional(),
  seenAt: instant
    .nullable()
    .optional()
    .describe('Start of the last complete look, the earliest of several dates; null without one.'),
  records: z.array(id).optional().describe('Only these records.'),
});
/** Dates, the whole list, or records that a watermark does not speak of. */
export type Exception = Readonly<z.output<typeof exceptionSchema>>;

const through = instant
  .nullable()
  .describe('The earliest start of the last complete look; null when all is excepted.');

/** The members of `data` of a watermark. */
export const WATERMARK_DATA = {
  since: z
    .strictObject({ id: id.describe('Id of the watermark before.'), at: instant })
    .nullable()
    .describe('Null when it begins anew: at first, and in a restored table.'),
  through,
  hotDates: z
    .strictObject({ from: slice, to: slice, through })
    .optional()
    .describe('Of timesheets: yesterday to tomorrow, which are looked at most often.'),
  except: z.array(exceptionSchema),
  events: z
    .strictObject({
      count: z.int().min(0),
      digest: z.string().describe('Their ids added up by exclusive or, 32 hexadecimal digits.'),
    })
    .nullable()
    .describe('Changes of records that were committed since the watermark before; null without one.'),
};

const ID_DIGITS = 32;

/** The sum of no events. */
export const NO_EVENTS = '0'.repeat(ID_DIGITS);

/** Ids of events added up by exclusive or, 32 hexadecimal digits: the same in any order. */
export function addIds(digest: string, ids: Iterable<string>): string {
  let sum = BigInt(`0x${digest}`);
  for (const id of ids) sum ^= BigInt(`0x${id}`);
  return sum.toString(16).padStart(ID_DIGITS, '0');
}
