import * as z from 'zod';

/** Timesheets that are listed as left over, and as changed; beyond that only the figures include them. */
export const MAX_LEFT_OVER = 50;
export const MAX_CHANGED = 50;
/** Times of day at which channels get a daily summary. */
const MAX_SUMMARIES = 50;
/** Departments that are listed, those with most timesheets. */
export const MAX_DEPARTMENTS = 100;

const text = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);

const figuresShape = {
  people: count,
  timesheets: count,
  hours: z.number().describe('Hours to pay.'),
};
const figuresSchema = z.strictObject(figuresShape);
/** What some timesheets come to. */
export type Figures = z.output<typeof figuresSchema>;

/** What a period comes to as the source itself says (docs/source-api.md, Pay periods). */
const totalsSchema = z.strictObject({ timesheets: z.int(), employees: z.int(), hours: z.number() });

const partsShape = {
  ready: figuresSchema.describe('Approved, or processed already: they can be paid.'),
  notReady: figuresSchema.describe('Not approved.'),
  unprocessed: count.describe('Timesheets that are not processed.'),
};

const departmentSchema = z.strictObject({ departmentId: text.nullable(), ...figuresShape, ...partsShape });
/** The timesheets of a department. */
export type DepartmentAccount = z.output<typeof departmentSchema>;

const ownerShape = {
  employeeId: text.nullable(),
  departmentId: text.nullable(),
  date: text.nullable(),
};

const leftOverSchema = z.strictObject({
  timesheetId: text,
  epoch: instant.describe('Epoch of its latest event.'),
  sequence: z.int().describe('Sequence of its latest event.'),
  ...ownerShape,
  hours: z.number(),
  missing: z
    .array(z.enum(['clock_out', 'approval', 'payroll_approval', 'processing']))
    .describe(
      '`clock_out`: clocked in and not out; `payroll_approval`: only in a period that has one; `processing`: only of a settled period.',
    ),
});
/** A timesheet that is not ready, or that a settled period leaves out. */
export type LeftOver = z.output<typeof leftOverSchema>;

/** Why the hours of a timesheet differ from those it counted with before. */
const CHANGE_REASONS = ['approved', 'revoked', 'added', 'removed', 'changed', 'moved'] as const;

const changedSchema = z.strictObject({
  timesheetId: text,
  ...ownerShape,
  reason: z
    .enum(CHANGE_REASONS)
    .describe(
      '`approved`, `revoked`: its approval; `added`, `removed`: of the period; `moved`: from or to another period; `changed`: its hours.',
    ),
  was: z.number().nullable().describe('Hours that were ready then; null for one that the period had not.'),
  now: z.number().nullable().describe('Hours that are ready now; null for one that it has no more.'),
  difference: z.number().describe('Hours to pay beside those then; below zero, to take back.'),
  isOpen: z.boolean().describe('No processing has covered it since.'),
});
/** A timesheet whose ready hours are others than the period was told with. */
export type ChangedTimesheet = z.output<typeof changedSchema>;

const verdictSchema = z.enum(['pay', 'not_yet']);

const changesSchema = z
  .strictObject({
    since: instant.describe('When the figures were told that these are held against.'),
    verdict: verdictSchema.describe('What was to be done by them.'),
    readyHours: z.number().describe('Hours that were ready then.'),
    timesheets: count.describe('Timesheets whose ready hours differ.'),
    hours: z.number().describe('Their hours now minus those then.'),
    open: z
      .strictObject({ timesheets: count, hours: z.number() })
      .describe('Of them, those that no processing has covered since: what is still open.'),
    complete: z.boolean().describe('False: what was added or removed is not known, and left out.'),
    listed: z.array(changedSchema).max(MAX_CHANGED).describe('The largest differences, at most 50.'),
  })
  .nullable()
  .describe(
    'Against the figures that were told before; null where none were, and where what changed is not known.',
  );

