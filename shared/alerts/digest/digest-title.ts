import { ALERT_NEWS } from '../../core/definitions/alert-news.ts';
import { formatCount, formatNumber } from '../../core/messages/numbers.ts';
import { ALERT_TYPES, type AlertType, type ShownAlert } from '../alert.ts';

/** Types that a title counts separately; the rest is one number. */
const MAX_PARTS = 4;

/** `57 timesheets approved in 4 departments`, `2 timesheets changed, 1 pay period closed`. */
export function buildDigestTitle(alerts: readonly ShownAlert[]): string {
  const groups = [...Map.groupBy(alerts, ({ type }) => type)].sort(compareByWeight);
  const [only] = groups;
  if (groups.length === 1 && only !== undefined)
    return `${describeGroup(only)}${describeDepartments(only[1])}`;
  return countGroups(groups, MAX_PARTS);
}

/** The title with as many of its parts as there is room for in `max` characters, and the number of the others. */
export function buildDigestHeading(alerts: readonly ShownAlert[], max: number): string {
  const title = buildDigestTitle(alerts);
  const groups = [...Map.groupBy(alerts, ({ type }) => type)].sort(compareByWeight);
  const shorter = Array.from({ length: MAX_PARTS }, (_, at) => countGroups(groups, MAX_PARTS - at));
  return [title, ...shorter].find(({ length }) => length <= max) ?? title;
}

function countGroups(groups: readonly Group[], shown: number): string {
  const rest = sumAlerts(groups.slice(shown).flatMap(([, group]) => group));
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

function describeClosing(alerts: readonly ShownAlert[]): string {
  return alerts.some(({ perhapsLate }) => perhapsLate === true)
    ? ', perhaps after closing'
    : ' after closing';
}

/** Approvals that came in time are good news, late ones are not. */
function isAfterClosing([type, group]: Group): boolean {
  return ALERT_NEWS[type].isGoodInTime === true && group.every(({ irreversible }) => irreversible === true);
}

/** `57 timesheets approved`. */
export function describeAlerts(type: AlertType, group: readonly ShownAlert[]): string {
  const { counted, countsRecords } = ALERT_NEWS[type];
  const [noun, what, nouns = `${noun}s`] = counted;
  const count =
    countsRecords === true
      ? new Set(group.map(({ id, connection, subject }) => JSON.stringify([connection, subject ?? id]))).size
      : sumAlerts(group);
  return formatCount(count, `${noun} ${what}`.trim(), `${nouns} ${what}`.trim());
}

/** How many alerts these are, with those that they stand for. */
export function sumAlerts(alerts: readonly ShownAlert[]): number {
  return alerts.reduce((sum, { count = 1 }) => sum + count, 0);
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
