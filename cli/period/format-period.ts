import type { Account, Figures } from '#shared/core/periods/account-data.ts';
import { countLeftOver, sayAgreement, sayMissing, sayOpen, sayState } from '#shared/operator/period-words.ts';
import { sayReason } from '#shared/people/messages/account-lines.ts';
import {
  type AccountReader,
  listReserves,
  sayVerdict,
  toContext,
} from '#shared/people/messages/account-sentences.ts';
import { formatDates, formatDay, formatMoment } from '#shared/people/messages/moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from '#shared/people/messages/numbers.ts';
import type { Names } from '#shared/people/names/names.ts';
import type { PeriodReading, ToldMoment } from '#shared/period/reading.ts';
import { applyStyle, escapeUnprintable, table } from '#shared/terminal/output.ts';

/** Timesheets that changed, which are listed; with --json all of them. */
const MAX_CHANGED = 50;

/** Who reads of a pay period. */
export interface PeriodReader extends AccountReader {
  /** Those that may be shown; without one, an id. */
  readonly names: Pick<Names, 'employees' | 'departments'>;
}

/** What a pay period comes to, in readable lines. */
export function formatPeriod(reading: PeriodReading, reader: PeriodReader): string[] {
  const { id, connection, period, account } = reading;
  const dates = formatDates(period.startDate, period.finishDate, toContext(reader));
  const title = `pay period ${id} of ${connection}: ${period.calendar} ${dates}, ${sayState(reading, reader)}`;
  const lines = [
    title,
    '',
    ...formatFigures(account),
    ...listNotes(account, reader),
    ...formatTold(reading, reader),
    ...formatDepartments(account, reader),
    ...formatLeftOver(account, reader),
    ...formatChanges(reading, reader),
  ];
  return [
    applyStyle('bold', escapeUnprintable(sayVerdict(account, reader))),
    ...lines.map((line) => escapeUnprintable(line)),
  ];
}

function formatFigures({ ready, notReady, ...all }: Account): string[] {
  const toRow = (name: string, { people, timesheets, hours }: Figures) => [
    name,
    ...[people, timesheets].map(formatNumber),
    formatHours(hours),
  ];
  return table([
    ['', 'people', 'timesheets', 'hours'],
    toRow('ready', ready),
    toRow('not ready', notReady),
    toRow('all', all),
  ]);
}

/** When it was counted, whether it adds up, and what is in doubt. */
function listNotes(account: Account, reader: PeriodReader): string[] {
  const { asOf, through } = account;
  const agreement = sayAgreement(account, reader);
  const counted = asOf === null ? 'not counted yet' : `counted as of ${sayMoment(asOf, reader)}`;
  return [
    `${counted}, through ${formatDay(through, toContext(reader))}`,
    ...(agreement === null ? [] : [agreement]),
    ...listReserves(account, reader).map((reserve) => `in doubt: ${reserve}`),
  ];
}

function sayMoment(instant: string, reader: PeriodReader): string {
  return formatMoment(Date.parse(instant), { ...toContext(reader), day: null });
}

/** What it was told as, the first first. */
function formatTold({ told }: PeriodReading, reader: PeriodReader): string[] {
  const toRow = ({ time, moment, account }: ToldMoment) => [
    ...[moment, sayMoment(time, reader)],
    ...(account === null
      ? ['not counted']
      : [formatHours(account.ready.hours), formatHours(account.notReady.hours), sayVerdict(account, reader)]),
  ];
  if (told.length === 0) return [];
  return ['', ...table([['told as', '', 'ready', 'not ready', 'verdict'], ...told.map(toRow)])];
}

function formatDepartments({ byDepartment, departments }: Account, { names }: PeriodReader): string[] {
  if (departments === 0) return [];
  const rows = byDepartment.map(({ departmentId, people, timesheets, ready, notReady, unprocessed }) => [
    nameOf(departmentId, names.departments) ?? 'no department',
    ...[people, timesheets].map(formatNumber),
    ...[ready.hours, notReady.hours].map(formatHours),
    formatNumber(notReady.timesheets),
    formatNumber(unprocessed),
  ]);
  const heading = [
    'department',
    'people',
    'timesheets',
    'ready',
    'not ready',
    'not approved',
    'not processed',
  ];
  return ['', ...table([heading, ...rows]), ...sayMore(departments - rows.length)];
}

function formatLeftOver(account: Account, reader: PeriodReader): string[] {
  const left = countLeftOver(account);
  if (left === 0) return ['', 'nothing is left over'];
  const rows = account.leftOver.map((each) => [
    ...nameOwner(each, reader),
    formatHours(each.hours),
    sayMissing(each),
  ]);
  return [
    ...['', `left over: ${formatCount(left, 'timesheet')}`],
    ...table([[...OWNER, 'hours', 'missing'], ...rows]),
    ...sayMore(left - rows.length),
  ];
}

const OWNER = ['timesheet', 'employee', 'department', 'date'];

/** All that changed since it was told is in its figures: what of it is still open is marked. */
function formatChanges({ account, changed }: PeriodReading, reader: PeriodReader): string[] {
  const { changes } = account;
  const open = sayOpen(account);
  if (open === null) return [];
  if (changes === null || changed === null) return ['', 'changed since it was told: not known'];
  const { since, timesheets, hours } = changes;
  const moment = sayMoment(since, reader);
  if (timesheets === 0) return ['', `nothing changed since ${moment}`];
  const sum = `${formatChange(hours)} in ${formatCount(timesheets, 'timesheet')}`;
  const rows = changed
    .slice(0, MAX_CHANGED)
    .map((each) => [
      ...nameOwner(each, reader),
      ...[each.was, each.now].map((value) => (value === null ? '-' : formatHours(value))),
      formatChange(each.difference),
      sayReason(each),
      each.isOpen ? 'still open' : '',
    ]);
  return [
    '',
    `changed since ${moment}, in the figures above: ${sum}; still open: ${open}`,
    ...table([[...OWNER, 'was', 'now', 'difference', 'why', ''], ...rows]),
    ...sayMore(timesheets - rows.length),
  ];
}

function sayMore(left: number): string[] {
  return left <= 0 ? [] : [`and ${formatNumber(left)} more`];
}

interface Owned {
  readonly timesheetId: string;
  readonly employeeId: string | null;
  readonly departmentId: string | null;
  readonly date: string | null;
}

/** Of one that is gone, only its id is known. */
function nameOwner({ timesheetId, employeeId, departmentId, date }: Owned, reader: PeriodReader): string[] {
  const { employees, departments } = reader.names;
  return [
    timesheetId,
    nameOf(employeeId, employees) ?? '-',
    nameOf(departmentId, departments) ?? '-',
    date === null ? '-' : formatDay(date, toContext(reader)),
  ];
}

function nameOf(id: string | null, names: ReadonlyMap<string, string>): string | null {
  return id === null ? null : (names.get(id) ?? id);
}
