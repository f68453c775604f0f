import type { CloseManifest } from '#shared/core/events/close-manifest.ts';
import { formatChange, formatCount } from '#shared/core/messages/numbers.ts';
import { summarizeStatement } from '#shared/core/messages/statement-sentences.ts';
import { roundHours } from '#shared/core/records/pay-period-totals.ts';
import type { PeriodStatement, StoredStatement } from '#shared/operator/statement/read-statement.ts';
import { applyStyle, escapeUnprintable, table } from '#shared/terminal/output.ts';

/** A statement in readable lines. `moment`: an instant in the zone of the connection. */
export function formatStatement(statement: PeriodStatement, moment: (text: string) => string): string[] {
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
          describeAgreement(manifest),
        ],
  );
  const last = closings.at(-1)?.manifest;
  const settled = statements
    .filter(({ statement: { stage } }) => stage === 'final')
    .map(({ time, statement: { hours: hoursToPay, ...final } }) => [
      `settled ${moment(time)}`,
      ...listSums({ ...final, hoursToPay }),
      formatChange(final.change?.hours ?? 0),
      describeAgreement(final),
    ]);
  return [
    applyStyle('bold', escapeUnprintable(title)),
    ...table([...sums, ...settled, ['now', ...listSums(now), describeChange(now, last), '']]),
    ...describeLatest(statements.at(-1)).map(escapeUnprintable),
    ...listNotes(now),
    `digest ${now.digest}`,
    '',
    ...table([
      ['department', 'hours', 'employees', 'timesheets', 'not approved', 'not processed'],
      ...(now.byDepartment ?? []).map((each) => [
        each.departmentId ?? 'no department',
        ...[each.hours, each.employees, each.timesheets, each.unapproved, each.unprocessed].map(String),
      ]),
    ]).map(escapeUnprintable),
    ...listLeftovers(now).map(escapeUnprintable),
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
  return formatChange(roundHours(manifest.hoursToPay - before.hoursToPay));
}

function isComparable(left: CloseManifest, right: CloseManifest): boolean {
  const how = ({ complete, members = 'all', sharesDatesWith }: CloseManifest) =>
    JSON.stringify([complete, members, sharesDatesWith]);
  return left.complete && left.members !== 'partly' && how(left) === how(right);
}

function describeAgreement({ addsUp, difference }: Pick<CloseManifest, 'addsUp' | 'difference'>): string {
  if (addsUp == null) return '';
  return addsUp ? 'adds up with the source' : `${difference?.hours} h against the source`;
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

function listLeftovers({ leftovers }: CloseManifest): string[] {
  if (leftovers.length === 0) return [];
  const rows = leftovers.map(({ timesheetId, employeeId, departmentId, date, hours, missing = [] }) => [
    timesheetId,
    employeeId ?? '-',
    departmentId ?? 'no department',
    date ?? '-',
    `${hours} h`,
    missing.map((each) => `no ${each.replace('_', ' ')}`).join(', '),
  ]);
  return ['', ...table([['timesheet', 'employee', 'department', 'date', 'hours', 'missing'], ...rows])];
}
