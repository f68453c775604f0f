/** What the title of a message counts, by type. */
const COUNTED = {
  'timesheet.created': { one: '{n} timesheet added', other: '{n} timesheets added' },
  'timesheet.changed': { one: '{n} timesheet changed', other: '{n} timesheets changed' },
  'timesheet.approved': { one: '{n} timesheet approved', other: '{n} timesheets approved' },
  'timesheet.approval_revoked': { one: '{n} approval revoked', other: '{n} approvals revoked' },
  'timesheet.payroll_approved': {
    one: '{n} timesheet approved for payroll',
    other: '{n} timesheets approved for payroll',
  },
  'timesheet.payroll_approval_revoked': {
    one: '{n} payroll approval revoked',
    other: '{n} payroll approvals revoked',
  },
  'timesheet.processed': { one: '{n} timesheet processed', other: '{n} timesheets processed' },
  'timesheet.processing_reverted': {
    one: '{n} timesheet no longer processed',
    other: '{n} timesheets no longer processed',
  },
  'timesheet.removed': { one: '{n} timesheet removed', other: '{n} timesheets removed' },
  'employee.forgotten': { one: '{n} timesheet forgotten', other: '{n} timesheets forgotten' },
  'timesheet.clocked_in': { one: '{n} clock-in', other: '{n} clock-ins' },
  'timesheet.clock_in_corrected': { one: '{n} clock-in corrected', other: '{n} clock-ins corrected' },
  'timesheet.clock_in_removed': { one: '{n} clock-in removed', other: '{n} clock-ins removed' },
  'timesheet.clocked_out': { one: '{n} clock-out', other: '{n} clock-outs' },
  'timesheet.clock_out_corrected': { one: '{n} clock-out corrected', other: '{n} clock-outs corrected' },
  'timesheet.clock_out_removed': { one: '{n} clock-out removed', other: '{n} clock-outs removed' },
  'timesheet.clock_in_missing': { one: '{n} clock-in missing', other: '{n} clock-ins missing' },
  'timesheet.clock_out_missing': { one: '{n} clock-out missing', other: '{n} clock-outs missing' },
  'pay_period.created': { one: '{n} pay period added', other: '{n} pay periods added' },
  'pay_period.changed': { one: '{n} pay period changed', other: '{n} pay periods changed' },
  'pay_period.closed': { one: '{n} pay period closed', other: '{n} pay periods closed' },
  'pay_period.reopened': { one: '{n} pay period reopened', other: '{n} pay periods reopened' },
  'pay_period.removed': { one: '{n} pay period removed', other: '{n} pay periods removed' },
  'pay_period.readiness': {
    one: '{n} pay period with timesheets to approve',
    other: '{n} pay periods with timesheets to approve',
  },
  'pay_period.statement': { one: '{n} pay period settled', other: '{n} pay periods settled' },
  'employee.joined': { one: '{n} employee joined', other: '{n} employees joined' },
  'employee.moved': { one: '{n} employee moved', other: '{n} employees moved' },
  'employee.left': { one: '{n} employee left', other: '{n} employees left' },
  'department.added': { one: '{n} department added', other: '{n} departments added' },
  'department.renamed': { one: '{n} department renamed', other: '{n} departments renamed' },
  'department.manager_changed': {
    one: '{n} department with another manager',
    other: '{n} departments with another manager',
  },
  'department.removed': { one: '{n} department removed', other: '{n} departments removed' },
  'baseline.completed': { one: '{n} list now watched', other: '{n} lists now watched' },
  'feed.complete': {
    one: '{n} list of records published completely',
    other: '{n} lists of records published completely',
  },
  'trouble.began': { one: '{n} trouble', other: '{n} troubles' },
  'trouble.ended': { one: '{n} trouble over', other: '{n} troubles over' },
} as const;

/** Several alerts in one message. */
export const DIGEST = {
  counted: COUNTED,
  inDepartments: { one: '{title} in {n} department', other: '{title} in {n} departments' },
  afterClosing: '{title} after closing',
  perhapsAfterClosing: '{title}, perhaps after closing',
  noDepartment: 'No department',
  otherDepartments: { one: '{n} other department', other: '{n} other departments' },
  people: '{line} ({people})',
} as const;
