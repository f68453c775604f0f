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
  'slice.unreadable':
    'One date, or one list, cannot be read; everything else goes on. Told once, tried again ever more rarely.',
  'slice.readable': 'A date or list that could not be read can be again.',
  'feed.lagging': 'The source is too slow for what is due: dates are read late, and by how much.',
  'feed.caught_up': 'Every date is read in time again.',
  'slice.mass_change':
    'Most records of a slice lost the same fact at once, and a second look says so too. Each is told as well.',
  'source.form_changed':
    'More records than a few cannot be read, and in which fields. Nothing of such a scan is told.',
  'source.form_restored': 'The records can be read again.',
  'publish.failed':
    'Events that were found can never be published: gone from the event log, or refused by SNS for good.',
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
  'slice.unreadable': 'failed requests for one slice',
  'slice.readable': 'first answer for the slice',
  'feed.lagging': 'more due than the source allows',
  'feed.caught_up': 'nothing late any more',
  'slice.mass_change': 'many losses at once',
  'source.form_changed': 'many bad records at once',
  'source.form_restored': 'first scan without them',
  'publish.failed': 'batches that cannot be published',
  'delivery.failed': 'failed attempts',
  'webhook.disabled': 'the answer 410',
};
