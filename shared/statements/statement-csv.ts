import { type Language, languageOf } from '#shared/languages/language.ts';
import { parseInstant, toLocalDate, toLocalTime } from '../core/dates.ts';
import type { State } from '../core/records/feed-definition.ts';
import type { Names } from '../names/names.ts';
import { describeReason, type Outstanding } from './outstanding.ts';

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
/** Texts that a spreadsheet would take for a formula; numbers are numbers. */
const FORMULA = /^[=+\-@\t\r]/;

export interface CsvFile {
  /** Such as `9013_1-501_1.csv`; never leads to another folder. */
  readonly name: string;
  readonly text: string;
}

type Cell = string | number;

/** One file for each department, after RFC 4180: a line for each timesheet, in the order of their dates. */
export function buildCsvFiles({ id, timesheets }: CountedTimesheets): CsvFile[] {
  const departments = Map.groupBy(timesheets, ({ state }) => String(readCell(state, 'departmentId')));
  return [...departments].map(([department, own]) => ({
    name: `${toFileName(id)}-${toFileName(department === '' ? NO_DEPARTMENT : department)}.csv`,
    text: toCsv([
      ['timesheetId', ...MEMBER_FIELDS],
      ...own.map((each) => [each.id, ...MEMBER_FIELDS.map((column) => readCell(each.state, column))]),
    ]),
  }));
}

function readCell(state: State, name: string): Cell {
  const value = state[name] ?? '';
  if (typeof value === 'number') return value;
  return typeof value === 'object' ? '' : String(value);
}

function toFileName(text: string): string {
  return encodeURIComponent(text).replaceAll(/^\.+/g, '_');
}

/** After RFC 4180; a text that a spreadsheet would take for a formula is none there. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Who reads a sheet. */
export interface SheetReader {
  /** Those that may be shown: columns of names are there only where some kind may. */
  readonly names: Pick<Names, 'employees' | 'departments'>;
  /** IANA zone of the connection: stamps are given as they are on a clock there. */
  readonly timeZone: string;
  /** English without it. */
  readonly language?: Language | undefined;
}

/** A line of a sheet, and whether it belongs to the pay file or to what is left over. */
export interface SheetLine {
  readonly isLeft: boolean;
  readonly text: string;
}

/** A timesheet of a closed pay period: left over where it is not approved or not processed, or changed since. */
export function toSheetLine(
  { id, state }: CsvTimesheet,
  open: Outstanding | undefined,
  reader: SheetReader,
): SheetLine {
  const language = languageOf(reader);
  const { sheets } = language;
  const isApproved = state.approvedHours != null;
  const isProcessed = state.processed != null;
  const why = [
    ...(isApproved ? [] : [sheets.notApproved]),
    ...(isProcessed ? [] : [sheets.notProcessed]),
    ...(open === undefined ? [] : [describeReason(open, language)]),
  ];
  const read = (name: string) => readCell(state, name);
  const stamp = (name: string) => toLocalStamp(read(name), reader.timeZone);
  const cells = [
    ...[id, read('date'), ...describeOwner(read('employeeId'), read('departmentId'), reader)],
    ...[read('hoursToPay'), stamp('approvedHours'), stamp('approvedPayroll'), stamp('processed')],
    ...[why.join('; '), open?.difference ?? ''],
  ];
  return { isLeft: why.length > 0, text: toCsv([cells]) };
}

/** One that is gone, of which only its hours are known. */
export function toGoneLine(open: Outstanding, reader: SheetReader): SheetLine {
  const reason = describeReason(open, languageOf(reader));
  const cells = [open.timesheetId, ...Array<Cell>(9).fill(''), reason, open.difference];
  return { isLeft: true, text: toCsv([cells]) };
}

/** What to pay now, and what is left over: each timesheet is in one of them. */
export function buildSheets(
  id: string,
  lines: readonly SheetLine[],
  reader: SheetReader,
): readonly CsvFile[] {
  const { columns, pay, leftOver } = languageOf(reader).sheets;
  const sheet = (name: string, isLeft: boolean) => ({
    name: `${toFileName(id)}-${name}.csv`,
    text: [toCsv([columns]), ...lines.flatMap((line) => (line.isLeft === isLeft ? [line.text] : []))].join(
      '',
    ),
  });
  return [sheet(pay, false), sheet(leftOver, true)];
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
