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
  'PayPeriodDueData.current': 'PayPeriodState',
  'PayPeriodDueData.previous': 'PreviousPayPeriodState',
  'PayPeriodRecountedData.current': 'PayPeriodState',
  'PayPeriodRecountedData.previous': 'PreviousPayPeriodState',
  'PayPeriodReopenedData.current': 'PayPeriodState',
  'PayPeriodReopenedData.previous': 'PreviousPayPeriodState',
  'PayPeriodSettledData.current': 'PayPeriodState',
  'PayPeriodSettledData.previous': 'PreviousPayPeriodState',
  'EmployeeData.current': 'EmployeeState',
  'EmployeeData.previous': 'PreviousEmployeeState',
  'DepartmentData.current': 'DepartmentState',
  'DepartmentData.previous': 'PreviousDepartmentState',
  'PayPeriodClosedData.account': 'MaybeAccount',
  'PayPeriodReopenedData.account': 'MaybeAccount',
  account: 'Account',
  ready: 'ReadyFigures',
  notReady: 'NotReadyFigures',
  byDepartment: 'DepartmentAccount',
  leftOver: 'LeftOver',
  changes: 'AccountChanges',
  open: 'OpenChanges',
  listed: 'ChangedTimesheet',
  source: 'SourceTotals',
  difference: 'TotalsDifference',
  reserves: 'Reserve',
  dates: 'DateSpan',
  reminder: 'Reminder',
  stillOpen: 'StillOpen',
  clockIn: 'ClockRecord',
  clockOut: 'ClockRecord',
  details: 'TimesheetDetail',
  observed: 'Observed',
  closedPeriods: 'ClosedPeriod',
  payPeriods: 'TimesheetPeriod',
  settles: 'SettledEvent',
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
