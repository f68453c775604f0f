/**
 * Texts about a change of a pay period. `sentence`: without its full stop; `facts`: the same below a heading that
 * names the period.
 */
export const PAY_PERIODS = {
  /** `Weekly 9-15 Nov`. */
  period: '{calendar} {dates}',
  says: {
    'pay_period.created': {
      sentence: 'Pay period {period} was added',
      facts: 'added',
      heading: 'Pay period {period} was added',
    },
    'pay_period.changed': {
      sentence: 'Pay period {period}: {changes}{late}',
      facts: '{changes}{late}',
    },
    'pay_period.closed': {
      sentence: 'Pay period {period} closed{again}{before}{on}{totals}',
      facts: 'closed{again}{before}{on}{totals}',
    },
    'pay_period.reopened': {
      sentence: 'Pay period {period} was reopened {when}{former}',
      facts: 'reopened {when}{former}',
      heading: 'Hold the pay file of {period}: it was reopened',
    },
    'pay_period.removed': {
      sentence: 'Pay period {period} was removed {when}{late}',
      facts: 'removed {when}{late}',
      heading: 'Pay period {period} was removed',
    },
  },
  late: ', after it closed',
  again: ' again',
  before: ' (before that {closed})',
  on: ' {closed}',
  former: '; it was closed {closed}',
  /** A heading of a closing, and one with numbers. */
  closed: 'Pay period {period} closed{again}',
  closedWith: 'Pay period {period} closed{again}: {numbers}',
} as const;

/** The numbers that a pay period closed with, or was settled with. */
export const CLOSINGS = {
  notAvailable: '; its totals are not available',
  notRead: '; its totals are not available, since its dates have not been read completely',
  empty: '; no timesheets on its dates',
  numbers: ': {sums}; {left}',
  difference: '{change} against the closing before',
  allDone: 'all approved and processed',
  allApproved: 'all approved',
  allProcessed: 'all processed',
  notApproved: { other: '{n} not approved' },
  notProcessed: { other: '{n} not processed' },
  /** Of whom, of which day, with how many hours. */
  hoursOf: '{who} {day} {hours}',
  addsUp: '; adds up with {service}',
  serviceHas: '; {service} has {differences}',
  more: '{amount} more',
  less: '{amount} less',
  fewer: '{amount} fewer',
  asOf: 'as of {moment}',
  sharedDates: 'counts all timesheets of these dates, other calendars included',
  doubts: {
    unread: 'without dates that have not been read completely',
    unreadOf: 'without dates of {dates} that have not been read completely',
    held: '{dates} as before much of it was lost at once, which is being checked',
    asLastSeen: {
      one: '{n} timesheet as last read, since now it cannot be read',
      other: '{n} timesheets as last read, since now it cannot be read',
    },
    lookedAtBefore: '{dates} as read before it closed',
    unknownMembers: {
      one: 'without {n} timesheet, since {service} did not say whether it is its own',
      other: 'without {n} timesheets, since {service} did not say whether they are its own',
    },
  },
  /** What to do with the pay file, as a heading. */
  actions: {
    check: 'Check {n} of {timesheets} before you pay {period} ({hours})',
    finish: 'Process {n} of {timesheets} of {period} ({hours})',
    checkTotals: 'Check {hours} before you pay {period}: the totals differ',
    pay: { one: 'Pay {hours} for {period} ({n} person)', other: 'Pay {hours} for {period} ({n} people)' },
    correct: 'Correct {period} to {hours}',
  },
} as const;

