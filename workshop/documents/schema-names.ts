import { dataSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, type ShortEventType } from '#shared/core/event-types.ts';

/** Data that several types share; that of any other type is named after it. */
const SHARED_DATA: Partial<Record<ShortEventType, string>> = {
  'timesheet.changed': 'TimesheetData',
  'pay_period.changed': 'PayPeriodData',
  'department.renamed': 'DepartmentData',
};

/** `current` and `previous` of a record. */
const STATE = /^(?<record>Timesheet|PayPeriod|Employee|Department)\w*Data\.(?<member>current|previous)$/;

/** Objects within others, by the name of the owner and of the member, or of the member alone. */
const PARTS: Readonly<Record<string, string>> = {
  'TimesheetSnapshotData.current': 'WholeTimesheetState',
  'EmployeeSnapshotData.current': 'MaybeEmployeeState',
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
  const shared = SHORT_EVENT_TYPES.find(
    (other) => SHARED_DATA[other] !== undefined && dataSchema(other) === dataSchema(type),
  );
  return (shared && SHARED_DATA[shared]) ?? `${toPascalCase(type)}Data`;
}

/** Name of an object that is a member of another, or an entry of a list that is. Generators name types after it. */
export function namePart(owner: string, member: string): string {
  const name = PARTS[`${owner}.${member}`] ?? PARTS[member] ?? nameState(`${owner}.${member}`);
  if (name === undefined) {
    throw new Error(
      `${owner}.${member} is an object without a name; add one in workshop/documents/schema-names.ts`,
    );
  }
  return name;
}

function nameState(path: string): string | undefined {
  const { record, member } = STATE.exec(path)?.groups ?? {};
  return member && `${member === 'current' ? '' : 'Previous'}${record}State`;
}

function toPascalCase(type: string): string {
  return type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
