import { type Language, sayCount } from '#shared/languages/language.ts';
import { isDate } from '../../core/dates.ts';
import type { DescribableEvent } from '../../core/definitions/sentences.ts';
import { WHOLE_LIST } from '../../core/records/feed-definition.ts';
import type { Alert } from '../alert.ts';

type Data = Readonly<Record<string, unknown>>;

/** Fields that an event emptied; nothing when it also set or changed a value. */
export function readLoss({ data }: DescribableEvent): Pick<Alert, 'lost'> {
  const { changed, current, previous } = data as Data;
  const slice = sliceOf(current) ?? sliceOf(previous);
  if (!Array.isArray(changed) || changed.length === 0 || slice === null) return {};
  const isLost = (field: string) => readValue(current, field) === null && readValue(previous, field) !== null;
  return changed.every(isLost) ? { lost: { slice, fields: changed } } : {};
}

/** What a mass change covers; nothing for any other event. */
export function readMassChange({ type, data }: DescribableEvent): Pick<Alert, 'mass'> {
  if (type !== 'workforce.slice.mass_change') return {};
  const { slice, field, firstSeenAt, confirmedAt } = data;
  return { mass: { slice, field, from: Date.parse(firstSeenAt), to: Date.parse(confirmedAt) } };
}

/** Replaces the members of each mass change by their number in its line. It is urgent when one of them is. */
export function mergeMassMembers(alerts: readonly Alert[], language: Language): Alert[] {
  const masses = alerts.filter(({ mass }) => mass !== undefined);
  const membersOf = Map.groupBy(alerts, (alert) => masses.find((mass) => belongsTo(alert, mass)));
  return (membersOf.get(undefined) ?? []).map((alert) =>
    mergeMembers(alert, membersOf.get(alert) ?? [], language),
  );
}

function belongsTo({ connection, lost, at }: Alert, { mass, ...change }: Alert): boolean {
  if (mass === undefined || lost === undefined || connection !== change.connection) return false;
  // The mass change is the last event of a poll, so members may be later than the confirmation.
  const isSamePoll = mass.from <= at && at <= Math.max(mass.to, change.at);
  return isSamePoll && lost.slice === mass.slice && lost.fields.length === 1 && lost.fields[0] === mass.field;
}

function mergeMembers(alert: Alert, members: readonly Alert[], language: Language): Alert {
  if (members.length === 0) return alert;
  return {
    ...alert,
    line: sayCount(language.digest.notListed, members.length, language, { line: alert.line }),
    urgent: alert.urgent || members.some(({ urgent }) => urgent),
  };
}

/** The slice of a record: the date of a timesheet, or the whole list for a pay period. */
function sliceOf(state: unknown): string | null {
  if (typeof state !== 'object' || state === null) return null;
  const { date, startDate } = state as Data;
  if (typeof date === 'string' && isDate(date)) return date;
  return startDate === undefined ? null : WHOLE_LIST;
}

function readValue(state: unknown, field: string): unknown {
  return (state as Data | null)?.[field] ?? null;
}