/** What is in doubt of an account. */
const RESERVE_KINDS = [
  'dates_unread',
  'dates_failing',
  'dates_doubtful',
  'dates_before_closing',
  'records_unreadable',
  'members_unknown',
  'totals_differ',
  'period_unlisted',
] as const;
export type ReserveKind = (typeof RESERVE_KINDS)[number];

const reserveSchema = z.strictObject({
  kind: z
    .enum(RESERVE_KINDS)
    .describe(
      '`dates_unread`: not counted, never read whole; `dates_failing`: counted as last read, they cannot be read now; `dates_doubtful`: counted as before they lost much at once; `dates_before_closing`: last read before it closed; `records_unreadable`: counted as last read, or not counted where they never were; `members_unknown`: not counted, the source did not say of which period they are; `totals_differ`: from those of the source; `period_unlisted`: the list of the source leaves the period out.',
    ),
  dates: z.strictObject({ from: text, to: text }).nullable().describe('The first and the last of its dates.'),
  timesheets: count.nullable().describe('How many timesheets; null where that does not apply.'),
});
export type Reserve = z.output<typeof reserveSchema>;

/**
 * What a pay period comes to, as of an instant (rule 18): figures and what of them is in doubt, in one value. Of its own
 * timesheets: all on its dates, or, where other periods share them, those that the source says are its own.
 */
export const accountSchema = z.strictObject({
  state: z.enum(['open', 'closed', 'reopened', 'settled']),
  since: instant.nullable().describe('Since when it is so, as it was seen; null where that is not known.'),
  closesAt: instant
    .nullable()
    .describe('When an open period is to close, by the config; null for a calendar without a deadline.'),
  verdict: verdictSchema.describe(
    '`pay`: pay the ready hours now: it is closed, all of it is ready, and nothing is in doubt; otherwise `not_yet`.',
  ),
  through: text.describe('The last date that is counted.'),
  asOf: instant.nullable().describe('Start of the oldest look that is counted; null without one.'),
  ...figuresShape,
  ...partsShape,
  departments: count.describe('Number of departments; those with most timesheets are listed.'),
  byDepartment: z.array(departmentSchema).max(MAX_DEPARTMENTS).describe('In the order of their ids.'),
  leftOver: z
    .array(leftOverSchema)
    .max(MAX_LEFT_OVER)
    .describe(
      'Timesheets that are not ready, and of a settled period those not processed: the oldest first.',
    ),
  changes: changesSchema,
  source: totalsSchema
    .nullable()
    .describe('Its totals as the source gave them with its list; null when it gave none.'),
  difference: totalsSchema
    .nullable()
    .describe('Counted here minus the totals of the source; null where they cannot be compared.'),
  reserves: z.array(reserveSchema).describe('What is in doubt; empty for nothing.'),
});
export type Account = z.output<typeof accountSchema>;

/** What `data` of `pay_period.due` has besides. */
export const dueMembers = {
  reminder: z
    .strictObject({ before: text.describe('As in the config, such as `4h`.'), at: instant })
    .nullable()
    .describe('The reminder that is due; null when only a daily summary is.'),
  summaries: z.array(text).max(MAX_SUMMARIES).describe('The `dailySummary` times that are due.'),
  stillOpen: z
    .strictObject({
      payPeriods: count,
      timesheets: count.nullable().describe('Null where none is known, and not all is known.'),
      hours: z.number().nullable(),
      complete: z.boolean().describe('False where that is not known of all of them.'),
    })
    .nullable()
    .describe(
      'What is still open of closed pay periods of its calendar, in a daily summary, once a calendar; null for nothing.',
    ),
};

/** What `data` of `pay_period.settled` has besides. */
export const settledBySchema = z
  .enum(['processed', 'next_closing', 'age'])
  .describe(
    'Why it is settled: all is processed, the next period of its calendar closed, or 35 days passed.',
  );
export type SettledBy = z.output<typeof settledBySchema>;
