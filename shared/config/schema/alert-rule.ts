import * as z from 'zod';
import { ALERT_TYPES } from '#shared/alerts/alert.ts';
import { findTypes } from '#shared/core/definitions/alert-news.ts';
import type { AlertNews } from '#shared/core/definitions/event-definition.ts';
import type { PublishedType } from '#shared/core/event-types.ts';
import { partOfDaySchema } from './channel.ts';

const PLACEHOLDERS: readonly string[] = ['{sentence}', '{connection}', '{type}'];

const id = z
  .union([z.string().min(1), z.int()], { error: 'an id is a text or a whole number' })
  .transform(String);
const ids = z.array(id).min(1).optional();

const lateSchema = z.union([z.boolean(), z.array(z.enum(['approval', 'processing', 'close'])).min(1)], {
  error: ({ input }) =>
    `late is true, false, or a list out of approval, processing and close, not ${JSON.stringify(input)}`,
});

/** Conditions besides the type. All that are given must hold; of a list, any value may match. */
const alertConditionSchema = z.strictObject({
  connection: z.array(z.string()).min(1).optional(),
  /** Organisations where the work was done. */
  organisationId: ids,
  departmentId: ids,
  /** Names of pay calendars; only pay periods have one. */
  calendar: z.array(z.string().min(1)).min(1).optional(),
  /** The change came after one of these; `true`: after any of them, `false`: before all. */
  late: lateSchema.optional(),
  /** When it was observed, in the connection's zone. */
  timeOfDay: partOfDaySchema.optional(),
  /** Payable hours rose or fell by at least this. */
  hoursChangedBy: z.number().positive().optional(),
});
type AlertCondition = z.output<typeof alertConditionSchema>;

const wordsSchema = z
  .string()
  .min(1)
  .max(300)
  .refine((words) => words.includes('{sentence}'), {
    error: 'words must contain {sentence}, where the sentence goes, such as "Please check: {sentence}"',
  })
  .refine((words) => findUnknownPlaceholders(words).length === 0, {
    error: ({ input }) =>
      `unknown ${findUnknownPlaceholders(String(input)).join(', ')} in words; use one of ${PLACEHOLDERS.join(', ')}`,
  })
  .refine((words) => !/\p{Cc}/u.test(words), { error: 'words must be one line without control characters' });

/** Sends events to channels. An event that several rules send to one channel arrives there once. */
export const alertRuleSchema = z
  .strictObject({
    /** Full names, such as `workforce.pay_period.closed`. */
    types: z.array(z.enum(ALERT_TYPES, { error: ({ input }) => describeUnknownType(input) })).min(1),
    when: alertConditionSchema.prefault({}),
    /** Names of channels; all of them when left out. */
    channels: z.array(z.string()).min(1).optional(),
    /** Sent at once, also in quiet hours. */
    urgent: z.boolean().default(false),
    /** Text around the sentence, such as `Please check: {sentence}`. */
    words: wordsSchema.default('{sentence}'),
  })
  .superRefine(({ types, when }, context) => {
    for (const [index, type] of types.entries()) {
      const reason = explainNoMatch(type, when);
      if (reason === null) continue;
      const message = `${JSON.stringify(type)} ${reason}; remove the type, or give it a rule of its own`;
      context.addIssue({ code: 'custom', path: ['types', index], message });
    }
  });
export type AlertRule = z.output<typeof alertRuleSchema>;

/** The rules of a config that names none. Not urgent: maintenance of the source at night would wake people. */
export const DEFAULT_ALERT_RULES: readonly z.input<typeof alertRuleSchema>[] = [
  { types: listByDefault('always') },
  { types: listByDefault('urgent'), urgent: true },
  { types: listByDefault('late'), when: { late: ['processing', 'close'] } },
];

function listByDefault(when: AlertNews['byDefault']): PublishedType[] {
  return findTypes(({ byDefault }) => byDefault === when);
}

const TIMESHEET = /^workforce\.timesheet\./;
const PAY_PERIOD = /^workforce\.pay_period\./;
const RECORD = /^workforce\.(?:timesheet|pay_period)\./;
/** Types whose events can change payable hours. */
const CHANGING_HOURS = /^workforce\.timesheet\.(?:created|changed|removed)$/;
/**
 * Types of records that can be late. Processing follows a close, a period belongs to no other period, and time alone makes
 * no late change.
 */
const POSSIBLY_LATE =
  /^workforce\.(?:timesheet\.(?!processed$|clock_(?:in|out)_missing)|pay_period\.(?!created$|closed$|readiness$|statement$))/;
/** Types of timesheets that can come after an approval; new facts can only come after a close. */
const POSSIBLY_LATE_AFTER_APPROVAL =
  /^workforce\.timesheet\.(?!created$|clocked_|approved$|payroll_approved$)/;

/** Why no event of a type can meet a condition; null when one can. */
function explainNoMatch(type: PublishedType, when: AlertCondition): string | null {
  const needs: readonly [boolean, RegExp, string][] = [
    [when.calendar !== undefined, PAY_PERIOD, 'has no calendar'],
    [when.organisationId !== undefined, TIMESHEET, 'has no organisation'],
    [when.departmentId !== undefined, TIMESHEET, 'has no department'],
    [when.hoursChangedBy !== undefined, CHANGING_HOURS, 'does not change hours'],
    [when.late === false, RECORD, 'is neither late nor in time'],
    [when.late !== undefined && when.late !== false, POSSIBLY_LATE, 'is never late'],
    [
      Array.isArray(when.late) && !when.late.includes('close'),
      POSSIBLY_LATE_AFTER_APPROVAL,
      'is never late after approval or processing, only after close',
    ],
  ];
  const never = needs.find(([asked, possible]) => asked && !possible.test(type));
  return never === undefined ? null : `${never[2]}, and can never match`;
}

function describeUnknownType(input: unknown): string {
  const close = ALERT_TYPES.find((type) => type.endsWith(`.${input}`));
  const advice = close === undefined ? 'docs/alerts.md lists them all' : `use ${close}`;
  return `unknown event type ${JSON.stringify(input)}; ${advice}`;
}

function findUnknownPlaceholders(words: string): string[] {
  return (words.match(/\{[^{}]*\}/g) ?? []).filter((found) => !PLACEHOLDERS.includes(found));
}
