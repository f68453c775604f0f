import { hash } from 'node:crypto';
import { parseInstant, toLocalDate, toLocalTime } from '../core/dates.ts';
import type { State } from '../core/records/fields.ts';
import type { Names } from '../people/names/names.ts';
import { describeReason, type OpenTimesheet } from './open-timesheets.ts';

/** The columns of a timesheet of a pay period, besides its id. */
export const MEMBER_FIELDS = [
  'employeeId',
  'date',
  'hoursToPay',
  'approvedHours',
  'approvedPayroll',
  'processed',
] as const;

/** The timesheets of a pay period, in the order of their dates. */
interface CountedTimesheets {
  readonly id: string;
  readonly timesheets: readonly CsvTimesheet[];
}

export interface CsvTimesheet {
  readonly id: string;
  readonly state: State;
}

const NO_DEPARTMENT = 'no-department';
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

/** One file for each department. */
export function buildCsvFiles({ id, timesheets }: CountedTimesheets): CsvFile[] {
  const departments = Map.groupBy(timesheets, ({ state }) => String(readCell(state, 'departmentId')));
  return [...departments].map(([department, own]) =>
    buildCsvFile([id, department === '' ? NO_DEPARTMENT : department], own),
  );
}

/** A line for each timesheet, in their order. `words`: what the file is called. */
export function buildCsvFile(words: readonly string[], timesheets: readonly CsvTimesheet[]): CsvFile {
  const rows = timesheets.map(({ id, state }) => [id, ...MEMBER_FIELDS.map((name) => readCell(state, name))]);
  return { name: toFileName(words), text: toCsv([['timesheetId', ...MEMBER_FIELDS], ...rows]) };
}

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
  return joinLines(rows.map(toLine));
}

function joinLines(lines: readonly string[]): string {
  return `${BYTE_ORDER_MARK}${lines.join('')}`;
}

function toLine(cells: readonly Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function toCell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  return `"${value.replace(FORMULA, "'$&").replaceAll('"', '""')}"`;
}

/** Who reads a sheet. */
export interface SheetReader {
  /** Those that may be shown: columns of names are there only where some kind may. */
  readonly names: Pick<Names, 'employees' | 'departments'>;
  /** IANA zone of the connection: stamps are given as they are on a clock there. */
  readonly timeZone: string;
}

/** A line of a sheet, and whether it belongs to the pay file or to what is left over. */
export interface SheetLine {
  readonly isLeft: boolean;
  readonly text: string;
}

/** A timesheet of a closed pay period: left over where it is not approved or not processed, or changed since. */
export function toSheetLine(
  { id, state }: CsvTimesheet,
  open: OpenTimesheet | undefined,
  reader: SheetReader,
): SheetLine {
  const isApproved = state.approvedHours != null;
  const isProcessed = state.processed != null;
  const why = [
    ...(isApproved ? [] : ['not approved']),
    ...(isProcessed ? [] : ['not processed']),
    ...(open === undefined ? [] : [describeReason(open)]),
  ];
  const read = (name: string) => readCell(state, name);
  const stamp = (name: string) => toLocalStamp(read(name), reader.timeZone);
  const cells = [
    ...[id, read('date'), ...describeOwner(read('employeeId'), read('departmentId'), reader)],
    ...[read('hoursToPay'), stamp('approvedHours'), stamp('approvedPayroll'), stamp('processed')],
    ...[why.join('; '), open?.difference ?? ''],
  ];
  return { isLeft: why.length > 0, text: toLine(cells) };
}

/** One that is gone, of which only its hours are known. */
export function toGoneLine(open: OpenTimesheet): SheetLine {
  const reason = describeReason(open);
  const cells = [open.timesheetId, ...Array<Cell>(9).fill(''), reason, open.difference];
  return { isLeft: true, text: toLine(cells) };
}

const SHEET_COLUMNS = [
  ...['timesheetId', 'date', 'employeeId', 'employee', 'departmentId', 'department'],
  ...['hoursToPay', 'approved', 'payrollApproved', 'processed', 'leftOver', 'difference'],
];

/** What to pay now, and what is left over: each timesheet is in one of them. */
export function buildSheets(id: string, lines: readonly SheetLine[]): readonly CsvFile[] {
  const sheet = (name: string, isLeft: boolean) => {
    const own = lines.filter((line) => line.isLeft === isLeft).map(({ text }) => text);
    return { name: toFileName([id, name]), text: joinLines([toLine(SHEET_COLUMNS), ...own]) };
  };
  return [sheet('pay', false), sheet('left-over', true)];
}

function describeOwner(employeeId: Cell, departmentId: Cell, { names }: SheetReader): Cell[] {
  const { employees, departments } = names;
  const nameOf = (all: ReadonlyMap<string, string>, owner: Cell) => all.get(String(owner)) ?? '';
  return [employeeId, nameOf(employees, employeeId), departmentId, nameOf(departments, departmentId)];
}

/** `2026-11-16 11:30`; what is no instant, such as the reference of a pay run, as it is. */
function toLocalStamp(value: Cell, timeZone: string): Cell {
  const at = typeof value === 'string' && value !== '' ? parseInstant(value, timeZone) : null;
  return at === null ? value : `${toLocalDate(at, timeZone)} ${toLocalTime(at, timeZone)}`;
}
