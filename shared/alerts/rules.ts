import * as z from 'zod';
import { ABSENCE_FIELDS } from '../absences/absences.ts';
import { ALERT_NEWS, ENDED_TROUBLES, MISSING_CLOCKINGS } from '../core/definitions/alert-news.ts';
import type { PublishedType } from '../core/event-types.ts';
import { ALERT_TYPES } from './alert.ts';
import { isWithin, type PartOfDay } from './quiet-hours.ts';

/** Conditions of a rule besides the type. All that are given must hold; of a list, any value may match. */
export interface RuleCondition {
  readonly connection?: readonly string[] | undefined;
  readonly organisationId?: readonly string[] | undefined;
  readonly departmentId?: readonly string[] | undefined;
  readonly calendar?: readonly string[] | undefined;
  readonly late?: boolean | readonly string[] | undefined;
  readonly timeOfDay?: PartOfDay | undefined;
  readonly hoursChangedBy?: number | undefined;
}

export interface Rule {
  readonly types: readonly PublishedType[];
  readonly when: RuleCondition;
  /** Names of channels; all of them when absent. */
  readonly channels?: readonly string[] | undefined;
  readonly urgent: boolean;
  /** Template of the line, with `{sentence}`, `{connection}` and `{type}`. */
  readonly words: string;
}

/** What the conditions of rules are tested against. */
export interface Facts {
  readonly type: PublishedType;
  readonly connection: string;
  readonly timeZone: string;
  /** When it was observed, in milliseconds since 1970. */
  readonly at: number;
  /** Before and after: both ids when a record changed its organisation, department or calendar. */
  readonly organisationIds: readonly string[];
  readonly departmentIds: readonly string[];
  readonly calendars: readonly string[];
  /** What stood before the change: `approval`, `processing`, `close`; null for types that cannot be late. */
  readonly late: readonly string[] | null;
  /** What this event settles, with the facts as they were then as far as they are known. */
  readonly settles: readonly (Pick<Facts, 'type' | 'late'> & Partial<Pick<Facts, 'at'>>)[];
  /** Absolute change of the payable hours of a timesheet; null when they did not change. */
  readonly hoursChanged: number | null;
  /** Set for `pay_period.readiness`. */
  readonly readiness: ReadinessFacts | null;
}

/** What a channel must know of a moment before a deadline. */
interface ReadinessFacts {
  /** A reminder is due, for the channels that rules select; otherwise a daily summary alone. */
  readonly isReminder: boolean;
  /** Times of day of the daily summaries that are due. */
  readonly summaries: readonly string[];
  /** In milliseconds since 1970. */
  readonly deadline: number | null;
}

/** A channel that at least one rule selects for an event. */
export interface Match {
  readonly channel: string;
  readonly urgent: boolean;
  /** Words of the first matching rule. */
  readonly words: string;
  /** No rule asks for the event itself, only for what it ends. */
  readonly isEnd?: true;
}

/** Hours are sums of decimals and are compared rounded to 4 of them, the most that people enter. */
const HOURS_PRECISION = 10_000;

const text = z.string().nullish().catch(null);
const missingSince = z.iso.datetime().nullish().catch(null);
const stateSchema = z
  .object({
    departmentId: text,
    organisationWorkedId: text,
    calendar: text,
    hoursToPay: z.number().optional().catch(undefined),
    clockInMissing: missingSince,
    clockOutMissing: missingSince,
  })
  .nullish()
  .catch(null);
const dataSchema = z.object({
  late: z.array(z.string()).nullish().catch(null),
  previousOrganisationId: text,
  previousDepartmentId: text,
  current: stateSchema,
  previous: stateSchema,
  reminder: z.looseObject({}).nullish().catch(null),
  summaries: z.array(z.string()).nullish().catch(null),
  deadline: z.iso.datetime().nullish().catch(null),
  settles: z
    .array(z.object({ type: z.enum(ALERT_TYPES), late: z.array(z.string()) }))
    .nullish()
    .catch(null),
});
type Data = z.output<typeof dataSchema>;
type States = Pick<Data, 'current' | 'previous'>;

/** The members of an event that facts are read from. */
export interface FactualEvent {
  readonly type: PublishedType;
  readonly connection: string;
  /** RFC 3339. */
  readonly time: string;
  readonly data: object;
}

