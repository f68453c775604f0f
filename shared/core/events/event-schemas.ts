import * as z from 'zod';
import { EVENT_CATALOGUE, isSnapshotType, type ShortEventType, toEventType } from '../event-types.ts';
import { feedNameSchema } from '../feeds.ts';
import { payPeriodStateSchema } from '../records/pay-period.ts';
import { timesheetStateSchema } from '../records/timesheet.ts';
import { closeManifestSchema } from './close-manifest.ts';
import { toDataSchemaUri } from './events.ts';
import { closedPeriodsSchema, payPeriodsSchema } from './period-data.ts';
import { PROGRESS_DATA_SCHEMAS } from './progress-data.ts';
import { readinessMembers } from './readiness-data.ts';
import { statementSchema } from './statement/statement.ts';
import { WEBHOOK_DATA_SCHEMAS } from './webhook-data.ts';

/** A creation, a change, and three reversals. */
const MAX_SETTLED = 5;

const instant = z.iso.datetime();
const id = z.string();

const observedSchema = z
  .strictObject({
    after: instant
      .nullable()
      .describe(
        'When the old state was last seen; null when unknown: no earlier scan, or none that was complete.',
      ),
    by: instant.describe('When the new state was first seen. Also the `time` of the event.'),
  })
  .describe('The change happened between these two moments.');

const lateSchema = z
  .array(z.enum(['approval', 'processing', 'close']))
  .describe('What had already happened before this change. Empty when the change came in time.');

const common = {
  changed: z.array(z.string()).describe('Names of the watched fields that this step changed.'),
  observed: observedSchema,
  occurredAt: z
    .string()
    .nullable()
    .describe(
      'When the source says it happened: an instant, or a date for `closed`; null when it does not say.',
    ),
  collapsed: z
    .boolean()
    .describe('More than one step happened between two scans, or a reversal between them may be missing.'),
  late: lateSchema,
  reverses: id.optional().describe('Id of the event that this one reverses; absent when none was published.'),
};

const settlesSchema = z
  .array(z.strictObject({ id: id.describe('Id of the event.'), type: z.string(), late: lateSchema }))
  .max(MAX_SETTLED)
  .optional()
  .describe(
    'What this processing settles: the late creation, the last late change, and the reversals of approvals and processing since the timesheet was processed before. Absent for none, and for any other step.',
  );

const timesheetDataSchema = z.strictObject({
  timesheetId: id,
  employeeId: id,
  departmentId: id.nullable(),
  organisationId: id.nullable().describe('Organisation where the work was done.'),
  previousDepartmentId: id
    .optional()
    .describe('Department that the timesheet left with this change; absent when it left none.'),
  previousOrganisationId: id
    .optional()
    .describe('Organisation that the timesheet left with this change; absent when it left none.'),
  current: timesheetStateSchema
    .partial({ details: true })
    .nullable()
    .describe(
      'As seen now; null when removed. `details` only in a new timesheet, in the first events of an epoch, or when they changed.',
    ),
  previous: timesheetStateSchema
    .partial()
    .nullable()
    .describe(
      'The fields that this step changed, as they were before; all known fields of a removed record; null for a new one.',
    ),
  ...common,
  closedPeriods: closedPeriodsSchema,
  payPeriods: payPeriodsSchema,
  settles: settlesSchema,
});

const payPeriodDataSchema = z.strictObject({
  payPeriodId: id,
  current: payPeriodStateSchema.nullable(),
  previous: payPeriodStateSchema.partial().nullable(),
  ...common,
});

const payPeriodClosedDataSchema = payPeriodDataSchema.extend({
  settles: settlesSchema.describe(
    'The reopening of the pay period, when it closes again; absent when it closes for the first time.',
  ),
  closeManifest: closeManifestSchema
    .optional()
    .describe(
      'The timesheets on the dates of the period when it closed; absent when there was no time to count them.',
    ),
});

const payPeriodStatementDataSchema = payPeriodDataSchema.extend({ statement: statementSchema });
/**
 * A snapshot reports no change: `changed` is empty, and `observed.by` is when the notifier began to follow the record.
 * `current` is the stored row: a watched field that is appended must be optional here.
 */
const timesheetSnapshotDataSchema = timesheetDataSchema
  .omit({ previousDepartmentId: true, previousOrganisationId: true, closedPeriods: true })
  .extend({
    employeeId: id.nullable().describe('Null when removed.'),
    current: timesheetStateSchema.nullable().describe('The whole timesheet as stored; null when removed.'),
  });

/** Nothing of the timesheet is left but what filters need. */
const forgottenDataSchema = timesheetDataSchema
  .pick({ timesheetId: true, departmentId: true, organisationId: true })
  .extend({ employeeId: z.null(), current: z.null(), previous: z.null(), ...common })
  .omit({ reverses: true });

