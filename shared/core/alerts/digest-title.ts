import { formatCount, formatNumber } from '../messages/numbers.ts';
import { ALERT_TYPES, type AlertType, type ShownAlert } from './alert.ts';

/** Types that a title counts separately; the rest is one number. */
const MAX_PARTS = 4;

interface Counting {
  /** `records`: distinct records; `alerts`: every alert. */
  readonly of: 'records' | 'alerts';
  readonly one: string;
  readonly many: string;
}

const COUNTINGS: Readonly<Record<AlertType, Counting>> = {
  'workforce.timesheet.created': countRecords('timesheet', 'added'),
  'workforce.timesheet.changed': countRecords('timesheet', 'changed'),
  'workforce.timesheet.approved': countRecords('timesheet', 'approved'),
  'workforce.timesheet.approval_revoked': countAlerts('approval', 'revoked'),
  'workforce.timesheet.payroll_approved': countRecords('timesheet', 'approved for payroll'),
  'workforce.timesheet.payroll_approval_revoked': countAlerts('payroll approval', 'revoked'),
  'workforce.timesheet.processed': countRecords('timesheet', 'processed'),
  'workforce.timesheet.processing_reverted': countRecords('timesheet', 'no longer processed'),
  'workforce.timesheet.removed': countRecords('timesheet', 'removed'),
  'workforce.record.forgotten': countRecords('timesheet', 'forgotten'),
  'workforce.timesheet.clocked_in': countAlerts('clock-in', ''),
  'workforce.timesheet.clock_in_corrected': countAlerts('clock-in', 'corrected'),
  'workforce.timesheet.clock_in_removed': countAlerts('clock-in', 'removed'),
  'workforce.timesheet.clocked_out': countAlerts('clock-out', ''),
  'workforce.timesheet.clock_out_corrected': countAlerts('clock-out', 'corrected'),
  'workforce.timesheet.clock_out_removed': countAlerts('clock-out', 'removed'),
  'workforce.timesheet.clock_in_missing': countAlerts('clock-in', 'missing'),
  'workforce.timesheet.clock_in_missing_cleared': countAlerts('clock-in', 'no longer missing'),
  'workforce.timesheet.clock_out_missing': countAlerts('clock-out', 'missing'),
  'workforce.timesheet.clock_out_missing_cleared': countAlerts('clock-out', 'no longer missing'),
  'workforce.pay_period.created': countRecords('pay period', 'added'),
  'workforce.pay_period.changed': countRecords('pay period', 'changed'),
  'workforce.pay_period.closed': countRecords('pay period', 'closed'),
  'workforce.pay_period.reopened': countRecords('pay period', 'reopened'),
  'workforce.pay_period.removed': countRecords('pay period', 'removed'),
  'workforce.pay_period.readiness': countRecords('pay period', 'with timesheets to approve'),
  'workforce.pay_period.statement': countRecords('pay period', 'settled'),
  'workforce.baseline.completed': countAlerts('list', 'now watched'),
  'workforce.source.unreachable': countAlerts('outage', 'of the source'),
  'workforce.source.recovered': countAlerts('outage', 'of the source over'),
  'workforce.record.quarantined': countAlerts('record', 'ignored'),
  'workforce.record.readable': countAlerts('record', 'read again'),
  'workforce.slice.shrunk': countAlerts('sudden disappearance', 'of records', 'sudden disappearances'),
  'workforce.slice.whole': countAlerts('date', 'whole again'),
  'workforce.poll.stalled': countAlerts('list', 'not read completely'),
  'workforce.poll.resumed': countAlerts('list', 'read again'),
  'workforce.slice.unreadable': countAlerts('date', 'not readable'),
  'workforce.slice.readable': countAlerts('date', 'readable again'),
  'workforce.feed.lagging': countAlerts('list of records', 'read late', 'lists of records'),
  'workforce.feed.caught_up': countAlerts('list of records', 'read in time again', 'lists of records'),
  'workforce.slice.mass_change': countAlerts('mass change', ''),
  'workforce.source.form_changed': countAlerts(
    'list of records',
    'in a form that cannot be read',
    'lists of records',
  ),
  'workforce.source.form_restored': countAlerts(
    'list of records',
    'in a readable form again',
    'lists of records',
  ),
  'workforce.publish.failed': countAlerts('failure', 'to publish', 'failures'),
  'workforce.delivery.failed': countAlerts('event', 'not delivered to a webhook'),
  'workforce.delivery.recovered': countAlerts('event', 'delivered to a webhook after all'),
  'workforce.webhook.disabled': countAlerts('webhook', 'disabled'),
  'workforce.webhook.enabled': countAlerts('webhook', 'in use again'),
  'workforce.processing.finished': countRecords('pay period', 'processed completely'),
};

