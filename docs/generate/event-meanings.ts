import type { OperationType, RecordEventType, ShortEventType } from '#shared/core/event-types.ts';

/** One sentence on each type. */
export const EVENT_MEANINGS: Readonly<Record<ShortEventType, string>> = {
  'timesheet.created': 'A timesheet is there that was not there before.',
  'timesheet.changed':
    'Watched values other than the markers changed: date, times, hours, people, places, flags or details.',
  'timesheet.approved': 'The hours were approved.',
  'timesheet.approval_revoked': 'The approval was taken back.',
  'timesheet.payroll_approved': 'Payroll approved the timesheet.',
  'timesheet.payroll_approval_revoked': 'The payroll approval was taken back.',
  'timesheet.processed': 'The timesheet was processed for payroll.',
  'timesheet.processing_reverted': 'The processing was taken back.',
  'timesheet.removed': 'The timesheet is gone: missing from a complete list, and 404 when asked for by id.',
  'timesheet.clocked_in': 'The employee clocked in.',
  'timesheet.clock_in_corrected': 'The clock-in was altered.',
  'timesheet.clock_in_removed': 'The clock-in was taken back.',
  'timesheet.clocked_out': 'The employee clocked out.',
  'timesheet.clock_out_corrected': 'The clock-out was altered.',
  'timesheet.clock_out_removed': 'The clock-out was taken back.',
  'pay_period.created': 'A pay period is there that was not there before.',
  'pay_period.changed': 'Its calendar, dates, payroll company or provider changed.',
  'pay_period.closed': 'The pay period was closed.',
  'pay_period.reopened': 'The closing was taken back.',
  'pay_period.removed': 'The pay period is gone: missing from the list, and 404 when asked for by id.',
  'baseline.completed': 'The first look at a feed is stored. From here on, changes are told.',
  'source.unreachable': 'Several polls in a row could not read the source.',
  'source.recovered': 'The source answers again.',
  'record.quarantined':
    'A record does not fit its schema and is left as it was known. Once per record and day.',
  'slice.shrunk':
    'More of a slice vanished at once than is believed. Nothing is told as removed until it is proven.',
  'poll.stalled': 'The source answers, but no poll has seen all it planned to see for a long time.',
  'delivery.failed':
    'An event could not be delivered to a webhook, in spite of all retries. It lies in a dead-letter queue.',
  'webhook.disabled': 'A webhook answered 410 and gets nothing more until it is enabled again.',
};

/** What causes the types that no field of a record causes. */
export const OTHER_CAUSES: Readonly<
  Partial<Record<RecordEventType, string>> & Record<OperationType, string>
> = {
  'timesheet.created': 'a new `id`',
  'timesheet.removed': 'absence',
  'pay_period.created': 'a new `id`',
  'pay_period.removed': 'absence',
  'baseline.completed': 'first complete look',
  'source.unreachable': 'failed polls',
  'source.recovered': 'first answer',
  'record.quarantined': 'a bad record',
  'slice.shrunk': 'many absences at once',
  'poll.stalled': 'incomplete polls',
  'delivery.failed': 'failed attempts',
  'webhook.disabled': 'the answer 410',
};
