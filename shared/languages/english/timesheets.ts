/** Most clockings: what happened, after whose timesheet it is. */
const CLOCKING = {
  sentence: '{timesheet}: {said}',
  facts: '{said}',
} as const;

/**
 * Texts about a timesheet. `sentence`: without its full stop; `facts`: the same below a heading that names the
 * timesheet; `step`: the same within its story; `why`: after what is to be done.
 */
export const TIMESHEETS = {
  /** What a sentence begins with. */
  named: 'Timesheet of {employee}',
  unnamed: 'Timesheet {id} of employee {employee}',
  withPlaces: '{timesheet} ({places})',
  onDay: '{timesheet} on {day}',
  /** Within a heading. */
  unnamedWithin: 'timesheet {id} of employee {employee}',
  employee: 'employee {id}',
  department: 'department {id}',
  organisation: 'organisation {id}',
  hoursToPay: '{hours} to pay',
  withHours: ' with {hours}',
  asWhenReverted: ', as when it was reverted',
  sinceReverted: ', {change} since it was reverted ({before})',
  again: ' again',
  againAfter: ' again (before: {before})',
  former: ' of {stamp}',
  reference: ' (reference {reference})',
  says: {
    'timesheet.created': {
      sentence: '{timesheet} was added{shift}',
      facts: 'added{shift}',
      step: 'added',
      why: 'added after closing',
    },
    'timesheet.changed': {
      sentence: '{timesheet}: {changes}',
      facts: '{changes}',
    },
    'timesheet.approved': {
      sentence: '{timesheet} was approved{again} {when}{hours}',
      facts: 'approved{again} {when}{hours}',
      step: 'approved',
      why: 'approved after closing',
    },
    'timesheet.approval_revoked': {
      sentence: '{timesheet} is no longer approved: the approval{former} was revoked {when}',
      facts: 'no longer approved: the approval{former} was revoked {when}',
      step: 'no longer approved',
    },
    'timesheet.payroll_approved': {
      sentence: '{timesheet} was approved for payroll{again} {when}{reference}',
      facts: 'approved for payroll{again} {when}{reference}',
      step: 'approved for payroll',
      why: 'approved for payroll after closing',
    },
    'timesheet.payroll_approval_revoked': {
      sentence: '{timesheet} is no longer approved for payroll: the approval{reference} was revoked {when}',
      facts: 'no longer approved for payroll: the approval{reference} was revoked {when}',
      step: 'no longer approved for payroll',
    },
    'timesheet.processed': {
      sentence: '{timesheet} was processed{again} {when}{hours}{before}',
      facts: 'processed{again} {when}{hours}{before}',
      step: 'processed',
      why: 'processed again',
    },
    'timesheet.processing_reverted': {
      sentence: '{timesheet} is no longer processed{hours}: the processing{former} was reverted {when}',
      facts: 'no longer processed{hours}: the processing{former} was reverted {when}',
      step: 'no longer processed',
      why: 'its processing was undone',
    },
    'timesheet.removed': {
      sentence: '{timesheet} was removed {when}{shift}',
      facts: 'removed {when}{shift}',
      step: 'removed',
    },
    'timesheet.clocked_in': CLOCKING,
    'timesheet.clock_in_corrected': CLOCKING,
    'timesheet.clock_in_removed': CLOCKING,
    'timesheet.clocked_out': CLOCKING,
    'timesheet.clock_out_corrected': CLOCKING,
    'timesheet.clock_out_removed': CLOCKING,
    'timesheet.clock_in_missing': CLOCKING,
    'timesheet.clock_out_missing': CLOCKING,
  },
  /** What somebody has to do, as a heading. */
  actions: {
    approve: 'Approve {hours} of {who}',
    pay: 'Pay {hours} of {who}',
    payMore: 'Pay {hours} more to {who}',
    payNow: 'Process {hours} of {who}',
    check: 'Check {hours} of {who}',
    holdBack: 'Hold back {hours} of {who}',
    doNotPay: 'Do not pay {hours} of {who}',
    recover: 'Recover {hours} from {who}',
  },
  because: '{action}: {why}',
  /** `Pay 1 h more to Ana Lee (4 to 5 h)`. */
  changedFrom: '{action} ({before} to {after})',
  changedBy: '{action} ({change})',
  clockings: {
    clockIn: {
      at: 'clocked in {at}',
      untimed: 'clocked in {when}, no time recorded',
      details: 'details of the clock-in changed',
      detailsAt: 'details of the clock-in {at} changed',
      corrected: 'clock-in {before} -> {after}',
      removedAt: 'the clock-in {at} was removed {when}',
      removed: 'the clock-in was removed {when}',
      removedStepAt: 'clock-in {at} removed',
      removedStep: 'clock-in removed',
    },
    clockOut: {
      at: 'clocked out {at}',
      untimed: 'clocked out {when}, no time recorded',
      details: 'details of the clock-out changed',
      detailsAt: 'details of the clock-out {at} changed',
      corrected: 'clock-out {before} -> {after}',
      removedAt: 'the clock-out {at} was removed {when}',
      removed: 'the clock-out was removed {when}',
      removedStepAt: 'clock-out {at} removed',
      removedStep: 'clock-out removed',
    },
    noTime: 'without time',
  },
  forgotten:
    'Timesheet {id}{ofConnection} is forgotten here, because its employee is; whoever keeps a copy has to erase it as well',
} as const;