/** `57 timesheets approved in 4 departments`, `2 timesheets changed, 1 pay period closed`. */
export function buildDigestTitle(alerts: readonly ShownAlert[]): string {
  const groups = [...Map.groupBy(alerts, ({ type }) => type)].sort(compareByWeight);
  const [only] = groups;
  if (groups.length === 1 && only !== undefined)
    return `${describeGroup(only)}${describeDepartments(only[1])}`;
  return countGroups(groups, MAX_PARTS);
}

/** The title with as many of its parts as there is room for in `max` characters, and the number of the others. */
export function buildDigestSubject(alerts: readonly ShownAlert[], max: number): string {
  const title = buildDigestTitle(alerts);
  const groups = [...Map.groupBy(alerts, ({ type }) => type)].sort(compareByWeight);
  const shorter = Array.from({ length: MAX_PARTS }, (_, at) => countGroups(groups, MAX_PARTS - at));
  return [title, ...shorter].find(({ length }) => length <= max) ?? title;
}

function countGroups(groups: readonly Group[], shown: number): string {
  const rest = groups.slice(shown).reduce((sum, [, { length }]) => sum + length, 0);
  const isLate = groups.every(isAfterClosing);
  const parts = groups
    .slice(0, shown)
    .map((group) => (isLate ? describeAlerts(...group) : describeGroup(group)));
  const texts = [...parts, ...(rest === 0 ? [] : [`${formatNumber(rest)} more`])];
  return `${texts.join(', ')}${isLate ? describeClosing(groups.flatMap(([, group]) => group)) : ''}`;
}

type Group = readonly [AlertType, readonly ShownAlert[]];

function describeGroup(group: Group): string {
  return `${describeAlerts(...group)}${isAfterClosing(group) ? describeClosing(group[1]) : ''}`;
}

/** What is late only when its pay period closed before it. */
const LATE_AFTER_CLOSING: readonly AlertType[] = [
  'workforce.timesheet.created',
  'workforce.timesheet.approved',
  'workforce.timesheet.payroll_approved',
];

function describeClosing(alerts: readonly ShownAlert[]): string {
  return alerts.some(({ perhapsLate }) => perhapsLate === true)
    ? ', perhaps after closing'
    : ' after closing';
}

/** Approvals that came in time are good news, late ones are not. */
function isAfterClosing([type, group]: Group): boolean {
  return LATE_AFTER_CLOSING.includes(type) && group.every(({ irreversible }) => irreversible === true);
}

/** `57 timesheets approved`. */
export function describeAlerts(type: AlertType, group: readonly ShownAlert[]): string {
  const counting = COUNTINGS[type];
  return formatCount(countGroup(counting, group), counting.one, counting.many);
}

function countGroup(counting: Counting, group: readonly ShownAlert[]): number {
  switch (counting.of) {
    case 'records':
      return new Set(group.map(({ id, connection, subject }) => JSON.stringify([connection, subject ?? id])))
        .size;
    case 'alerts':
      return group.reduce((sum, { count = 1 }) => sum + count, 0);
  }
}

/** Empty unless every alert has a department. */
function describeDepartments(group: readonly ShownAlert[]): string {
  if (group.some(({ department }) => department === null)) return '';
  const count = new Set(group.map(({ connection, department }) => JSON.stringify([connection, department])))
    .size;
  return ` in ${formatCount(count, 'department')}`;
}

/** Urgent types first, then the most frequent, then in the order of the catalogue. */
function compareByWeight([leftType, left]: Group, [rightType, right]: Group): number {
  const urgent = (group: readonly ShownAlert[]) => Number(group.some((alert) => alert.urgent));
  return (
    urgent(right) - urgent(left) ||
    right.length - left.length ||
    ALERT_TYPES.indexOf(leftType) - ALERT_TYPES.indexOf(rightType)
  );
}

function countRecords(noun: string, what: string): Counting {
  return counting('records', [noun, `${noun}s`], what);
}

function countAlerts(noun: string, what: string, nouns = `${noun}s`): Counting {
  return counting('alerts', [noun, nouns], what);
}

function counting(of: Counting['of'], [one, many]: readonly [string, string], what: string): Counting {
  return { of, one: `${one} ${what}`.trim(), many: `${many} ${what}`.trim() };
}
