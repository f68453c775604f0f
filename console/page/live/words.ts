/** A shape says the kind of an event without its colour. */
export type Mark =
  | 'in'
  | 'out'
  | 'check'
  | 'double'
  | 'paid'
  | 'edit'
  | 'plus'
  | 'minus'
  | 'back'
  | 'lock'
  | 'sum'
  | 'notice';
/** `calm`: work goes on. `undone`: something was taken back. `watch`: about the watching itself. */
export type Tone = 'calm' | 'done' | 'undone' | 'watch';

interface Words {
  /** After a number above one: `102 approved for payroll`. */
  readonly many: string;
  /** Heading of one event. */
  readonly one: string;
  readonly mark: Mark;
  readonly tone: Tone;
}

const WORDS: Readonly<Record<string, Words>> = {
  'timesheet.created': words('timesheets created', 'Created', 'plus', 'calm'),
  'timesheet.changed': words('timesheets changed', 'Changed', 'edit', 'calm'),
  'timesheet.approved': words('approved', 'Approved', 'check', 'done'),
  'timesheet.approval_revoked': words('approvals taken back', 'Approval taken back', 'back', 'undone'),
  'timesheet.payroll_approved': words('approved for payroll', 'Approved for payroll', 'double', 'done'),
  'timesheet.payroll_approval_revoked': words(
    'payroll approvals taken back',
    'Payroll approval taken back',
    'back',
    'undone',
  ),
  'timesheet.processed': words('processed', 'Processed', 'paid', 'done'),
  'timesheet.processing_reverted': words('no longer processed', 'Processing taken back', 'back', 'undone'),
  'timesheet.removed': words('timesheets removed', 'Removed', 'minus', 'undone'),
  'record.forgotten': words('timesheets forgotten', 'Forgotten', 'minus', 'undone'),
  'timesheet.clocked_in': words('clocked in', 'Clocked in', 'in', 'calm'),
  'timesheet.clock_in_corrected': words('clock-ins corrected', 'Clock-in corrected', 'edit', 'calm'),
  'timesheet.clock_in_removed': words('clock-ins removed', 'Clock-in removed', 'back', 'undone'),
  'timesheet.clocked_out': words('clocked out', 'Clocked out', 'out', 'calm'),
  'timesheet.clock_out_corrected': words('clock-outs corrected', 'Clock-out corrected', 'edit', 'calm'),
  'timesheet.clock_out_removed': words('clock-outs removed', 'Clock-out removed', 'back', 'undone'),
  'timesheet.clock_in_missing': words('clock-ins missing', 'Clock-in missing', 'notice', 'watch'),
  'timesheet.clock_in_missing_cleared': words(
    'clock-ins no longer missing',
    'Clock-in no longer missing',
    'in',
    'calm',
  ),
  'timesheet.clock_out_missing_cleared': words(
    'clock-outs no longer missing',
    'Clock-out no longer missing',
    'out',
    'calm',
  ),
  'timesheet.snapshot': words('timesheet snapshots', 'Snapshot', 'sum', 'calm'),
  'pay_period.snapshot': words('pay period snapshots', 'Snapshot', 'sum', 'calm'),
  'timesheet.clock_out_missing': words('clock-outs missing', 'Clock-out missing', 'notice', 'watch'),
  'pay_period.created': words('pay periods created', 'Created', 'plus', 'calm'),
  'pay_period.changed': words('pay periods changed', 'Changed', 'edit', 'calm'),
  'pay_period.closed': words('pay periods closed', 'Closed', 'lock', 'done'),
  'pay_period.reopened': words('pay periods reopened', 'Reopened', 'back', 'undone'),
  'pay_period.removed': words('pay periods removed', 'Removed', 'minus', 'undone'),
  'pay_period.statement': words('statements', 'Statement', 'sum', 'done'),
  'pay_period.readiness': words('readiness reports', 'Readiness', 'sum', 'calm'),
};

function words(...[many, one, mark, tone]: readonly [string, string, Mark, Tone]): Words {
  return { many, one, mark, tone };
}

/** Also for a type that a later version adds. */
export function findWords(type: string): Words {
  const known = WORDS[type];
  if (known !== undefined) return known;
  const text = type.replaceAll(/[._]/g, ' ');
  return words(text, text.charAt(0).toUpperCase() + text.slice(1), 'notice', 'watch');
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
    pattern: 'timesheet.created,timesheet.changed,timesheet.removed,record.forgotten',
  },
  { label: 'Taken back', pattern: '*_revoked,*_reverted,*_removed,*.reopened' },
  { label: 'Pay periods', pattern: 'pay_period.*' },
  { label: 'Polling and sources', pattern: 'baseline.*,source.*,record.*,slice.*,poll.*,feed.*,publish.*' },
];
