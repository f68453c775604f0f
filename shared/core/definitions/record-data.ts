import * as z from 'zod';
import type { RecordEventType, SnapshotType } from '../event-types.ts';
import { MAX_CLOSED_PERIODS } from '../events/lateness.ts';
import { accountSchema, dueMembers, settledBySchema } from '../periods/account-data.ts';
import { shownDepartmentSchema, shownEmployeeSchema } from '../records/directory.ts';
import { payPeriodStateSchema } from '../records/pay-period.ts';
import { timesheetStateSchema } from '../records/timesheet.ts';
import type { EventContract } from './event-definition.ts';

/** A creation, a change, and three reversals. */
const MAX_SETTLED = 5;

const instant = z.iso.datetime();

const id = z.string();
const calendar = z.string().nullable().describe('Name of its pay calendar, when known.');

/** `closedPeriods` of a timesheet's event: see `findLateness`. */
const closedPeriodsSchema = z
  .array(
    z.strictObject({
      id,
      calendar,
      effect: z
        .enum(['gains', 'loses', 'changes'])
        .optional()
        .describe(
          'Whether the period gains the timesheet, loses it, or has it before and after; absent where that is not known.',
        ),
      hours: z
        .number()
        .optional()
        .describe('Hours to pay that the period has more, or less; absent for none.'),
      certain: z.literal(false).optional().describe('The change may also have come before the closing.'),
    }),
  )
  .max(MAX_CLOSED_PERIODS)
  .optional()
  .describe(
    'The closed pay periods of the timesheet, before the change or after it, that it came after. Absent unless `late` has `close`.',
  );

/** `payPeriods` of a timesheet's event: see `namePeriods`. */
const payPeriodsSchema = z
  .array(z.strictObject({ id, calendar, state: z.enum(['open', 'closed']) }))
  .optional()
  .describe(
    'The pay periods that the timesheet belongs to after the change; absent while that is not known.',
  );

const observedSchema = z
  .strictObject({
    after: instant.nullable().describe('When the old state was last seen; null when it was not.'),
    by: instant.describe('When the new state was first seen.'),
  })
  .describe('The change happened between these two moments.');

const lateSchema = z
  .array(z.enum(['approval', 'processing', 'close']))
  .describe('What had already happened before this change; empty when it came in time.');

const common = {
  changed: z.array(z.string()).describe('The watched fields that this step changed.'),
  observed: observedSchema,
  occurredAt: z
    .string()
    .nullable()
    .describe(
      'When the source says it happened: an instant, or a date for `closed`; null when it does not say.',
    ),
  collapsed: z
    .boolean()
    .describe('More than one step happened between two looks, or a reversal may be missing.'),
  late: lateSchema,
  reverses: id
    .optional()
    .describe('Id of the event that this one takes back; absent when none was published.'),
};

const settlesSchema = z
  .array(
    z.strictObject({
      id: id.describe('Id of the event.'),
      type: z.string(),
      late: lateSchema,
      hours: z.number().optional().describe('Hours to pay with which it had been processed.'),
    }),
  )
  .max(MAX_SETTLED)
  .optional()
  .describe(
    'What this processing settles: the late creation, the last late change, and reversals since the processing before. Absent for none.',
  );

/** Members of the data of every event about a timesheet, beside its state. */
const timesheetMembers = {
  timesheetId: id,
  employeeId: id,
  departmentId: id.nullable(),
  organisationId: id.nullable().describe('Organisation where the work was done.'),
  previousDepartmentId: id.optional().describe('Department that the timesheet left with this change.'),
  previousOrganisationId: id.optional().describe('Organisation that the timesheet left with this change.'),
  closedPeriods: closedPeriodsSchema,
  payPeriods: payPeriodsSchema,
  settles: settlesSchema,
};

const timesheet = toLife(
  timesheetMembers,
  timesheetStateSchema
    .partial({ details: true })
    .describe(
      'As seen now; null when removed. `details` only in the first events of an epoch, and when they changed.',
    ),
);
const payPeriod = toLife({ payPeriodId: id }, payPeriodStateSchema);
const employee = toLife({ employeeId: id }, shownEmployeeSchema);
/** Names are watched and not shown: `changed` says that they changed. */
const department = toLife({ departmentId: id }, shownDepartmentSchema);

