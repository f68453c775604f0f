import * as z from 'zod';
import { ALERT_TYPES, PROCESSING_FINISHED } from '../core/alerts/alert.ts';
import { partOfDaySchema } from './channel.ts';

const ids = z
  .array(z.union([z.string().min(1), z.int()]).transform(String))
  .min(1)
  .optional();

/** What must be so besides the type: every condition given here; within a list any value does. */
const alertConditionSchema = z.strictObject({
  connection: z.array(z.string()).min(1).optional(),
  /** Organisations where the work was done. */
  organisationId: ids,
  departmentId: ids,
  /** Names of pay calendars; only pay periods have one. */
  calendar: z.array(z.string().min(1)).min(1).optional(),
  /** What already stood before the change: any of these; `true` anything, `false` nothing. */
  late: z.union([z.boolean(), z.array(z.enum(['approval', 'processing', 'close'])).min(1)]).optional(),
  /** When we saw it, in the connection's zone. */
  timeOfDay: partOfDaySchema.optional(),
  /** Payable hours became more or less by at least this many. */
  hoursChangedBy: z.number().positive().optional(),
});
export type AlertCondition = z.output<typeof alertConditionSchema>;

/** Which alerts go to which channels. An alert that several rules send to one channel is told there once. */
export const alertRuleSchema = z.strictObject({
  /** Full names, such as `workforce.pay_period.closed`. */
  types: z.array(z.enum(ALERT_TYPES)).min(1),
  when: alertConditionSchema.prefault({}),
  /** Names of channels; all of them when left out. */
  channels: z.array(z.string()).min(1).optional(),
  /** Told in quiet hours too. */
  urgent: z.boolean().default(false),
  /** In which words: a text with `{sentence}` in it, such as `Please check: {sentence}`. */
  words: z.string().min(1).max(300).default('{sentence}'),
});
export type AlertRule = z.output<typeof alertRuleSchema>;

/** What most want to hear of, when a config names channels and no rules. */
export const DEFAULT_ALERT_RULES: readonly z.input<typeof alertRuleSchema>[] = [
  { types: ['workforce.pay_period.closed', PROCESSING_FINISHED] },
  { types: ['workforce.pay_period.reopened'], urgent: true },
  {
    types: [
      'workforce.timesheet.changed',
      'workforce.timesheet.removed',
      'workforce.timesheet.approval_revoked',
      'workforce.timesheet.payroll_approval_revoked',
      'workforce.timesheet.processing_reverted',
      'workforce.timesheet.clock_in_corrected',
      'workforce.timesheet.clock_in_removed',
      'workforce.timesheet.clock_out_corrected',
      'workforce.timesheet.clock_out_removed',
    ],
    when: { late: ['processing', 'close'] },
  },
  { types: ['workforce.source.unreachable', 'workforce.source.recovered'], urgent: true },
];