/** What the conditions of rules need of an event. `timeZone`: that of its connection. */
export function readFacts({ type, connection, time, data }: FactualEvent, timeZone: string): Facts {
  const read = dataSchema.parse(data);
  const { late, current, previous, settles, reminder, summaries, deadline, ...former } = read;
  const values = (name: 'departmentId' | 'organisationWorkedId' | 'calendar', left?: string | null) =>
    [current?.[name], previous?.[name], left].filter((value) => typeof value === 'string');
  return {
    type,
    connection,
    timeZone,
    at: Date.parse(time),
    organisationIds: values('organisationWorkedId', former.previousOrganisationId),
    departmentIds: values('departmentId', former.previousDepartmentId),
    calendars: values('calendar'),
    late: late ?? null,
    settles: settles ?? [...listEnded(type), ...listEndedClockings(type, read)],
    hoursChanged: computeHoursChanged({ current, previous }),
    readiness:
      ALERT_NEWS[type].isReadiness === true
        ? {
            isReminder: reminder != null,
            summaries: summaries ?? [],
            deadline: deadline == null ? null : Date.parse(deadline),
          }
        : null,
  };
}

function listEnded(type: PublishedType): Facts['settles'] {
  const trouble = ENDED_TROUBLES[type];
  return trouble === undefined ? [] : [{ type: trouble, late: null }];
}

/** Missing clockings that ended, as of when they began to be missing. */
function listEndedClockings(type: PublishedType, { previous }: Data): Facts['settles'] {
  if (ALERT_NEWS[type].endsClocking !== true) return [];
  return ABSENCE_FIELDS.flatMap((field) => {
    const since = previous?.[field];
    return since == null ? [] : [{ type: MISSING_CLOCKINGS[field], late: [], at: Date.parse(since) }];
  });
}

/** A timesheet that was added or removed changed by all its hours. `previous` has them only when they changed. */
function computeHoursChanged({ current, previous }: States): number | null {
  const before = previous == null ? 0 : previous.hoursToPay;
  const after = current == null ? 0 : current.hoursToPay;
  if (before === undefined || after === undefined) return null;
  return Math.round(Math.abs(after - before) * HOURS_PRECISION) / HOURS_PRECISION;
}

/**
 * The channels that at least one rule selects, in their order. Urgent when any matching rule is. When a
 * problem ends, those who heard of it hear of that: an event is also selected by the rules for what it ends, not urgently.
 */
export function matchRules(facts: Facts, rules: readonly Rule[], channels: readonly string[]): Match[] {
  // A daily summary goes to the channels that ask for it, whatever the rules say.
  if (facts.readiness?.isReminder === false) return [];
  const holding = rules.filter((rule) => selects(rule, facts));
  const settled = facts.settles.map((former) => ({ ...facts, ...former, hoursChanged: null }));
  const settling = rules.filter((rule) => settled.some((former) => selects(rule, former)));
  return channels.flatMap((channel) => {
    const isFor = (rule: Rule) => rule.channels?.includes(channel) ?? true;
    const matching = holding.filter(isFor);
    const first = matching[0] ?? settling.find(isFor);
    if (first === undefined) return [];
    const urgent = matching.some((rule) => rule.urgent);
    return [{ channel, urgent, words: first.words, ...(matching.length === 0 ? { isEnd: true } : {}) }];
  });
}

function selects({ types, when }: Rule, facts: Facts): boolean {
  return types.includes(facts.type) && holds(when, facts);
}

/** The places (from 0) of all rules that select a channel for an event. */
export function findMatchingRules(facts: Facts, rules: readonly Rule[], channel: string): number[] {
  return [...rules.entries()]
    .filter(([, rule]) => matchRules(facts, [rule], [channel]).length > 0)
    .map(([place]) => place);
}

function holds(when: RuleCondition, facts: Facts): boolean {
  return (
    isAmong(when.connection, [facts.connection]) &&
    isAmong(when.organisationId, facts.organisationIds) &&
    isAmong(when.departmentId, facts.departmentIds) &&
    isAmong(when.calendar, facts.calendars) &&
    isLate(when.late, facts.late) &&
    (when.timeOfDay === undefined || isWithin(when.timeOfDay, facts.at, facts.timeZone)) &&
    (when.hoursChangedBy === undefined || (facts.hoursChanged ?? 0) >= when.hoursChangedBy)
  );
}

function isAmong(wanted: readonly string[] | undefined, values: readonly string[]): boolean {
  return wanted === undefined || values.some((value) => wanted.includes(value));
}

function isLate(wanted: RuleCondition['late'], late: Facts['late']): boolean {
  if (wanted === undefined) return true;
  if (late === null) return false;
  return typeof wanted === 'boolean'
    ? wanted === late.length > 0
    : late.some((each) => wanted.includes(each));
}
