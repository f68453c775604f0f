import { type PublishedType, toShortType } from '../../core/event-types.ts';
import { ALERT_TYPES, type ShownAlert } from '../alert.ts';
import { formatCount, formatNumber } from '../messages/numbers.ts';
import { ALERT_NEWS } from '../words/alert-news.ts';

/** Types that a title counts separately; the rest is one number. */
const MAX_PARTS = 4;

/** What a title counts: one, and several. */
const COUNTED = {
  'timesheet.created': ['timesheet added', 'timesheets added'],
  'timesheet.changed': ['timesheet changed', 'timesheets changed'],
  'timesheet.approved': ['timesheet approved', 'timesheets approved'],
  'timesheet.approval_revoked': ['approval revoked', 'approvals revoked'],
  'timesheet.payroll_approved': ['timesheet approved for payroll', 'timesheets approved for payroll'],
  'timesheet.payroll_approval_revoked': ['payroll approval revoked', 'payroll approvals revoked'],
  'timesheet.processed': ['timesheet processed', 'timesheets processed'],
  'timesheet.processing_reverted': ['timesheet no longer processed', 'timesheets no longer processed'],
  'timesheet.removed': ['timesheet removed', 'timesheets removed'],
  'employee.forgotten': ['timesheet forgotten', 'timesheets forgotten'],
  'timesheet.clocked_in': ['clock-in', 'clock-ins'],
  'timesheet.clock_in_corrected': ['clock-in corrected', 'clock-ins corrected'],
  'timesheet.clock_in_removed': ['clock-in removed', 'clock-ins removed'],
  'timesheet.clocked_out': ['clock-out', 'clock-outs'],
  'timesheet.clock_out_corrected': ['clock-out corrected', 'clock-outs corrected'],
  'timesheet.clock_out_removed': ['clock-out removed', 'clock-outs removed'],
  'timesheet.clock_in_missing': ['clock-in missing', 'clock-ins missing'],
  'timesheet.clock_out_missing': ['clock-out missing', 'clock-outs missing'],
  'pay_period.created': ['pay period added', 'pay periods added'],
  'pay_period.changed': ['pay period changed', 'pay periods changed'],
  'pay_period.closed': ['pay period closed', 'pay periods closed'],
  'pay_period.due': ['pay period with timesheets to approve', 'pay periods with timesheets to approve'],
  'pay_period.recounted': ['pay period counted again', 'pay periods counted again'],
  'pay_period.settled': ['pay period settled', 'pay periods settled'],
  'pay_period.reopened': ['pay period reopened', 'pay periods reopened'],
  'pay_period.removed': ['pay period removed', 'pay periods removed'],
  'employee.joined': ['employee joined', 'employees joined'],
  'employee.moved': ['employee moved', 'employees moved'],
  'employee.left': ['employee left', 'employees left'],
  'department.added': ['department added', 'departments added'],
  'department.renamed': ['department renamed', 'departments renamed'],
  'department.manager_changed': ['department with another manager', 'departments with another manager'],
  'department.removed': ['department removed', 'departments removed'],
  'baseline.completed': ['list now watched', 'lists now watched'],
  'feed.complete': ['list of records published completely', 'lists of records published completely'],
  'trouble.began': ['trouble', 'troubles'],
  'trouble.ended': ['trouble over', 'troubles over'],
} as const;

/** `57 timesheets approved in 4 departments`, `2 timesheets changed, 1 pay period closed`. */
export function buildDigestTitle(alerts: readonly ShownAlert[]): string {
  const groups = [...Map.groupBy(alerts, ({ type }) => type)].sort(compareByWeight);
  const [only] = groups;
  return groups.length === 1 && only !== undefined
    ? countDepartments(describeGroup(only), only[1])
    : countGroups(groups);
}

function countGroups(groups: readonly Group[]): string {
  const rest = sumAlerts(groups.slice(MAX_PARTS).flatMap(([, group]) => group));
  const isLate = groups.every(isAfterClosing);
  const clauses = groups
    .slice(0, MAX_PARTS)
    .map((group) => (isLate ? describeAlerts(...group) : describeGroup(group)));
  const more = rest === 0 ? [] : [`${formatNumber(rest)} more`];
  const title = [...clauses, ...more].join(', ');
  return isLate
    ? addClosing(
        title,
        groups.flatMap(([, group]) => group),
      )
    : title;
}

type Group = readonly [PublishedType, readonly ShownAlert[]];

function describeGroup(group: Group): string {
  const title = describeAlerts(...group);
  return isAfterClosing(group) ? addClosing(title, group[1]) : title;
}

function addClosing(title: string, alerts: readonly ShownAlert[]): string {
  const isPerhaps = alerts.some(({ perhapsLate }) => perhapsLate === true);
  return isPerhaps ? `${title}, perhaps after closing` : `${title} after closing`;
}

/** Approvals that came in time are good news, late ones are not. */
function isAfterClosing([type, group]: Group): boolean {
  return ALERT_NEWS[type].isGoodInTime === true && group.every(({ irreversible }) => irreversible === true);
}

/** `57 timesheets approved`. */
export function countAlerts(type: PublishedType, count: number): string {
  const [one, several] = COUNTED[toShortType(type)];
  return formatCount(count, one, several);
}

/** The same, of these alerts. */
export function describeAlerts(type: PublishedType, group: readonly ShownAlert[]): string {
  const count =
    ALERT_NEWS[type].countsRecords === true
      ? new Set(group.map(({ id, connection, subject }) => JSON.stringify([connection, subject ?? id]))).size
      : sumAlerts(group);
  return countAlerts(type, count);
}

/** How many alerts these are, with those that they stand for. */
export function sumAlerts(alerts: readonly ShownAlert[]): number {
  return alerts.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** The same without departments unless every alert has one. */
function countDepartments(title: string, group: readonly ShownAlert[]): string {
  if (group.some(({ department }) => department === null)) return title;
  const count = new Set(group.map(({ connection, department }) => JSON.stringify([connection, department])))
    .size;
  return `${title} in ${formatCount(count, 'department')}`;
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