/** The data of what can happen to a record: one that is gone has no `current`, one that is new or only shown no `previous`. */
function toLife<Members extends z.core.$ZodLooseShape>(members: Members, state: z.ZodObject) {
  const schemaOf = (current: z.ZodType, previous: z.ZodType) =>
    z.strictObject({
      ...members,
      current: current.describe(state.description ?? 'As seen now; null when removed.'),
      previous: previous.describe(
        'The fields that this step changed, as they were; all of a removed record; null for a new one.',
      ),
      ...common,
    });
  return {
    appeared: schemaOf(state, z.null()),
    changed: schemaOf(state, state.partial()),
    gone: schemaOf(z.null(), state.partial()),
    /** Reports no change: `changed` is empty, and `observed.by` is when the notifier began to follow the record. */
    stored: schemaOf(state, z.null()),
  };
}

const account = accountSchema.describe('What the period comes to, and what of that is in doubt.');
const maybeAccount = accountSchema
  .nullable()
  .describe(
    'What the period comes to; null where there was no time to count it, or it is longer than 400 days.',
  );

const payPeriodClosedDataSchema = payPeriod.changed.extend({
  settles: settlesSchema.describe('The reopening, when the period closes again.'),
  account: maybeAccount,
});

const payPeriodReopenedDataSchema = payPeriod.changed.extend({ account: maybeAccount });

const payPeriodDueDataSchema = payPeriod.changed.extend({ ...dueMembers, account });
const payPeriodRecountedDataSchema = payPeriod.changed.extend({ account });
const payPeriodSettledDataSchema = payPeriod.changed.extend({ settledBy: settledBySchema, account });

/** `current` is the stored row: a watched field that is appended must be optional here. */
const timesheetSnapshotDataSchema = timesheet.stored
  .omit({ previousDepartmentId: true, previousOrganisationId: true, closedPeriods: true })
  .extend({
    employeeId: id.nullable().describe('Null when forgotten.'),
    current: timesheetStateSchema
      .nullable()
      .describe('The whole timesheet as stored; null when its employee was forgotten.'),
  });

const employeeSnapshotDataSchema = employee.stored.extend({
  current: shownEmployeeSchema.nullable().describe('As stored; null when forgotten.'),
});

/** Nothing of the timesheet is left but what filters need. */
const forgottenDataSchema = timesheet.gone
  .pick({ timesheetId: true, departmentId: true, organisationId: true })
  .extend({ employeeId: z.null(), current: z.null(), previous: z.null(), ...common })
  .omit({ reverses: true });

