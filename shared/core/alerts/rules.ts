import * as z from 'zod';
import type { AlertType } from './alert.ts';
import { isWithin, type PartOfDay } from './quiet-hours.ts';

/** What must be so for a rule to hold besides the type: everything given; within a list any value does. */
export interface RuleCondition {
  readonly connection?: readonly string[] | undefined;
  readonly organisationId?: readonly string[] | undefined;
  readonly departmentId?: readonly string[] | undefined;
  readonly calendar?: readonly string[] | undefined;
  readonly late?: boolean | readonly string[] | undefined;
  readonly timeOfDay?: PartOfDay | undefined;
  readonly hoursChangedBy?: number | undefined;
}

/** Who is told of what. Without channels, all of them. */
export interface Rule {
  readonly types: readonly AlertType[];
  readonly when: RuleCondition;
  readonly channels?: readonly string[] | undefined;
  readonly urgent: boolean;
  readonly words: string;
}

/** What rules look at. */
export interface Facts {
  readonly type: AlertType;
  readonly connection: string;
  readonly timeZone: string;
  /** When we saw it, in milliseconds since 1970. */
  readonly at: number;
  /** Of a record that changed its organisation, department or calendar both. */
  readonly organisationIds: readonly string[];
  readonly departmentIds: readonly string[];
  readonly calendars: readonly string[];
  /** What already stood before; null for what is neither late nor in time. */
  readonly late: readonly string[] | null;
  /** Payable hours by which a timesheet became more or less, never negative; null when it did not. */
  readonly hoursChanged: number | null;
}

/** One channel that is to be told. */
export interface Match {
  readonly channel: string;
  readonly urgent: boolean;
  /** Of the first rule that holds. */
  readonly words: string;
}

/** Hours are sums of decimals: compared as people enter them at the finest. */
const HOURS_PRECISION = 10_000;

/** What rules look at in an event: few members of its data, and whatever else it holds. */
const text = z.string().nullish().catch(null);
const stateSchema = z
  .object({
    departmentId: text,
    organisationWorkedId: text,
    calendar: text,
    hoursToPay: z.number().optional().catch(undefined),
  })
  .nullish()
  .catch(null);
const dataSchema = z.object({
  late: z.array(z.string()).nullish().catch(null),
  previousOrganisationId: text,
  previousDepartmentId: text,
  current: stateSchema,
  previous: stateSchema,
});
type States = Pick<z.output<typeof dataSchema>, 'current' | 'previous'>;

/** An event as far as its facts go. `time` is RFC 3339. */
export interface FactualEvent {
  readonly type: AlertType;
  readonly connection: string;
  readonly time: string;
  readonly data: object;
}

export function readFacts({ type, connection, time, data }: FactualEvent, timeZone: string): Facts {
  const { late, current, previous, ...former } = dataSchema.parse(data);
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
    hoursChanged: computeHoursChanged({ current, previous }),
  };
}

/** A timesheet that came or went changed by all its hours; `previous` only has them when they changed. */
function computeHoursChanged({ current, previous }: States): number | null {
  const before = previous == null ? 0 : previous.hoursToPay;
  const after = current == null ? 0 : current.hoursToPay;
  if (before === undefined || after === undefined) return null;
  return Math.round(Math.abs(after - before) * HOURS_PRECISION) / HOURS_PRECISION;
}

/** Which channels are told by which words, in the order of the channels. Urgent when any rule says so. */
export function matchRules(facts: Facts, rules: readonly Rule[], channels: readonly string[]): Match[] {
  const holding = rules.filter((rule) => rule.types.includes(facts.type) && holds(rule.when, facts));
  return channels.flatMap((channel) => {
    const telling = holding.filter((rule) => rule.channels?.includes(channel) ?? true);
    const [first] = telling;
    if (first === undefined) return [];
    return [{ channel, urgent: telling.some(({ urgent }) => urgent), words: first.words }];
  });
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

/** Words that say of which connection they are. */
export function nameConnection(words: string): string {
  return words.includes('{connection}') ? words : `{connection}: ${words}`;
}

/** A rule's words with everything filled in. What is filled in is not looked into again. */
export function fillWords(
  words: string,
  values: Readonly<Record<'sentence' | 'connection' | 'type', string>>,
) {
  return words.replaceAll(/\{(sentence|connection|type)\}/g, (_, name: keyof typeof values) => values[name]);
}
