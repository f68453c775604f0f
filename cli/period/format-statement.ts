import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { describeAgreement } from '#shared/people/messages/closing-numbers.ts';
import { formatDay } from '#shared/people/messages/moments.ts';
import { formatChange, formatCount } from '#shared/people/messages/numbers.ts';
import { summarizeStatement } from '#shared/people/messages/statement-sentences.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { PeriodStatement } from '#shared/period/flow/read-statement.ts';
import type { StoredStatement } from '#shared/period/logged-statements.ts';
import { describeOpenTimesheet } from '#shared/period/open-timesheets.ts';
import { applyStyle, escapeUnprintable, table } from '#shared/terminal/output.ts';
import { describeSum } from './format-periods.ts';

/** Who reads a statement. */
interface StatementReader {
  /** An instant in the zone of the connection. */
  readonly moment: (text: string) => string;
  /** Those that are stored; without them, ids. */
  readonly names?: Names;
  /** What they call the source. */
  readonly serviceName?: string | undefined;
}

/** A statement in readable lines. */
export function formatStatement(
  statement: PeriodStatement,
  { moment, names = NO_NAMES, serviceName }: StatementReader,
): string[] {
  const { id, connection, period, closings, statements, now } = statement;
  const { calendar, startDate, finishDate, closed } = period;
  const state = closed === null ? 'open' : `closed ${closed}`;
  const title = `pay period ${id} of ${connection}: ${calendar} ${startDate} to ${finishDate}, ${state}`;
  const sums = closings.map(({ time, manifest }, index) =>
    manifest === undefined
      ? [`closed ${moment(time)}`, 'not counted']
      : [
          `closed ${moment(time)}`,
          ...listSums(manifest),
          describeChange(manifest, closings[index - 1]?.manifest),
          describeAgreement(manifest, { serviceName }).slice(2),
        ],
  );
  const last = closings.at(-1)?.manifest;
  const settled = statements
    .filter(({ statement: { stage } }) => stage === 'final')
    .map(({ time, statement: { hours: hoursToPay, ...final } }) => [
      `settled ${moment(time)}`,
      ...listSums({ ...final, hoursToPay }),
      formatChange(final.change?.hours ?? 0),
      describeAgreement({ ...final, hoursToPay }, { serviceName }).slice(2),
    ]);
  return [
    applyStyle('bold', escapeUnprintable(title)),
    ...table([...sums, ...settled, ['now', ...listSums(now), describeChange(now, last), '']]),
    ...describeLatest(statements.at(-1)).map(escapeUnprintable),
    ...listNotes(now),
    '',
    ...table([
      ['department', 'hours', 'employees', 'timesheets', 'not approved', 'not processed'],
      ...(now.byDepartment ?? []).map((each) => [
        nameOf(each.departmentId, names.departments) ?? 'no department',
        ...[each.hours, each.employees, each.timesheets, each.unapproved, each.unprocessed].map(String),
      ]),
    ]).map(escapeUnprintable),
    ...listLeftovers(now, names).map(escapeUnprintable),
    ...listOpenTimesheets(statement, names).map(escapeUnprintable),
  ];
}

/** `final: closed at 976.5 h, +2 h in 2 timesheets after it; 978.5 h`. */
function describeLatest(latest: StoredStatement | undefined): string[] {
  const summary = latest === undefined ? null : summarizeStatement(latest);
  return summary === null ? [] : [summary];
}

type Sums = Pick<CloseManifest, 'hoursToPay' | 'employees' | 'timesheets' | 'unapproved' | 'unprocessed'>;

function listSums({ hoursToPay, employees, timesheets, unapproved, unprocessed }: Sums): string[] {
  return [
    `${hoursToPay} h`,
    formatCount(employees, 'employee'),
    formatCount(timesheets, 'timesheet'),
    `${unapproved} not approved`,
    `${unprocessed} not processed`,
  ];
}

/** `+2 h`: hours against the closing before. Empty where the two count other timesheets. */
function describeChange(manifest: CloseManifest, before: CloseManifest | undefined): string {
  if (before === undefined || !isComparable(manifest, before)) return '';
  return formatChange(roundNumber(manifest.hoursToPay - before.hoursToPay));
}

function isComparable(left: CloseManifest, right: CloseManifest): boolean {
  const how = ({ complete, members = 'all', sharesDatesWith }: CloseManifest) =>
    JSON.stringify([complete, members, sharesDatesWith]);
  return left.complete && left.members !== 'partly' && how(left) === how(right);
}

function nameOf(id: string | null | undefined, names: ReadonlyMap<string, string>): string | null {
  return names.get(id ?? '') ?? id ?? null;
}

function listNotes({ complete, missing, sharesDatesWith, membersUnknown = 0 }: CloseManifest): string[] {
  const dates = missing === null ? '' : ` ${missing.from} to ${missing.to}`;
  return [
    ...(complete ? [] : [`now: without dates${dates} that were never read completely`]),
    ...(membersUnknown === 0
      ? []
      : [`now: without ${formatCount(membersUnknown, 'timesheet')} whose pay period is not known yet`]),
    ...(sharesDatesWith.length === 0
      ? []
      : ['now: all timesheets of these dates, other calendars included, so it is not compared']),
  ];
}

function listLeftovers({ leftovers }: CloseManifest, names: Names): string[] {
  if (leftovers.length === 0) return [];
  const rows = leftovers.map(({ timesheetId, employeeId, departmentId, date, hours, missing = [] }) => [
    timesheetId,
    nameOf(employeeId, names.employees) ?? '-',
    nameOf(departmentId, names.departments) ?? 'no department',
    date ?? '-',
    `${hours} h`,
    missing.map((each) => `no ${each.replace('_', ' ')}`).join(', '),
  ]);
  return ['', ...table([['timesheet', 'employee', 'department', 'date', 'hours', 'missing'], ...rows])];
}

/** What is still open of a closed one. */
function listOpenTimesheets({ period, stillOpen, knowsAdded }: PeriodStatement, names: Names): string[] {
  if (period.closed === null) return [];
  if (stillOpen === null) return ['', 'still open: not known; there is no statement of its closing'];
  const year = period.finishDate.slice(0, 4);
  const rows = stillOpen.map((each) => [
    each.timesheetId,
    nameOf(each.employeeId, names.employees) ?? '-',
    nameOf(each.departmentId, names.departments) ?? 'no department',
    each.date === null ? '-' : formatDay(each.date, { year }),
    formatChange(each.difference),
    describeOpenTimesheet(each),
  ]);
  const heading = ['timesheet', 'employee', 'department', 'date', 'to pay', 'since it closed'];
  return [
    ...(rows.length === 0 ? [] : ['', `still open: ${describeSum(stillOpen)}`, ...table([heading, ...rows])]),
    ...(knowsAdded ? [] : ['still open: without what was added or removed; not all of it is known']),
  ];
}
