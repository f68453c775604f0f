import type { ShortEventType } from '#shared/core/event-types.ts';

/** What the page of a type says for who receives it. */
interface SubscriberNote {
  /** When it comes: of a change, which fields of the source, each with its name in `current` where that is another. */
  readonly comes: string;
  readonly todo: string;
}

const NEW = 'when a list of the source has an `id` that is not known';
const GONE = 'when no complete list has its `id` any more, and asking for it answers 404';
const FOLD = 'keep its state with `fold`, or drop it';
const SENT = 'for a receiver that asked for it (`notifier send --state`), and after a restored table';
const COMPARE = 'take it into your state with `fold`; it is no change, so pay nothing because of it';
const DIRECTORY = 'keep your copy; names are in the source alone';

export const SUBSCRIBER_NOTES: Readonly<Record<ShortEventType, SubscriberNote>> = {
  'timesheet.created': { comes: NEW, todo: `${FOLD}; nothing is approved yet unless \`current\` says so` },
  'timesheet.changed': {
    comes:
      'when `casualJob`, `date`, `department.id` (`departmentId`), `details`, `details[].id`, `details[].startTime`, `details[].finishTime`, `details[].hours`, `details[].mealBreak`, `details[].restBreak`, `employeeId`, `finishTime`, `hoursToPay`, `includesLeave`, `organisationPayRollId`, `organisationWorkedId`, `overnight`, `role.id` (`roleId`), `shift.id` (`shiftId`), `startTime` is replaced; `department` (`departmentId`), `role` (`roleId`), `shift` (`shiftId`) is set or cleared; `details[].activity`, `details[].alternateDepartment`, `details[].alternateOrganisation` is set, replaced or cleared',
    todo: 'pay the difference, where it is approved: hours, date or department may be others',
  },
  'timesheet.approved': {
    comes: 'when `approvedHours` is set or replaced',
    todo: 'pay `current.hoursToPay`, less what you paid for it',
  },
  'timesheet.approval_revoked': {
    comes: 'when `approvedHours` is cleared',
    todo: 'take back what you paid, or do not pay it',
  },
  'timesheet.payroll_approved': {
    comes: 'when `approvedPayroll` is set or replaced',
    todo: 'as `timesheet.approved`, where you wait for payroll',
  },
  'timesheet.payroll_approval_revoked': {
    comes: 'when `approvedPayroll` is cleared',
    todo: 'as `timesheet.approval_revoked`, where you wait for payroll',
  },
  'timesheet.processed': {
    comes: 'when `processed` is set or replaced',
    todo: 'mark it as paid by the source; `settles` names what was late of it',
  },
  'timesheet.processing_reverted': {
    comes: 'when `processed` is cleared',
    todo: 'mark it as not paid by the source; it will be processed again',
  },
  'timesheet.removed': { comes: GONE, todo: 'take back what you paid; `previous` has all of it' },
  'timesheet.clocked_in': {
    comes: 'when `clockIn` is set',
    todo: 'show who is there; hours follow with the approval',
  },
  'timesheet.clock_in_corrected': {
    comes:
      'when `clockIn.id`, `clockIn.beacon`, `clockIn.kiosk`, `clockIn.variance` is replaced; `clockIn.localTime` is set, replaced or cleared',
    todo: FOLD,
  },
  'timesheet.clock_in_removed': { comes: 'when `clockIn` is cleared', todo: FOLD },
  'timesheet.clocked_out': {
    comes: 'when `clockOut` is set',
    todo: 'show who left; hours follow with the approval',
  },
  'timesheet.clock_out_corrected': {
    comes:
      'when `clockOut.id`, `clockOut.beacon`, `clockOut.kiosk`, `clockOut.variance` is replaced; `clockOut.localTime` is set, replaced or cleared',
    todo: FOLD,
  },
  'timesheet.clock_out_removed': { comes: 'when `clockOut` is cleared', todo: FOLD },
  'timesheet.clock_in_missing': {
    comes: 'once, `absences.clockInMinutes` after the planned start',
    todo: 'ask the manager; the clocking that comes later is its own event',
  },
  'timesheet.clock_out_missing': {
    comes: 'once, `absences.clockOutHours` after the planned finish',
    todo: 'ask the manager; the clocking that comes later is its own event',
  },
  'timesheet.snapshot': { comes: SENT, todo: COMPARE },
  'pay_period.created': { comes: NEW, todo: FOLD },
  'pay_period.changed': {
    comes:
      'when `calendar`, `payRollCompanyId`, `payRollProvider` is set, replaced or cleared; `startDate`, `finishDate` is replaced',
    todo: `${FOLD}; other dates mean other timesheets in it`,
  },
  'pay_period.due': {
    comes:
      'before the deadline of its calendar, and at `dailySummary`, where something is left; it waits up to 10 minutes for a doubtful date',
    todo: 'have approved what `account.leftOver` names',
  },
  'pay_period.closed': {
    comes:
      'once each of its dates was read after `closed` was set or replaced, usually a minute later; after 5 minutes at the latest, with reserves, since people wait for it',
    todo: 'pay the ready hours if `account.verdict` is `pay`; otherwise see `reserves` and `leftOver`',
  },
  'pay_period.recounted': {
    comes: 'once no reserve of a `closed` is left: checked every 5 minutes for an hour, then every 30',
    todo: 'pay by this account instead, or the difference in `changes`',
  },
  'pay_period.reopened': {
    comes: 'when `closed` is cleared',
    todo: 'pay nothing of it before it closes again',
  },
  'pay_period.settled': {
    comes:
      'once all is processed and nothing is in doubt; at the latest when the next period of its calendar is told closed, or after 35 days, longer than from one payday to the next',
    todo: 'compare what you paid with `account`; `changes.open` is what no processing covered',
  },
  'pay_period.removed': { comes: GONE, todo: 'drop it; its timesheets have events of their own' },
  'pay_period.snapshot': { comes: SENT, todo: COMPARE },
  'employee.joined': { comes: NEW, todo: DIRECTORY },
  'employee.moved': {
    comes:
      'when `contractedHours` (`departmentIds`), `contractedHours[].department.id` (`departmentIds`) is replaced',
    todo: DIRECTORY,
  },
  'employee.left': { comes: GONE, todo: `${DIRECTORY}; it does not say that a contract ended` },
  'employee.snapshot': { comes: SENT, todo: DIRECTORY },
  'department.added': { comes: NEW, todo: DIRECTORY },
  'department.renamed': {
    comes: 'when `name` is set, replaced or cleared',
    todo: 'read the name in the source',
  },
  'department.manager_changed': {
    comes: 'when `manager` (`managerId`) is set, replaced or cleared',
    todo: DIRECTORY,
  },
  'department.removed': { comes: GONE, todo: DIRECTORY },
  'department.snapshot': { comes: SENT, todo: DIRECTORY },
  'baseline.completed': {
    comes: 'once for each feed of a connection, after its first complete read',
    todo: 'begin: from here on every change is an event',
  },
  'feed.complete': {
    comes: 'where the connection has `watermark: true`, about every five minutes',
    todo: 'check it with `checkWatermark`; alarm when none came for 15 minutes',
  },
  'trouble.began': { comes: 'when it begins', todo: 'as `action` says; figures may lag until it ends' },
  'trouble.ended': { comes: 'when it ends', todo: 'close what `trouble.began` opened' },
  'employee.forgotten': {
    comes: 'for each timesheet of an employee, after `notifier forget`',
    todo: 'erase what you keep of the timesheet, its history too; pay nothing back',
  },
};
