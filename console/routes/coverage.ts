import * as z from 'zod';
import { receiptSchema } from './record.ts';

/** A date of the window, and when it was last read completely. Instants are RFC 3339. */
const coveredDateSchema = z.object({
  date: z.string(),
  /** Null when it was never read completely. */
  completeAt: z.string().nullable(),
  timesheets: z.int(),
  /** Timesheets that are not processed yet. */
  unsettled: z.int(),
  /** Why it cannot be read now, or why its changes are held. `isSerious`: the next poll alone does not end it. */
  trouble: z.object({ says: z.string(), isSerious: z.boolean() }).nullable(),
});
export type CoveredDate = z.output<typeof coveredDateSchema>;

const connectionCoverageSchema = z.object({
  connection: z.string(),
  timeZone: z.string(),
  today: z.string(),
  dates: z.array(coveredDateSchema),
  /** Of the list of pay periods. */
  payPeriodsAt: z.string().nullable(),
  baselineAt: z.string().nullable(),
});
export type ConnectionCoverage = z.output<typeof connectionCoverageSchema>;

/** A poll of timesheets. */
const coveredPollSchema = receiptSchema.extend({ connection: z.string() });
export type CoveredPoll = z.output<typeof coveredPollSchema>;

export const coverageAnswerSchema = z.object({
  connections: z.array(connectionCoverageSchema),
  /** The latest of each connection, oldest first; null where their log is not at hand. */
  polls: z.array(coveredPollSchema).nullable(),
  readAt: z.string(),
});
export type CoverageAnswer = z.output<typeof coverageAnswerSchema>;

/** How soon the events of the last 24 hours were at a place. Seconds; null of what never arrives. */
const placeFreshnessSchema = z.object({
  /** `publication`, or a receiver as `--to` takes it. */
  to: z.string(),
  events: z.int(),
  waiting: z.int(),
  /** Given up. */
  lost: z.int(),
  p50: z.number().nullable(),
  p99: z.number().nullable(),
});

export const freshnessAnswerSchema = z.object({ places: z.array(placeFreshnessSchema) });
export type FreshnessAnswer = z.output<typeof freshnessAnswerSchema>;

const findingSchema = z.object({
  about: z.string(),
  outcome: z.enum(['ok', 'warning', 'wrong']),
  says: z.string(),
  mend: z.string().nullable(),
});
export type DoctorFinding = z.output<typeof findingSchema>;

export const doctorAnswerSchema = z.object({ findings: z.array(findingSchema), checkedAt: z.string() });
export type DoctorAnswer = z.output<typeof doctorAnswerSchema>;
