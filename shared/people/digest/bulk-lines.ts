import type { Detail, ShownAlert } from '../alert.ts';
import { computeHoursDifference, formatDifference } from '../messages/net-effect.ts';
import { formatCount, formatHours, formatNumber } from '../messages/numbers.ts';
import type { TimesheetStory } from '../messages/timesheet-story.ts';
import { capitalize } from '../messages/wording.ts';
import { describeAlerts } from './digest-title.ts';
import { readStories } from './stories.ts';

/** From this many timesheets of one type on, a digest that is too long says numbers by department instead. */
const MIN_BULK = 5;
/** Departments of one type with a line of their own; the others share one. */
const MAX_DEPARTMENTS = 12;
/** Types whose timesheets have worked hours only later. */
const WITHOUT_HOURS = /\.clock/;

/** Types about what is missing: what else is does not matter yet. */
const MISSING_ITSELF = /_missing/;

/** Alerts of a long digest: those that are listed one by one, and lines about all others. */
export interface BulkSplit {
  readonly single: readonly ShownAlert[];
  readonly lines: readonly Detail[];
}

/** Urgent alerts and rare types stay single. */
export function splitBulk(alerts: readonly ShownAlert[]): BulkSplit {
  const isPlain = (alert: ShownAlert) => !alert.urgent && readStories([alert]).length > 0;
  const groups = [
    ...Map.groupBy(alerts.filter(isPlain), ({ connection, type }) =>
      JSON.stringify([connection, type]),
    ).values(),
  ].filter(({ length }) => length >= MIN_BULK);
  const bulk = new Set(groups.flat());
  const lines = groups.flatMap((group) => listDepartments(group));
  return { single: alerts.filter((alert) => !bulk.has(alert)), lines };
}

type Department = readonly [name: string, alerts: readonly ShownAlert[]];

/** The largest departments first. */
function listDepartments(alerts: readonly ShownAlert[]): Detail[] {
  const departments = [
    ...Map.groupBy(alerts, (alert) => readStories([alert]).at(-1)?.place ?? 'No department'),
  ].sort(([, a], [, b]) => b.length - a.length);
  const shown = departments.slice(0, MAX_DEPARTMENTS).map((each) => describeDepartment(each));
  const rest = departments.slice(MAX_DEPARTMENTS);
  if (rest.length === 0) return shown;
  const name = formatCount(rest.length, 'other department');
  return [...shown, describeDepartment([name, rest.flatMap(([, of]) => of)])];
}

/** `Kitchen: 14 timesheets approved, 112.5 h; 2 not processed`. */
function describeDepartment([name, alerts]: Department): Detail {
  const [first] = alerts;
  if (first === undefined) return { text: '', isInner: false };
  const { type, prefix = '' } = first;
  const place = capitalize(name);
  const hours = WITHOUT_HOURS.test(type) ? '' : describeHours(alerts);
  const missing = MISSING_ITSELF.test(type) ? '' : describeMissing(alerts);
  const sentence = `${prefix}${place}: ${describeAlerts(type, alerts)}${hours}${missing}.`;
  return { text: sentence, isInner: false, strong: [place] };
}

/** `, 57 h (+3.5)`. */
function describeHours(alerts: readonly ShownAlert[]): string {
  const hours = sum(alerts.map((alert) => readStories([alert]).at(-1)?.hours ?? 0));
  const difference = sum(alerts.map((alert) => computeHoursDifference(readStories([alert])) ?? 0));
  return `, ${formatHours(hours)}${difference === 0 ? '' : ` (${formatDifference(difference)})`}`;
}

/** What these timesheets still need before they are paid. Not processed is said where others are. */
function describeMissing(alerts: readonly ShownAlert[]): string {
  const states = alerts
    .map((alert) => readStories([alert]).at(-1))
    .filter((state): state is TimesheetStory => state !== undefined && state.hours !== null);
  const unapproved = states.filter(({ approved, processed }) => !(approved || processed)).length;
  const unprocessed = states.filter(({ approved, processed }) => approved && !processed).length;
  const clauses = [
    ...(unapproved === 0 ? [] : [`${formatNumber(unapproved)} not approved`]),
    ...(unprocessed === 0 ? [] : [`${formatNumber(unprocessed)} not processed`]),
  ];
  return clauses.length === 0 ? '' : `; ${clauses.join(', ')}`;
}

/** Rounded to 4 decimals, the most that people enter. */
function sum(values: readonly number[]): number {
  return Math.round(values.reduce((total, value) => total + value, 0) * 10_000) / 10_000;
}
