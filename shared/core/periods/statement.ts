import * as z from 'zod';
import { closeManifestSchema, periodTotalsSchema } from './close-manifest.ts';

/** Changed timesheets that a statement lists, those that changed most. */
export const MAX_CHANGED_TIMESHEETS = 50;

/** Why hours differ from those at the closing, as docs/adr/0018 defines. */
export const CHANGE_REASONS = ['late', 'reopened', 'recounted'] as const;
export type ChangeReason = (typeof CHANGE_REASONS)[number];

const text = z.string();
const hours = z.number();
const count = z.int();

const changeSchema = z.strictObject({
  reason: z
    .enum(CHANGE_REASONS)
    .describe(
      '`late`: while it was closed; `reopened`: while it was open again; `recounted`: one count did not see the timesheet.',
    ),
  hours,
  timesheets: count.nullable().describe('Timesheets whose hours changed; null when not known any more.'),
});

const changedTimesheetSchema = z.strictObject({
  timesheetId: text,
  reason: z.enum(CHANGE_REASONS),
  hours: hours.describe('Hours now minus those at the closing, for this reason.'),
  employeeId: text.nullable().optional(),
  departmentId: text.nullable().optional(),
  date: text.nullable().optional(),
});

const sinceCloseSchema = z
  .strictObject({
    closedHours: hours.describe('Hours when the period closed first.'),
    changes: z.array(changeSchema).describe('What changed since; empty when nothing did.'),
    hours: hours.describe('`closedHours` and all `changes`: the `hours` of this statement.'),
    timesheets: z.array(changedTimesheetSchema).max(MAX_CHANGED_TIMESHEETS),
  })
  .describe(
    'From the first closing to this statement. `timesheets` are those that changed most, at most 50.',
  );

const manifest = closeManifestSchema.shape;

/** What a pay period comes to: when it closed, when it closed again, and when it is settled (docs/adr/0018). */
export const statementSchema = z.strictObject({
  stage: z.enum(['closed', 'closed_again', 'final']),
  settledBy: z
    .enum(['processed', 'next_closing', 'age'])
    .nullable()
    .describe(
      'Why it is final: all is processed, the next period of its calendar closed, or 35 days passed. Null unless it is.',
    ),
  corrects: z
    .boolean()
    .optional()
    .describe('The figures that were told before were wrong. Absent otherwise.'),
  closings: count.describe('Which closing of the period it belongs to, from 1.'),
  hours,
  employees: count,
  timesheets: count,
  approved: count,
  unapproved: count,
  processed: count,
  unprocessed: count,
  previous: z
    .strictObject({ ...periodTotalsSchema.shape, unapproved: count, unprocessed: count })
    .nullable()
    .describe('The statement of the closing before; of a final one, that of its closing.'),
  change: periodTotalsSchema.nullable().describe('This statement minus `previous`.'),
  sinceClose: sinceCloseSchema,
  complete: manifest.complete,
  missing: manifest.missing,
  held: manifest.held,
  asLastSeen: manifest.asLastSeen,
  lookedAtBefore: manifest.lookedAtBefore,
  asOf: manifest.asOf,
  members: manifest.members.unwrap(),
  membersUnknown: manifest.membersUnknown.unwrap(),
  sharesDatesWith: manifest.sharesDatesWith,
  source: manifest.source.unwrap(),
  addsUp: manifest.addsUp.unwrap(),
  difference: manifest.difference.unwrap(),
  departments: manifest.departments.unwrap(),
  byDepartment: manifest.byDepartment.unwrap(),
  leftovers: manifest.leftovers,
});
export type Statement = z.output<typeof statementSchema>;
