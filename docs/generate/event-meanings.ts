import type { ShortEventType } from '#shared/core/event-types.ts';

/** One sentence on each type, and the source field that causes it. */
export const EVENT_MEANINGS: Readonly<
  Record<ShortEventType, { readonly says: string; readonly cause: string }>
> = {
  'timesheet.created': { says: 'A timesheet is there that was not there before.', cause: '`id`' },
  'timesheet.changed': {
    says: 'Watched values other than the markers changed: date, times, hours, people, places, flags or details.',
    cause:
      '`date` `startTime` `finishTime` `hoursToPay` `employeeId` `department.id` `role.id` `shift.id` `organisationWorkedId` `organisationPayRollId` `casualJob` `includesLeave` `overnight` `details`',
  },
  'timesheet.approved': { says: 'The hours were approved.', cause: '`approvedHours`' },
  'timesheet.approval_revoked': { says: 'The approval was taken back.', cause: '`approvedHours`' },
  'timesheet.payroll_approved': { says: 'Payroll approved the timesheet.', cause: '`approvedPayroll`' },
  'timesheet.payroll_approval_revoked': {
    says: 'The payroll approval was taken back.',
    cause: '`approvedPayroll`',
  },
  'timesheet.processed': { says: 'The timesheet was processed for payroll.', cause: '`processed`' },
  'timesheet.processing_reverted': { says: 'The processing was taken back.', cause: '`processed`' },
  'timesheet.removed': {
    says: 'The timesheet is gone: missing from a complete list, and 404 when asked for by id.',
    cause: 'absence',
  },
  'timesheet.clocked_in': { says: 'The employee clocked in.', cause: '`clockIn`' },
  'timesheet.clock_in_corrected': {
    says: 'The clock-in was altered.',
    cause: '`clockIn.id` `.localTime` `.variance` `.kiosk` `.beacon`',
  },
  'timesheet.clock_in_removed': { says: 'The clock-in was taken back.', cause: '`clockIn`' },
  'timesheet.clocked_out': { says: 'The employee clocked out.', cause: '`clockOut`' },
  'timesheet.clock_out_corrected': {
    says: 'The clock-out was altered.',
    cause: '`clockOut.id` `.localTime` `.variance` `.kiosk` `.beacon`',
  },
  'timesheet.clock_out_removed': { says: 'The clock-out was taken back.', cause: '`clockOut`' },
  'pay_period.created': { says: 'A pay period is there that was not there before.', cause: '`id`' },
  'pay_period.changed': {
    says: 'Its calendar, dates, payroll company or provider changed.',
    cause: '`calendar` `startDate` `finishDate` `payRollCompanyId` `payRollProvider`',
  },
  'pay_period.closed': { says: 'The pay period was closed.', cause: '`closed`' },
  'pay_period.reopened': { says: 'The closing was taken back.', cause: '`closed`' },
  'pay_period.removed': {
    says: 'The pay period is gone: missing from the list, and 404 when asked for by id.',
    cause: 'absence',
  },
  'baseline.completed': {
    says: 'The first look at a feed is stored. From here on, changes are told.',
    cause: 'first complete look',
  },
  'source.unreachable': { says: 'Several polls in a row could not read the source.', cause: 'failed polls' },
  'source.recovered': { says: 'The source answers again.', cause: 'first answer' },
  'record.quarantined': {
    says: 'A record does not fit its schema and is left as it was known. Once per record and day.',
    cause: 'a bad record',
  },
  'slice.shrunk': {
    says: 'More of a slice vanished at once than is believed. Nothing is told as removed until it is proven.',
    cause: 'many absences at once',
  },
  'poll.stalled': {
    says: 'The source answers, but no poll has seen all it planned to see for a long time.',
    cause: 'incomplete polls',
  },
  'delivery.failed': {
    says: 'An event could not be delivered to a webhook, in spite of all retries. It lies in a dead-letter queue.',
    cause: 'failed attempts',
  },
  'webhook.disabled': {
    says: 'A webhook answered 410 and gets nothing more until it is enabled again.',
    cause: 'the answer 410',
  },
};

/** Source fields that never cause an event. */
export const NEVER_WATCHED = {
  timesheets: [
    '`__type`',
    '`hourlyRate`',
    '`contractedHoursId`',
    'names of department, role and shift',
    '`overrideEmployee` and `overrideOrganisation` of clock records',
    'unknown fields',
  ],
  'pay periods': ['`hours`', '`numberEmployees`', '`numberTimesheets`', 'unknown fields'],
} as const;
