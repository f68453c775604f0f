import { parseEvent } from 'workforce-change-notifier';

/** A sentence for payroll about a message; null when payroll does not need to know. */
export function payrollNews(message: unknown): string | null {
  const parsed = parseEvent(message);
  if (parsed.outcome !== 'event') return null;
  const { event } = parsed;
  switch (event.type) {
    case 'workforce.timesheet.approved':
      return `pay ${event.data.current?.hoursToPay} h for timesheet ${event.data.timesheetId}`;
    case 'workforce.timesheet.approval_revoked':
      return `do not pay timesheet ${event.data.timesheetId}`;
    case 'workforce.pay_period.closed':
      return `period closed, ${event.data.closeManifest?.unapproved ?? 'unknown'} not approved`;
    default:
      return null;
  }
}
