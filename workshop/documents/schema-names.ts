import { dataSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, type ShortEventType } from '#shared/core/event-types.ts';

/** Data that several types share; that of any other type is named after it. */
const SHARED_DATA: Partial<Record<ShortEventType, string>> = {
  'timesheet.created': 'TimesheetData',
  'pay_period.created': 'PayPeriodData',
  'employee.joined': 'EmployeeData',
  'department.added': 'DepartmentData',
};

/** Objects within others, by the name of the owner and of the member, or of the member alone. */
const PARTS: Readonly<Record<string, string>> = {
  'TimesheetData.current': 'TimesheetState',
  'TimesheetData.previous': 'PreviousTimesheetState',
  'TimesheetSnapshotData.current': 'WholeTimesheetState',
  'TimesheetSnapshotData.previous': 'PreviousTimesheetState',
  'PayPeriodData.current': 'PayPeriodState',
  'PayPeriodData.previous': 'PreviousPayPeriodState',
  'PayPeriodClosedData.current': 'PayPeriodState',
  'PayPeriodClosedData.previous': 'PreviousPayPeriodState',
  'PayPeriodReadinessData.current': 'PayPeriodState',
  'PayPeriodReadinessData.previous': 'PreviousPayPeriodState',
  'EmployeeData.current': 'EmployeeState',
  'EmployeeData.previous': 'PreviousEmployeeState',
  'DepartmentData.current': 'DepartmentState',
  'DepartmentData.previous': 'PreviousDepartmentState',
  reminder: 'Reminder',
  readiness: 'Readiness',
  'Readiness.missing': 'UnreadDates',
  'Readiness.held': 'HeldDates',
  'Readiness.byDepartment': 'WaitingDepartment',
  waiting: 'WaitingTimesheet',
  'PayPeriodStatementData.current': 'PayPeriodState',
  'PayPeriodStatementData.previous': 'PreviousPayPeriodState',
  stillOpen: 'StillOpen',
  statement: 'Statement',
  'Statement.missing': 'DateRange',
  'Statement.source': 'PeriodTotals',
  'Statement.difference': 'PeriodTotals',
  'Statement.change': 'TotalsChange',
  'Statement.previous': 'PreviousStatement',
  sinceClose: 'SinceClose',
  'SinceClose.changes': 'HoursChange',
  'SinceClose.timesheets': 'ChangedTimesheet',
  clockIn: 'ClockRecord',
  clockOut: 'ClockRecord',
  details: 'TimesheetDetail',
  observed: 'Observed',
  closedPeriods: 'ClosedPeriod',
  payPeriods: 'TimesheetPeriod',
  settles: 'SettledEvent',
  closeManifest: 'CloseManifest',
  'CloseManifest.missing': 'DateRange',
  held: 'DateSpan',
  lookedAtBefore: 'DateSpan',
  leftovers: 'Leftover',
  'CloseManifest.source': 'PeriodTotals',
  'CloseManifest.difference': 'PeriodTotals',
  'CloseManifest.change': 'PeriodTotals',
  byDepartment: 'DepartmentCount',
  'FeedLaggingData.worst': 'LateDates',
  'SourceFormChangedData.fields': 'MalformedField',
  'FeedCompleteData.since': 'WatermarkBefore',
  'FeedCompleteData.hotDates': 'DatesThrough',
  'FeedCompleteData.except': 'WatermarkException',
  'FeedCompleteData.events': 'CountedEvents',
};

/** Name of the union of all events. */
export const ANY_EVENT = 'WorkforceEvent';

/** `TimesheetApprovedEvent` for `timesheet.approved`. */
export function nameEvent(type: ShortEventType): string {
  return `${toPascalCase(type)}Event`;
}

/** Name of the data of a type, the same for all types that share it. */
export function nameData(type: ShortEventType): string {
  const first = SHORT_EVENT_TYPES.find((other) => dataSchema(other) === dataSchema(type)) ?? type;
  return SHARED_DATA[first] ?? `${toPascalCase(first)}Data`;
}

/** Name of an object that is a member of another, or an entry of a list that is. Generators name types after it. */
export function namePart(owner: string, member: string): string {
  const name = PARTS[`${owner}.${member}`] ?? PARTS[member];
  if (name === undefined) {
    throw new Error(
      `${owner}.${member} is an object without a name; add one in workshop/documents/schema-names.ts`,
    );
  }
  return name;
}

function toPascalCase(type: string): string {
  return type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