/** What each type about a timesheet or a pay period means, and what its `data` holds. */
export const RECORD_DATA = {
  'timesheet.created': {
    meaning: 'A new timesheet appeared.',
    data: timesheet.appeared,
  },
  'timesheet.changed': {
    meaning: 'Something else that is watched changed.',
    data: timesheet.changed,
  },
  'timesheet.approved': {
    meaning: 'The hours were approved.',
    data: timesheet.changed,
  },
  'timesheet.approval_revoked': {
    meaning: 'The approval was revoked.',
    data: timesheet.changed,
  },
  'timesheet.payroll_approved': {
    meaning: 'Payroll approved the timesheet.',
    data: timesheet.changed,
  },
  'timesheet.payroll_approval_revoked': {
    meaning: 'The payroll approval was revoked.',
    data: timesheet.changed,
  },
  'timesheet.processed': {
    meaning: 'The timesheet was processed for payroll.',
    data: timesheet.changed,
  },
  'timesheet.processing_reverted': {
    meaning: 'The processing was reverted.',
    data: timesheet.changed,
  },
  'timesheet.removed': {
    meaning: 'The timesheet is gone: no complete list has it, and its id is a 404.',
    data: timesheet.gone,
  },
  'employee.forgotten': {
    meaning:
      'The employee of a timesheet was erased with `notifier forget`: erase what you keep of the timesheet. In the log it takes the place of each event of the timesheet.',
    data: forgottenDataSchema,
  },
  'timesheet.clocked_in': {
    meaning: 'The employee clocked in.',
    data: timesheet.changed,
  },
  'timesheet.clock_in_corrected': {
    meaning: 'The clock-in was corrected.',
    data: timesheet.changed,
  },
  'timesheet.clock_in_removed': {
    meaning: 'The clock-in was removed.',
    data: timesheet.changed,
  },
  'timesheet.clocked_out': {
    meaning: 'The employee clocked out.',
    data: timesheet.changed,
  },
  'timesheet.clock_out_corrected': {
    meaning: 'The clock-out was corrected.',
    data: timesheet.changed,
  },
  'timesheet.clock_out_removed': {
    meaning: 'The clock-out was removed.',
    data: timesheet.changed,
  },
  'timesheet.clock_in_missing': {
    meaning:
      'No clock-in so many minutes after the planned start (`absences.clockInMinutes`). The event that ends it has `clockInMissing` in `previous`.',
    data: timesheet.changed,
  },
  'timesheet.clock_out_missing': {
    meaning:
      'No clock-out so many hours after the planned finish (`absences.clockOutHours`). The event that ends it has `clockOutMissing` in `previous`.',
    data: timesheet.changed,
  },
  'timesheet.snapshot': {
    meaning: 'What is stored of the timesheet, not a change.',
    data: timesheetSnapshotDataSchema,
  },
  'pay_period.created': {
    meaning: 'A new pay period appeared.',
    data: payPeriod.appeared,
  },
  'pay_period.changed': {
    meaning: 'Its calendar, dates, payroll company or provider changed.',
    data: payPeriod.changed,
  },
  'pay_period.due': {
    meaning: 'An open pay period is to close soon, or a daily summary is due: what is left to approve.',
    data: payPeriodDueDataSchema,
  },
  'pay_period.closed': {
    meaning: 'The pay period was closed.',
    data: payPeriodClosedDataSchema,
  },
  'pay_period.recounted': {
    meaning: 'A closing that was told with a reserve is counted again, without one.',
    data: payPeriodRecountedDataSchema,
  },
  'pay_period.reopened': {
    meaning: 'The pay period was reopened: its closing is taken back.',
    data: payPeriodReopenedDataSchema,
  },
  'pay_period.settled': {
    meaning: 'All of a closed pay period is processed, or nothing more of it is waited for.',
    data: payPeriodSettledDataSchema,
  },
  'pay_period.removed': {
    meaning: 'The pay period is gone, as `timesheet.removed`.',
    data: payPeriod.gone,
  },
  'pay_period.snapshot': {
    meaning: 'What is stored of the pay period, not a change.',
    data: payPeriod.stored,
  },
  'employee.joined': {
    meaning: 'A new employee is on the list of the source.',
    data: employee.appeared,
  },
  'employee.moved': {
    meaning: 'The departments of the contracted hours of an employee changed.',
    data: employee.changed,
  },
  'employee.left': {
    meaning: 'The employee is gone, as `timesheet.removed`.',
    data: employee.gone,
  },
  'employee.snapshot': {
    meaning: 'What is stored of the employee, not a change.',
    data: employeeSnapshotDataSchema,
  },
  'department.added': {
    meaning: 'A new department is on the list of the source.',
    data: department.appeared,
  },
  'department.renamed': {
    meaning: 'The department has another name, which the event does not hold.',
    data: department.changed,
  },
  'department.manager_changed': {
    meaning: 'The department has another manager, or none, or one for the first time.',
    data: department.changed,
  },
  'department.removed': {
    meaning: 'The department is gone, as `timesheet.removed`.',
    data: department.gone,
  },
  'department.snapshot': {
    meaning: 'What is stored of the department, not a change.',
    data: department.stored,
  },
} as const satisfies Readonly<Record<RecordEventType | SnapshotType, EventContract>>;
