/** What mail programs show of a subject. */
export const MAX_SUBJECT_CHARACTERS = 78;

/** What happened to a timesheet or a pay period when there is no room beside a long name. */
const PLAIN_HEADLINES: Partial<Record<string, string>> = {
  'workforce.timesheet.created': 'A timesheet was added',
  'workforce.timesheet.changed': 'A timesheet was changed',
  'workforce.timesheet.approved': 'A timesheet was approved',
  'workforce.timesheet.approval_revoked': 'A timesheet is no longer approved',
  'workforce.timesheet.payroll_approved': 'A timesheet was approved for payroll',
  'workforce.timesheet.payroll_approval_revoked': 'A timesheet is no longer approved for payroll',
  'workforce.timesheet.processed': 'A timesheet was processed',
  'workforce.timesheet.processing_reverted': 'A timesheet is no longer processed',
  'workforce.timesheet.removed': 'A timesheet was removed',
  'workforce.timesheet.clock_in_missing': 'A clock-in is missing',
  'workforce.timesheet.clock_in_missing_cleared': 'A clock-in is no longer missing',
  'workforce.timesheet.clock_out_missing': 'A clock-out is missing',
  'workforce.timesheet.clock_out_missing_cleared': 'A clock-out is no longer missing',
  'workforce.pay_period.created': 'A pay period was added',
  'workforce.pay_period.changed': 'A pay period was changed',
  'workforce.pay_period.closed': 'A pay period closed',
  'workforce.pay_period.reopened': 'A pay period was reopened',
  'workforce.pay_period.removed': 'A pay period was removed',
  'workforce.pay_period.readiness': 'A pay period has timesheets to approve',
  'workforce.pay_period.statement': 'A pay period has a new statement',
};
const OTHER_TIMESHEET_HEADLINE = 'The clocking of a timesheet changed';

/** What happened, without names. */
export function describePlainly({ type }: { readonly type: string }): string {
  return PLAIN_HEADLINES[type] ?? OTHER_TIMESHEET_HEADLINE;
}

/** Whether a mail shows it whole. Some letters become two in ASCII. */
export function isSubject(headline: string): boolean {
  const letters = headline.normalize('NFKD').replace(/\p{M}/gu, '');
  return letters.replace(/[ßæœþ]/giu, 'xx').length <= MAX_SUBJECT_CHARACTERS;
}
