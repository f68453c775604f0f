/** Reasons for being late that the sentence itself implies: what was revoked stood before. */
const OBVIOUS: Readonly<Record<string, readonly string[]>> = {
  'workforce.timesheet.approval_revoked': ['approval'],
  'workforce.timesheet.payroll_approval_revoked': ['approval'],
  'workforce.timesheet.processing_reverted': ['approval', 'processing'],
};

/** `, after it was approved and its pay period closed`. */
export function describeLate(type: string, late: readonly string[]): string {
  const stood = late.filter((each) => !(OBVIOUS[type] ?? []).includes(each));
  const was = [
    stood.includes('approval') ? 'approved' : '',
    stood.includes('processing') ? 'processed' : '',
  ].filter((word) => word !== '');
  const parts = [
    was.length === 0 ? '' : `it was ${was.join(' and ')}`,
    stood.includes('close') ? 'its pay period closed' : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return '';
  // The person clocked in time.
  const recorded = type.includes('.clocked_') ? ', recorded' : ',';
  return stood.length === 1 && was[0] === 'approved'
    ? ', after approval'
    : `${recorded} after ${parts.join(' and ')}`;
}
