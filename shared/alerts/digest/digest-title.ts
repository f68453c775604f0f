import { type Language, sayCount } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import { ALERT_NEWS } from '../../core/definitions/alert-news.ts';
import type { PublishedType } from '../../core/event-types.ts';
import { ALERT_TYPES, type ShownAlert } from '../alert.ts';

/** Types that a title counts separately; the rest is one number. */
const MAX_PARTS = 4;

/** `57 timesheets approved in 4 departments`, `2 timesheets changed, 1 pay period closed`. */
export function buildDigestTitle(alerts: readonly ShownAlert[], language: Language): string {
  const groups = [...Map.groupBy(alerts, ({ type }) => type)].sort(compareByWeight);
  const [only] = groups;
  return groups.length === 1 && only !== undefined
    ? countDepartments(describeGroup(only, language), only[1], language)
    : countGroups(groups, language);
}

function countGroups(groups: readonly Group[], language: Language): string {
  const rest = sumAlerts(groups.slice(MAX_PARTS).flatMap(([, group]) => group));
  const isLate = groups.every(isAfterClosing);
  const clauses = groups
    .slice(0, MAX_PARTS)
    .map((group) => (isLate ? describeAlerts(...group, language) : describeGroup(group, language)));
  const more = rest === 0 ? [] : [sayCount(language.forms.more, rest, language)];
  const title = [...clauses, ...more].join(', ');
  return isLate
    ? addClosing(
        title,
        groups.flatMap(([, group]) => group),
        language,
      )
    : title;
}

type Group = readonly [PublishedType, readonly ShownAlert[]];

function describeGroup(group: Group, language: Language): string {
  const title = describeAlerts(...group, language);
  return isAfterClosing(group) ? addClosing(title, group[1], language) : title;
}

function addClosing(title: string, alerts: readonly ShownAlert[], { digest }: Language): string {
  const isPerhaps = alerts.some(({ perhapsLate }) => perhapsLate === true);
  return say(isPerhaps ? digest.perhapsAfterClosing : digest.afterClosing, { title });
}

/** Approvals that came in time are good news, late ones are not. */
function isAfterClosing([type, group]: Group): boolean {
  return ALERT_NEWS[type].isGoodInTime === true && group.every(({ irreversible }) => irreversible === true);
}

/** `57 timesheets approved`. */
export function describeAlerts(
  type: PublishedType,
  group: readonly ShownAlert[],
  language: Language,
): string {
  const { counted } = language.digest;
  const count =
    ALERT_NEWS[type].countsRecords === true
      ? new Set(group.map(({ id, connection, subject }) => JSON.stringify([connection, subject ?? id]))).size
      : sumAlerts(group);
  return sayCount(counted[type.slice('workforce.'.length) as keyof typeof counted], count, language);
}

/** How many alerts these are, with those that they stand for. */
export function sumAlerts(alerts: readonly ShownAlert[]): number {
  return alerts.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** The same without departments unless every alert has one. */
function countDepartments(title: string, group: readonly ShownAlert[], language: Language): string {
  if (group.some(({ department }) => department === null)) return title;
  const count = new Set(group.map(({ connection, department }) => JSON.stringify([connection, department])))
    .size;
  return sayCount(language.digest.inDepartments, count, language, { title });
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
