import * as z from 'zod';
import { MAX_CLOSED_PERIODS } from './lateness.ts';

const id = z.string();
const calendar = z.string().nullable().describe('Name of its pay calendar, when known.');

/** `closedPeriods` of a timesheet's event: see `findLateness`. */
export const closedPeriodsSchema = z
  .array(
    z.strictObject({
      id,
      calendar,
      effect: z
        .enum(['gains', 'loses', 'changes'])
        .optional()
        .describe(
          'Whether the period gains the timesheet with this change, loses it, or has it before and after; absent where it is not known whether the timesheet belongs to the period.',
        ),
      hours: z
        .number()
        .optional()
        .describe('Hours to pay that the period has more than before, or less; absent for none.'),
      certain: z
        .literal(false)
        .optional()
        .describe('The change may also have come before the closing; absent when it came after.'),
    }),
  )
  .max(MAX_CLOSED_PERIODS)
  .optional()
  .describe(
    'The closed pay periods that this change came after: those of the timesheet before the change, and those after it. Absent unless `late` has `close`.',
  );

/** `payPeriods` of a timesheet's event: see `namePeriods`. */
export const payPeriodsSchema = z
  .array(z.strictObject({ id, calendar, state: z.enum(['open', 'closed']) }))
  .optional()
  .describe(
    'The pay periods that the timesheet belongs to, after the change; empty when it is on a date of none, absent while that is not known.',
  );
