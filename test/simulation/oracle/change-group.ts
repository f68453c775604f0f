import { isDeepStrictEqual } from 'node:util';
import { wrongManifest } from './close-manifests.ts';
import { type DueChange, type DueEvent, dueEvents } from './due-events.ts';
import type { Evidence, Told } from './evidence.ts';
import { wrongPeriods } from './late-by-close.ts';
import { instantsOf } from './local-time.ts';
import type { Watched } from './reading.ts';
import { dueSettles, noteMatters } from './settled-matters.ts';

/** The events of one observed change of a record. */
export interface ChangeGroup extends DueChange {
  readonly record: string;
  readonly events: readonly Told[];
  /** The poll that saw it. */
  readonly poll: number;
}

/** Ids of the forward events of the current facts, by field, and what the next processing settles. */
export type Standing = ReadonlyMap<string, string>;

/** Groups events by change: those of one change have the same two times of observation. */
export function groupsOf(events: readonly Told[]): Told[][] {
  const groups: Told[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first?.by === event.by && first.after === event.after) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

/** How the events of a change differ from those due; null when they do not. */
export function mismatchOf(group: ChangeGroup, standing: Standing, evidence: Evidence): string | null {
  const due = dueEvents(group);
  const types = due.map(({ type }) => type).join(', ');
  const told = group.events.map(({ type }) => type).join(', ');
  if (types !== told) return `told ${told} where ${types === '' ? 'nothing' : types} is due`;
  const now = new Map(standing);
  for (const [index, expected] of due.entries()) {
    const event = group.events[index];
    if (event === undefined) return 'an event is missing';
    const wrong = wrongMember(event, expected, { group, standing: now, evidence });
    if (wrong !== null) return `${event.type} ${event.sequence}: ${wrong}`;
    stand(now, expected, event);
  }
  return null;
}

/** Whether the last events of a change are missing: they may still wait in the outbox. */
export function isCutShort(group: ChangeGroup): boolean {
  const { events } = group;
  const due = dueEvents(group);
  return events.length < due.length && events.every(({ type }, index) => type === due[index]?.type);
}

/** Forward events of the facts after a change. */
export function standingAfter(group: ChangeGroup, standing: Standing): Standing {
  if (group.after === null) return new Map();
  const now = new Map(group.before === null ? [] : standing);
  for (const [index, expected] of dueEvents(group).entries()) {
    stand(now, expected, group.events[index]);
  }
  return now;
}

function stand(standing: Map<string, string>, { kind, fact, type }: DueEvent, event: Told | undefined): void {
  noteMatters(standing, type, event);
  if (fact === null) return;
  if (kind === 'off') standing.delete(fact.field);
  else if (type === fact.on) standing.set(fact.field, event?.id ?? '');
}

interface Around {
  readonly group: ChangeGroup;
  readonly standing: Standing;
  readonly evidence: Evidence;
}

function wrongMember(event: Told, expected: DueEvent, around: Around): string | null {
  const { group, standing, evidence } = around;
  const { observed, late, closedPeriods: _, payPeriods: __, occurredAt, closeManifest, ...rest } = event.data;
  const reverses =
    expected.kind === 'off' && expected.fact !== null ? standing.get(expected.fact.field) : undefined;
  const due = {
    ...identity(group),
    ...leftBehind(group, expected),
    current: expected.current,
    previous: expected.previous,
    changed: [...expected.changed],
    collapsed: expected.collapsed,
    ...(reverses === undefined ? {} : { reverses }),
    ...dueSettles(standing, expected.type),
  };
  for (const name of new Set([...Object.keys(due), ...Object.keys(rest)])) {
    const [is, should] = [rest[name], (due as Watched)[name]];
    if (!isDeepStrictEqual(is, should) && !isNarrower(is, should, around))
      return `${name} is ${JSON.stringify(is)}, due is ${JSON.stringify(should)}`;
  }
  if (!isDeepStrictEqual(Object.keys(observed as object).sort(), ['after', 'by']))
    return 'observed is not whole';
  return (
    wrongLate(late as string[], expected, group) ??
    (group.feed === 'timesheets' ? wrongPeriods({ event, expected, group }, evidence) : null) ??
    wrongOccurrence(occurredAt, expected, evidence.history.settings.connection.timeZone) ??
    wrongEnvelope(event, group) ??
    wrongManifest(event, closeManifest, evidence)
  );
}

/** Rows that a version with one watched field less wrote lack that field. */
function isNarrower(is: unknown, should: unknown, { group, evidence }: Around): boolean {
  if (evidence.history.breadth.widenedAt === null || group.after !== null) return false;
  return isDeepStrictEqual(Object.entries(is ?? {}), Object.entries(should ?? {}).slice(0, -1));
}

function identity({ feed, record, before, after }: ChangeGroup): Watched {
  if (feed === 'pay-periods') return { payPeriodId: record };
  if (feed === 'employees') return { employeeId: record };
  if (feed === 'departments') return { departmentId: record };
  const { employeeId, departmentId, organisationWorkedId } = after ?? before ?? {};
  return { timesheetId: record, employeeId, departmentId, organisationId: organisationWorkedId };
}

/** The department and the organisation that a timesheet leaves. */
function leftBehind({ feed, after }: ChangeGroup, { stood }: DueEvent): Watched {
  if (feed !== 'timesheets' || after === null || stood === null) return {};
  const names = [
    ['previousDepartmentId', 'departmentId'],
    ['previousOrganisationId', 'organisationWorkedId'],
  ] as const;
  const left = names.filter(([, field]) => stood[field] !== null && stood[field] !== after[field]);
  return Object.fromEntries(left.map(([name, field]) => [name, stood[field]]));
}

/** By what stood on the record itself; of a timesheet, its pay periods are another matter. */
function wrongLate(told: readonly string[], { late }: DueEvent, { feed }: ChangeGroup): string | null {
  const is = feed === 'timesheets' ? told.filter((word) => word !== 'close') : told;
  return isDeepStrictEqual(is, late)
    ? null
    : `late is ${JSON.stringify(told)}, due is ${JSON.stringify(late)}`;
}

function wrongOccurrence(is: unknown, { kind, fact, current }: DueEvent, timeZone: string): string | null {
  const tells = (kind === 'on' || kind === 'over') && fact !== null && fact.occurred !== null;
  const value = tells ? current?.[fact.field] : null;
  const text = fact?.occurred === 'localTime' ? (value as { localTime?: unknown } | null)?.localTime : value;
  if (typeof text !== 'string') return is === null ? null : `occurredAt is ${String(is)}, due is null`;
  const due = text.includes('T')
    ? instantsOf(text, timeZone).map((instant) => new Date(instant).toISOString())
    : [text];
  return due.includes(String(is)) ? null : `occurredAt is ${String(is)}, due is ${due.join(' or ')}`;
}

const RFC_3339_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function wrongEnvelope({ envelope, type, by }: Told, { feed, record }: ChangeGroup): string | null {
  const { id, epoch, sequence, data, dataschema, ...rest } = envelope;
  const due = {
    specversion: '1.0',
    source: `/connections/acme/${feed}`,
    type: `workforce.${type}`,
    subject: record,
    time: new Date(by).toISOString(),
    datacontenttype: 'application/json',
    connection: 'acme',
    partitionkey: `/connections/acme/${feed}/${record}`,
    traceparent: `00-${String(id)}-${String(id).slice(16)}-01`,
  };
  // The epoch may be ahead of the time, when the clock of its poll was.
  if (!RFC_3339_MS.test(String(epoch))) return `the epoch is ${epoch}`;
  if (!isDeepStrictEqual(rest, due)) return `the envelope is ${JSON.stringify(rest)}`;
  const { observed } = data as { observed: { by: string } };
  return observed.by === due.time && String(dataschema).includes(type) ? null : 'time or schema is wrong';
}
