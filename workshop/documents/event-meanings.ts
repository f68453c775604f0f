import type {
  OperationType,
  RecordEventType,
  ShortEventType,
  SnapshotType,
} from '#shared/core/event-types.ts';

/** One sentence on each type. */
export const EVENT_MEANINGS: Readonly<Record<ShortEventType, string>> = {
  'timesheet.created': 'A new timesheet appeared.',
  'timesheet.changed':
    'Something else that is watched changed: date, times, hours, people, places, flags or details.',
  'timesheet.approved': 'The hours were approved.',
  'timesheet.approval_revoked': 'The approval was revoked.',
  'timesheet.payroll_approved': 'Payroll approved the timesheet.',
  'timesheet.payroll_approval_revoked': 'The payroll approval was revoked.',
  'timesheet.processed': 'The timesheet was processed for payroll.',
  'timesheet.processing_reverted': 'The processing was reverted.',
  'timesheet.removed': 'The timesheet is gone: missing from a complete list, and 404 when requested by id.',
  'record.forgotten':
    'The employee of a timesheet was erased with `notifier forget`: erase what you keep of the timesheet. A replay sends it in place of each event of the timesheet, with the id and the position of that.',
  'timesheet.clocked_in': 'The employee clocked in.',
  'timesheet.clock_in_corrected': 'The clock-in was corrected.',
  'timesheet.clock_in_removed': 'The clock-in was removed.',
  'timesheet.clocked_out': 'The employee clocked out.',
  'timesheet.clock_out_corrected': 'The clock-out was corrected.',
  'timesheet.clock_out_removed': 'The clock-out was removed.',
  'timesheet.clock_in_missing':
    'No clock-in by the minutes after the planned start that `absences.clockInMinutes` of the connection says. Only with that setting.',
  'timesheet.clock_in_missing_cleared':
    'The clock-in that was missing came, or is not waited for any more: leave, another plan, an approval or processing.',
  'timesheet.clock_out_missing':
    'Clocked in, and no clock-out by the hours after the planned finish that `absences.clockOutHours` says. Only with that setting.',
  'timesheet.clock_out_missing_cleared':
    'The clock-out that was missing came, or is not waited for any more: another plan, an approval, processing, or a clock-in that was removed.',
  'timesheet.snapshot':
    'What is stored of a timesheet, not a change. Sent to a receiver that asks for it; published after the table was restored, when a timesheet begins a new epoch without a change.',
  'pay_period.created': 'A new pay period appeared.',
  'pay_period.changed': 'Its calendar, dates, payroll company or provider changed.',
  'pay_period.closed': 'The pay period was closed.',
  'pay_period.reopened': 'The pay period was reopened.',
  'pay_period.removed': 'The pay period is gone: missing from the list, and 404 when requested by id.',
  'pay_period.readiness':
    'A moment before the deadline of an open pay period has come, or that of a daily summary: what is not approved yet. None when all is.',
  'pay_period.statement':
    'What the pay period comes to: when it closed, when it closed again, and when it is settled, with what changed since the first closing.',
  'pay_period.snapshot':
    'What is stored of a pay period, not a change. Sent to a receiver that asks for it; published after the table was restored, when a pay period begins a new epoch without a change.',
  'baseline.completed': 'The first complete read of a feed is stored. From now on, changes are published.',
  'source.unreachable': 'Several polls in a row could not read the source.',
  'source.recovered': 'The source answers again.',
  'record.quarantined':
    'A record does not fit its schema, or one answer lists it twice with different values: it keeps its last known state. At most once per record and day.',
  'record.readable':
    'A record that was quarantined is read again. At most once a day for a record that comes and goes.',
  'slice.shrunk': 'Too much of a slice vanished at once. Removals are held until they are proven.',
  'slice.whole':
    'Nothing of a slice that shrank is missing any more: its records are back, or published as removed.',
  'poll.stalled':
    'The source answers, but for a long time no poll has seen everything that it planned to see.',
  'poll.resumed': 'Polls see what they planned to see again, after `poll.stalled`.',
  'slice.unreadable':
    'One date, or one list, cannot be read; everything else continues. Reported once, retried less and less often.',
  'slice.readable': 'A date or list that could not be read can be read again.',
  'feed.lagging': 'The source allows less than is due: which dates are read late, and by how much.',
  'feed.caught_up': 'Every date is read on time again.',
  'slice.mass_change':
    'Most records of a slice lost the same fact at once, and a second read confirmed it. Each has its own event as well.',
  'source.form_changed':
    'More than a few records cannot be read, and in which fields. Nothing of such a scan is published.',
  'source.form_restored': 'The records can be read again.',
  'publish.failed': 'Events can never be published: expired in the event log, or refused by SNS for good.',
  'delivery.failed':
    'An event could not be delivered to a webhook, despite all retries. It is in a dead-letter queue.',
  'delivery.recovered': 'An event that was given up was delivered after all: redriven, or sent again.',
  'webhook.disabled': 'A webhook answered 410 and gets nothing more until it is enabled again.',
  'webhook.enabled':
    'A webhook that was disabled gets events again: a person enabled it, or it has another address in the config. Published with the next event for it.',
};

/** What causes the types that no field of a record causes. */
export const OTHER_CAUSES: Readonly<
  Partial<Record<RecordEventType, string>> & Record<OperationType | SnapshotType, string>
> = {
  'timesheet.created': 'a new `id`',
  'timesheet.removed': 'absence',
  'record.forgotten': '`notifier forget`',
  'timesheet.clock_in_missing': 'time, without `clockIn`',
  'timesheet.clock_in_missing_cleared': '`clockIn`, `startTime`, `includesLeave`, an approval or `processed`',
  'timesheet.clock_out_missing': 'time, without `clockOut`',
  'timesheet.clock_out_missing_cleared': '`clockOut`, `finishTime`, `clockIn`, an approval or `processed`',
  'timesheet.snapshot': '`notifier snapshot`, `startWith`, or a restored table',
  'pay_period.created': 'a new `id`',
  'pay_period.removed': 'absence',
  'pay_period.readiness': 'a moment of `calendars` or `dailySummary`',
  'pay_period.statement': '`closed`, or all its timesheets are processed',
  'pay_period.snapshot': '`notifier snapshot`, `startWith`, or a restored table',
  'baseline.completed': 'first complete read',
  'source.unreachable': 'failed polls',
  'source.recovered': 'first answer',
  'record.quarantined': 'a bad record',
  'record.readable': 'a record that was bad and is not',
  'slice.shrunk': 'many absences at once',
  'slice.whole': 'first complete scan without absences',
  'poll.stalled': 'incomplete polls',
  'poll.resumed': 'first poll that read something whole',
  'slice.unreadable': 'failed requests for one slice',
  'slice.readable': 'first answer for the slice',
  'feed.lagging': 'more due than the source allows',
  'feed.caught_up': 'nothing late any more',
  'slice.mass_change': 'many losses at once',
  'source.form_changed': 'many bad records at once',
  'source.form_restored': 'first scan without them',
  'publish.failed': 'batches that cannot be published',
  'delivery.failed': 'failed attempts',
  'delivery.recovered': 'an accepted attempt',
  'webhook.disabled': 'the answer 410',
  'webhook.enabled': 'the next event after a person enabled it',
};
