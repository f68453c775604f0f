import { formatInstant } from '../parts/moment.tsx';

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const MAX_CHARACTERS = 200;

/** A value of a record in one line. */
export function formatValue(value: unknown, timeZone: string): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'string') return MOMENT.test(value) ? formatStamp(value, timeZone) : cut(value);
  if (Array.isArray(value)) return `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`;
  if (typeof value !== 'object') return String(value);
  if ('localTime' in value)
    return typeof value.localTime === 'string' ? formatStamp(value.localTime, timeZone) : 'time not given';
  return cut(JSON.stringify(value));
}

/** A time without an offset is in the zone of the connection already. */
function formatStamp(text: string, timeZone: string): string {
  if (/(?:Z|[+-]\d{2}:?\d{2})$/.test(text)) return formatInstant(text, timeZone, 'moment');
  return formatInstant(`${text}Z`, 'UTC', 'moment');
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** `hoursToPay` as `Hours to pay`. */
export function nameField(name: string): string {
  const known = NAMES[name];
  if (known !== undefined) return known;
  const words = name.replaceAll(
    /([a-z])([A-Z])/g,
    (_, left: string, right: string) => `${left} ${right.toLowerCase()}`,
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const NAMES: Readonly<Record<string, string>> = {
  approvedHours: 'Approved',
  approvedPayroll: 'Approved for payroll',
  employeeId: 'Employee',
  departmentId: 'Department',
  clockIn: 'Clocked in',
  clockOut: 'Clocked out',
  startTime: 'Start',
  finishTime: 'Finish',
};
