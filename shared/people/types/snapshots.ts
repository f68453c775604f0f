import { readText } from '../event-state.ts';
import { bold, type Spans } from '../message.ts';
import { cleanText } from '../messages/clean-text.ts';
import { formatDay, formatWhen } from '../messages/moments.ts';
import { describePeriod } from '../period-name.ts';
import type { SnapshotEvent } from '../read-events.ts';
import { nameOf, type Reader, toTimeContext } from '../reader.ts';
import { nameSubject } from './directory.ts';
import type { TypeEntry } from './entry.ts';
import { list, toPay } from './timesheets.ts';

function sayTimesheet({ data, subject = '', time }: SnapshotEvent, reader: Reader): Spans {
  const { current, employeeId, timesheetId = subject } = data;
  if (current === null || employeeId == null)
    return [bold(`Timesheet ${cleanText(timesheetId)}`), ' is removed'];
  const date = readText(current, 'date');
  const day = date === null ? '' : `, ${formatDay(date, toTimeContext(time, reader))}`;
  const state = [
    toPay(current),
    readText(current, 'approvedHours') === null ? 'not approved' : 'approved',
    readText(current, 'processed') === null ? 'not processed' : 'processed',
  ];
  const who = `${nameOf(reader.names.employees, employeeId, 'Employee ')}${day}`;
  return [bold(who), ` as it stands${list(': ', ...state)}`];
}

function sayPayPeriod({ data, subject = '', time }: SnapshotEvent, reader: Reader): Spans {
  const seen = toTimeContext(time, reader);
  const { current, previous, payPeriodId = subject } = data;
  if (current === null) return [bold(`Pay period ${cleanText(payPeriodId)}`), ' is removed'];
  const closed = readText(current, 'closed');
  const state = closed === null ? 'open' : `closed ${formatWhen(closed, seen) ?? cleanText(closed)}`;
  return [bold(describePeriod({ current, previous, payPeriodId }, seen)), ` as it stands: ${state}`];
}

function sayDirectory({ data, subject }: SnapshotEvent, reader: Reader): Spans {
  const { employeeId, departmentId, ...rest } = data;
  const ids = {
    ...(employeeId == null ? {} : { employeeId }),
    ...(departmentId == null ? {} : { departmentId }),
  };
  const named = { data: { ...rest, ...ids }, ...(subject === undefined ? {} : { subject }) };
  return [bold(nameSubject(named, reader)), data.current === null ? ' is removed' : ' as it stands'];
}

/** The state of a record, sent to who asks for it. */
export const SNAPSHOTS = {
  'timesheet.snapshot': {
    counted: ['timesheet', 'timesheets'],
    says: sayTimesheet,
  },
  'pay_period.snapshot': {
    counted: ['pay period', 'pay periods'],
    says: sayPayPeriod,
  },
  'employee.snapshot': {
    counted: ['employee', 'employees'],
    says: sayDirectory,
  },
  'department.snapshot': {
    counted: ['department', 'departments'],
    says: sayDirectory,
  },
} as const satisfies Readonly<Record<string, TypeEntry<SnapshotEvent>>>;