/** Schema of the `data` of each type. */
const DATA_SCHEMAS = {
  'timesheet.created': timesheetDataSchema,
  'timesheet.changed': timesheetDataSchema,
  'timesheet.approved': timesheetDataSchema,
  'timesheet.approval_revoked': timesheetDataSchema,
  'timesheet.payroll_approved': timesheetDataSchema,
  'timesheet.payroll_approval_revoked': timesheetDataSchema,
  'timesheet.processed': timesheetDataSchema,
  'timesheet.processing_reverted': timesheetDataSchema,
  'timesheet.removed': timesheetDataSchema,
  'record.forgotten': forgottenDataSchema,
  'timesheet.clocked_in': timesheetDataSchema,
  'timesheet.clock_in_corrected': timesheetDataSchema,
  'timesheet.clock_in_removed': timesheetDataSchema,
  'timesheet.clocked_out': timesheetDataSchema,
  'timesheet.clock_out_corrected': timesheetDataSchema,
  'timesheet.clock_out_removed': timesheetDataSchema,
  'timesheet.clock_in_missing': timesheetDataSchema,
  'timesheet.clock_in_missing_cleared': timesheetDataSchema,
  'timesheet.clock_out_missing': timesheetDataSchema,
  'timesheet.clock_out_missing_cleared': timesheetDataSchema,
  'timesheet.snapshot': timesheetSnapshotDataSchema,
  'pay_period.created': payPeriodDataSchema,
  'pay_period.changed': payPeriodDataSchema,
  'pay_period.closed': payPeriodClosedDataSchema,
  'pay_period.reopened': payPeriodDataSchema,
  'pay_period.removed': payPeriodDataSchema,
  'pay_period.readiness': payPeriodDataSchema.extend(readinessMembers),
  'pay_period.statement': payPeriodStatementDataSchema,
  'pay_period.snapshot': payPeriodDataSchema,
  'baseline.completed': z.strictObject({
    feed: feedNameSchema,
    from: z.string().describe('First slice of the window.'),
    to: z.string().describe('Last slice of the window.'),
    records: z.int(),
    startedAt: instant,
    completedAt: instant,
  }),
  'source.unreachable': z.strictObject({
    feed: feedNameSchema,
    failingSince: instant,
    failedPolls: z.int(),
    reason: z.string().nullable().describe('Code of the last error.'),
  }),
  'source.recovered': z.strictObject({
    feed: feedNameSchema,
    unreachableSince: instant,
    failedPolls: z.int(),
  }),
  'record.quarantined': z.strictObject({
    feed: feedNameSchema,
    recordId: id.nullable(),
    issues: z.array(z.string()).describe('Paths of the invalid members; never their values.'),
    listedTwice: z.literal(true).optional().describe('One answer lists it twice; `issues` differ.'),
  }),
  'record.readable': z.strictObject({
    feed: feedNameSchema,
    recordId: id,
    since: instant.describe('When `record.quarantined` was published about it first.'),
  }),
  'slice.shrunk': z.strictObject({
    feed: feedNameSchema,
    slice: z.string(),
    missing: z.int(),
    known: z.int().describe('Records that its list should have.'),
  }),
  'slice.whole': z.strictObject({
    feed: feedNameSchema,
    slice: z.string(),
    since: instant.describe('When `slice.shrunk` was published.'),
  }),
  ...PROGRESS_DATA_SCHEMAS,
  ...WEBHOOK_DATA_SCHEMAS,
} as const satisfies Readonly<Record<ShortEventType, z.ZodObject>>;

/** Schema of the `data` of a type. */
export function dataSchema<Type extends ShortEventType>(type: Type): (typeof DATA_SCHEMAS)[Type] {
  return DATA_SCHEMAS[type];
}

/** Schema of a whole event of a type: CloudEvents 1.0 with the extensions `connection`, `epoch` and `sequence`. */
export function eventSchema<Type extends ShortEventType>(type: Type) {
  return z.strictObject({
    specversion: z.literal('1.0'),
    id: z
      .string()
      .describe(
        'Computed from connection, feed, record, epoch and sequence: the same event always has the same id.',
      ),
    source: z
      .string()
      .describe('`/connections/{name}/{feed}`, or `/webhooks/{name}` for events about a webhook.'),
    type: z.literal(toEventType(type)),
    subject: z.string().optional().describe('Id of the record, or the slice, that the event is about.'),
    time: instant.describe('When the new state was first seen.'),
    datacontenttype: z.literal('application/json'),
    dataschema: z.literal(toDataSchemaUri(type)),
    connection: z.string(),
    epoch: instant
      .optional()
      .describe(
        'When the notifier began to follow the record; in operational events, the feed. Events of a later epoch come after all events of an earlier one, events without an epoch before all others.',
      ),
    sequence: isSnapshotType(toEventType(type))
      ? z
          .int()
          .min(0)
          .describe('Sequence of the latest event of the record in its epoch; 0 before the first.')
      : z
          .int()
          .min(1)
          .describe(
            'Counts the events of the record within its epoch, from 1, without gaps; in operational events, those of the feed.',
          ),
    data: dataSchema(type),
  });
}

/** Every type of the catalogue, in its order. */
export const SHORT_EVENT_TYPES = Object.keys(EVENT_CATALOGUE) as ShortEventType[];