/** What a pay period came to. */
export const STATEMENTS = {
  /** At a closing, at a further one, and when it is settled. */
  stages: {
    closed: {
      sentence: 'Pay period {period} closed{corrected}: {numbers}',
      facts: 'closed{corrected}: {numbers}',
      heading: 'Pay period {period} closed{corrected} at {hours}{since}{left}',
    },
    closed_again: {
      sentence: 'Pay period {period} closed again{difference}{corrected}: {numbers}',
      facts: 'closed again{difference}{corrected}: {numbers}',
      heading: 'Pay period {period} closed again{corrected} at {hours}{since}{left}',
    },
    final: {
      sentence: 'Pay period {period} is settled{why}{corrected}: {sinceClose}; {numbers}',
      facts: 'settled{why}{corrected}: {sinceClose}; {numbers}',
      heading: 'Pay period {period} is settled{corrected} at {hours}{since}{left}',
    },
  },
  inCorrectedNumbers: ', in corrected numbers',
  corrected: ', corrected,',
  byNextClosing: ', since the next one closed',
  byAge: ', 35 days after it closed',
  since: ', {change} since it closed',
  closedAt: 'closed at {hours}',
  unchanged: 'unchanged since',
  inTimesheets: ' in {timesheets}',
  reasons: {
    late: '{change}{count} after it',
    reopened: '{change}{count} after reopening',
    recounted: '{change}{count} that only one count could see',
  },
  otherReason: '{change}{count} for the reason {reason}',
} as const;

/** The files of a pay period, and what stands in them. */
export const SHEETS = {
  pay: 'pay',
  leftOver: 'left-over',
  columns: [
    ...(['timesheetId', 'date', 'employeeId', 'employee', 'departmentId', 'department'] as const),
    ...(['hoursToPay', 'approved', 'payrollApproved', 'processed', 'leftOver', 'difference'] as const),
  ],
  notApproved: 'not approved',
  notProcessed: 'not processed',
  reasons: {
    added: 'added',
    changed: 'changed',
    removed: 'removed, or of another period now',
    approved: 'approved',
    approval_revoked: 'approval revoked',
    processing_reverted: 'processing undone',
  },
  changed: 'changed {before} to {after}',
  notAllRead: 'not all of its dates are read, or some are in doubt',
  withoutUnknown: {
    one: 'without {n} timesheet of people whose calendar is not known',
    other: 'without {n} timesheets of people whose calendar is not known',
  },
  changesUnknown: 'what was added or removed since it closed is not known',
} as const;

/** How far an open pay period is, before it closes. */
export const READINESS = {
  sentence: 'Pay period {period} {deadline}: {numbers}',
  deadline: {
    open: 'is open',
    closes: 'closes {at}',
    closesIn: 'closes {at} (in {left})',
    overdue: 'was to close {at} and is still open',
  },
  /** Below a heading. */
  facts: { open: 'open: {numbers}', overdue: 'was to close {at} and is still open: {numbers}' },
  unread: 'Pay period {period} {deadline}: not all dates are read',
  approveOf: 'Approve {n} of {timesheets}{soFar}{by}: {period}{was}',
  soFar: ' so far',
  by: ' by {moment}',
  byIn: ' by {moment} (in {left})',
  wasToClose: ' was to close {at}',
  /** What stands out of the numbers. */
  count: '{n} of {all}',
  allApproved: {
    one: 'all {n} timesheet that could be counted{upTo} are approved',
    other: 'all {n} timesheets that could be counted{upTo} are approved',
  },
  notApproved: {
    one: '{n} of {timesheets}{upTo} is not approved, {hours}',
    other: '{n} of {timesheets}{upTo} are not approved, {hours}',
  },
  upTo: ' up to {day}',
  hoursOf: '{hours} of {employees}',
  waitForPayroll: {
    one: '; {n} approved one waits for payroll',
    other: '; {n} approved ones wait for payroll',
  },
  /** In a daily summary. */
  toApprove: '{count} to approve',
  stillOpen: 'Closed {calendar} periods: {timesheets}, {change} still open{notAll}',
  stillOpenNotAll: ', as far as known',
  departments: {
    none: 'No department',
    unnamed: 'Department {id}',
    notApproved: '{department}{manager}: {count} not approved, {hours}',
    others: { one: '{n} other department: {unapproved}', other: '{n} other departments: {unapproved}' },
  },
  employees: { none: 'No employee', unnamed: 'Employee {id}' },
  manager: 'manager {id}',
  noDate: 'no date',
  noClockOut: 'no clock-out',
} as const;
