import type { ConsoleWords, Mark, Tone } from '#shared/core/definitions/event-definition.ts';
import { LOOKS } from '#shared/people/types/looks.ts';

interface Words {
  /** After a number above one: `102 approved for payroll`. */
  readonly many: string;
  /** Heading of one event. */
  readonly one: string;
  readonly mark: Mark;
  readonly tone: Tone;
}

/** Also for a type that a later version adds. */
export function findWords(type: string): Words {
  const text = type.replaceAll(/[._]/g, ' ');
  const unknown = [text, text.charAt(0).toUpperCase() + text.slice(1), 'notice', 'watch'] as const;
  const [many, one, mark, tone] = (LOOKS as Readonly<Record<string, ConsoleWords>>)[type] ?? unknown;
  return { many, one, mark, tone };
}

/** Choices of the filter, in the order of a timesheet's life. */
export const TYPE_CHOICES: readonly { readonly label: string; readonly pattern: string }[] = [
  { label: 'Clocking', pattern: 'timesheet.clock*' },
  {
    label: 'Approvals',
    pattern:
      'timesheet.approved,timesheet.approval_revoked,timesheet.payroll_approved,timesheet.payroll_approval_revoked',
  },
  { label: 'Processing', pattern: 'timesheet.processed,timesheet.processing_reverted' },
  {
    label: 'Changes to timesheets',
    pattern: 'timesheet.created,timesheet.changed,timesheet.removed,employee.forgotten',
  },
  { label: 'Taken back', pattern: '*_revoked,*_reverted,*_removed,*.reopened' },
  { label: 'Pay periods', pattern: 'pay_period.*' },
  { label: 'The watching itself', pattern: 'baseline.*,feed.*,trouble.*' },
];