/** Fields of records, and what became of them. */
export const FIELDS = {
  changed: 'changed',
  fieldChanged: '{label} changed',
  fieldFromTo: '{label} {before} -> {after}',
  unknown: 'a field',
  none: 'none',
  yes: 'yes',
  no: 'no',
  timesheet: {
    date: 'date',
    employeeId: 'employee',
    departmentId: 'department',
    roleId: 'role',
    shiftId: 'shift',
    organisationWorkedId: 'organisation',
    organisationPayRollId: 'payroll organisation',
    startTime: 'start',
    finishTime: 'finish',
    hoursToPay: 'hours',
    casualJob: 'casual job',
    includesLeave: 'includes leave',
    overnight: 'overnight',
  },
  /** What changed about the segments of work. */
  details: {
    all: 'breaks and activities',
    breaks: 'breaks',
    activities: 'activities',
    activity: 'activity',
    times: 'times',
    places: 'places',
    hours: 'hours by activity',
  },
  payPeriod: {
    calendar: 'calendar',
    startDate: 'first day',
    finishDate: 'last day',
    payRollCompanyId: 'payroll company',
    payRollProvider: 'payroll provider',
  },
} as const;

/** All that happened to one timesheet, in one line. */
export const EFFECTS = {
  changedBack: 'changed and changed back',
  sameHours: 'hours as before ({hours})',
  hours: '{before} to {hours} ({difference})',
  value: '{label} {before} to {after}',
  addedAndRemoved: 'added and removed again',
  undone: '{first}, then {last}',
  again: '{step} again',
  added: '{step} with {hours}',
  removed: '{step} ({hours} no longer to pay)',
  late: {
    close: 'after its pay period closed',
    perhapsClose: 'perhaps after its pay period closed',
    processing: 'after it was processed',
    approval: 'after approval',
  },
} as const;

/** What a change came after. */
export const LATENESS = {
  afterApproval: ', after approval',
  after: ', after {reasons}',
  perhapsAfter: ', perhaps after {reasons}',
  recordedAfter: ', recorded after {reasons}',
  recordedPerhapsAfter: ', recorded perhaps after {reasons}',
  approved: 'it was approved',
  processed: 'it was processed',
  approvedAndProcessed: 'it was approved and processed',
  closed: 'its pay period closed',
} as const;

/** Clockings that are waited for. */
export const ABSENCES = {
  clockIn: {
    missing: 'no clock-in',
    absent: '{person} has not clocked in',
    absentSince: '{person} has not clocked in; the shift began {at}',
  },
  clockOut: {
    missing: 'no clock-out',
    absent: '{person} has not clocked out',
    absentSince: '{person} has not clocked out; the shift ended {at}',
  },
  planned: 'planned {moment}',
  plannedAgo: 'planned {moment} ({wait} ago)',
  minutes: { one: '{n} minute', other: '{n} minutes' },
} as const;

/** How a record stands, without a change. */
export const SNAPSHOTS = {
  timesheet: '{timesheet} as it stands{parts}',
  timesheetRemoved: 'Timesheet {id} is removed',
  approved: 'approved',
  notApproved: 'not approved',
  processed: 'processed',
  notProcessed: 'not processed',
  payPeriod: 'Pay period {period} as it stands: {state}',
  payPeriodRemoved: 'Pay period {id} is removed',
  open: 'open',
  closed: 'closed {when}',
} as const;
