import { parseEvent } from 'workforce-change-notifier';

/** A sentence for payroll about a message; null when payroll does not need to know. */
export function payrollNews(message: unknown): string | null {
  const parsed = parseEvent(message);
  if (parsed.outcome !== 'event') return null;
  const { event } = parsed;
  switch (event.type) {
    case 'workforce.timesheet.approved':
    case 'workforce.timesheet.changed': {
      const { timesheetId, current } = event.data;
      return current.approvedHours ? `pay ${current.hoursToPay} h for timesheet ${timesheetId}` : null;
    }
    case 'workforce.timesheet.approval_revoked':
    case 'workforce.timesheet.removed':
      return `do not pay timesheet ${event.data.timesheetId}`;
    case 'workforce.pay_period.closed':
      return `period closed, ${event.data.account?.notReady.timesheets ?? 'unknown'} not approved`;
    default:
      return null;
  }
}
