import { hash } from 'node:crypto';
import { parseInstant, toLocalDate, toLocalTime } from '../core/dates.ts';
import type { ChangedTimesheet } from '../core/periods/account-data.ts';
import type { State } from '../core/records/fields.ts';
import type { Names } from '../people/names/names.ts';
import type { PeriodReading } from './reading.ts';

/** A timesheet of a pay period. */
interface CsvTimesheet {
  readonly id: string;
  readonly state: State;
}

/** Without it, Excel on Windows reads UTF-8 as Windows-1252. */
const BYTE_ORDER_MARK = '\ufeff';
/**
 * What begins a formula, also in its other forms, at the start of a text or of what a spreadsheet with another separator
 * makes a cell of; some leave out spaces, quotes and invisible characters before it. It looks back from what it found:
 * from each character of a long text it would take the square of its length.
 */
const FORMULA =
  /[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20](?<=(?:^|[;\t\r\n])["\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*.)/gu;
/** Of a part of a name: two of them, what joins them and the extension are below the 255 bytes that file systems take. */
const MAX_PART_BYTES = 120;
/** Of the digest that keeps two names apart which begin alike. */
const DIGEST_DIGITS = 12;

/** A file of comma-separated values for people, who open it in a spreadsheet. */
export interface CsvFile {
  /** Such as `9013_1-501_1.csv`, in ASCII and at most 255 bytes; never leads to another folder. */
  readonly name: string;
  readonly text: string;
}

type Cell = string | number;

function readCell(state: State, name: string): Cell {
  const value = state[name] ?? '';
  if (typeof value === 'number') return value;
  return typeof value === 'object' ? '' : String(value);
}

/** `words`: one or two. */
function toFileName(words: readonly string[]): string {
  return `${words.map(toFilePart).join('-')}.csv`;
}

function toFilePart(text: string): string {
  const encoded = encode(text);
  if (encoded.length <= MAX_PART_BYTES) return encoded;
  const digest = hash('sha256', text, 'hex').slice(0, DIGEST_DIGITS);
  // Without the character that the cut may have divided.
  const start = encoded
    .slice(0, MAX_PART_BYTES - DIGEST_DIGITS - 1)
    .replace(/(?:%[C-F]\w(?:%[89AB]\w)*)?(?:%\w?)?$/, '');
  return `${start}~${digest}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/^\.+/, '_');
}

/** After RFC 4180, each text in quotes; a text that a spreadsheet would take for a formula is none there. */
function toCsv(rows: readonly (readonly Cell[])[]): string {
  return `${BYTE_ORDER_MARK}${rows.map(toLine).join('')}`;
}

function toLine(cells: readonly Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function toCell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  return `"${value.replace(FORMULA, "'$&").replaceAll('"', '""')}"`;
}

/** Who reads the files. */
export interface CsvReader {
  /** Those that may be shown: columns of names are there only where some kind may. */
  readonly names: Pick<Names, 'employees' | 'departments'>;
  /** IANA zone of the connection: stamps are given as they are on a clock there. */
  readonly timeZone: string;
}

const COLUMNS = [
  ...['timesheetId', 'date', 'employeeId', 'employee', 'departmentId', 'department'],
  ...['hoursToPay', 'approved', 'payrollApproved', 'processed', 'changed', 'difference'],
];

/**
 * The timesheets of a pay period in two files: what is ready, whose hours are those of its account, and what is left over:
 * not approved, or gone since it was told.
 */
export function buildCsvFiles(
  { id, timesheets, changed }: Pick<PeriodReading, 'id' | 'timesheets' | 'changed'>,
  reader: CsvReader,
): readonly [pay: CsvFile, leftOver: CsvFile] {
  const changes = new Map((changed ?? []).map((each) => [each.timesheetId, each]));
  const present = new Set(timesheets.map((each) => each.id));
  const isReady = ({ state }: CsvTimesheet) => state.approvedHours != null || state.processed != null;
  const toFile = (name: string, lines: readonly (readonly Cell[])[]) => ({
    name: toFileName([id, name]),
    text: toCsv([COLUMNS, ...lines]),
  });
  const describe = (each: CsvTimesheet) => describeTimesheet(each, changes.get(each.id), reader);
  const gone = (changed ?? []).filter(({ timesheetId }) => !present.has(timesheetId)).map(describeGone);
  return [
    toFile('pay', timesheets.filter(isReady).map(describe)),
    toFile('left-over', [...timesheets.filter((each) => !isReady(each)).map(describe), ...gone]),
  ];
}

function describeTimesheet(
  { id, state }: CsvTimesheet,
  changed: ChangedTimesheet | undefined,
  reader: CsvReader,
): Cell[] {
  const read = (name: string) => readCell(state, name);
  const stamp = (name: string) => toLocalStamp(read(name), reader.timeZone);
  return [
    ...[id, read('date'), ...describeOwner(read('employeeId'), read('departmentId'), reader)],
    ...[read('hoursToPay'), stamp('approvedHours'), stamp('approvedPayroll'), stamp('processed')],
    ...[changed?.reason ?? '', changed?.difference ?? ''],
  ];
}

/** One that is gone, of which only its hours are known. */
function describeGone({ timesheetId, reason, difference }: ChangedTimesheet): Cell[] {
  return [timesheetId, ...Array<Cell>(9).fill(''), reason, difference];
}

function describeOwner(employeeId: Cell, departmentId: Cell, { names }: CsvReader): Cell[] {
  const { employees, departments } = names;
  const nameOf = (all: ReadonlyMap<string, string>, owner: Cell) => all.get(String(owner)) ?? '';
  return [employeeId, nameOf(employees, employeeId), departmentId, nameOf(departments, departmentId)];
}

/** `2026-11-16 11:30`; what is no instant, such as the reference of a pay run, as it is. */
function toLocalStamp(value: Cell, timeZone: string): Cell {
  const at = typeof value === 'string' && value !== '' ? parseInstant(value, timeZone) : null;
  return at === null ? value : `${toLocalDate(at, timeZone)} ${toLocalTime(at, timeZone)}`;
}
