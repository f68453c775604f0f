import * as z from 'zod';
import { EVENT_TYPES, type EventType, SNAPSHOT_TYPES, topicOf } from '#shared/core/event-types.ts';
import { EVENT_TOPIC_NAMES, FORMER_ATTRIBUTES, MESSAGE_ATTRIBUTES } from '../names.ts';
import type { ConfigIssue } from './config-issues.ts';

/** Limit of SNS for the combinations of values in one filter policy. */
const MAX_FILTER_COMBINATIONS = 150;

const ids = z
  .array(
    z.union([z.string().min(1), z.int()], { error: 'an id is a text or a whole number' }).transform(String),
  )
  .min(1)
  .optional();

const eventTypeSchema = z.enum(EVENT_TYPES, { error: (issue) => describeUnknownType(issue.input) });

/**
 * Events that match every field given; within a field, any value may match. An event without the attribute (an
 * operational event has no organisation) matches no value. A timesheet that leaves an organisation or a department
 * matches both the new one and the one it left.
 */
export const eventFilterSchema = z.strictObject({
  /** Full names of event types, such as `workforce.timesheet.approved`. */
  [MESSAGE_ATTRIBUTES.type]: z.array(eventTypeSchema).min(1).optional(),
  /** Names of connections. */
  [MESSAGE_ATTRIBUTES.connection]: z.array(z.string()).min(1).optional(),
  /** Organisations where the work was done. */
  [MESSAGE_ATTRIBUTES.organisationId]: ids,
  [MESSAGE_ATTRIBUTES.departmentId]: ids,
  /** `true`: changes after approval, processing or close; `false`: all others of records. */
  [MESSAGE_ATTRIBUTES.late]: z.boolean().optional(),
});
export type EventFilter = z.output<typeof eventFilterSchema>;

export const topicsSchema = z.array(z.enum(EVENT_TOPIC_NAMES)).min(1);

interface WantedEvents {
  readonly topics: readonly string[];
  readonly filter: EventFilter;
}

/** Finds types that are published to topics that are not subscribed. */
export function findUnreachableTypeIssues({ topics, filter }: WantedEvents): ConfigIssue[] {
  const types: readonly EventType[] = filter.type ?? [];
  return [...types.entries()].flatMap(([index, type]) => {
    const topic = topicOf(type);
    if (topics.includes(topic)) return [];
    const message = `${JSON.stringify(type)} is published to the topic ${topic}; add it to topics`;
    return [{ path: ['filter', 'type', index], message }];
  });
}

/** An issue when a filter has more combinations than SNS allows. */
export function findCombinationIssues(combinations: number): ConfigIssue[] {
  if (combinations <= MAX_FILTER_COMBINATIONS) return [];
  const message = `${combinations} combinations of values, and SNS allows ${MAX_FILTER_COMBINATIONS}; use fewer values, or several entries`;
  return [{ path: ['filter'], message }];
}

/** Product of the number of values per field. */
export function countCombinations(filter: EventFilter): number {
  const sizes = Object.values(filter).map((values) => (Array.isArray(values) ? values.length : 1));
  return sizes.reduce((product, size) => product * size, 1);
}

/** Combinations as SNS counts them: organisation and department count twice, as current and as former one. */
export function countCombinationsInSns(filter: EventFilter): number {
  const places = Object.keys(filter).filter((name) => name in FORMER_ATTRIBUTES);
  // The filter lets snapshots pass, too.
  const type = filter.type === undefined ? undefined : [...filter.type, ...SNAPSHOT_TYPES];
  return countCombinations({ ...filter, ...(type === undefined ? {} : { type }) }) * 2 ** places.length;
}

/**
 * A filter for SNS in front of a receiver that filters again: the whole filter, or all but organisations and
 * departments when that has too many combinations.
 */
export function coarsenFilter(filter: EventFilter): EventFilter {
  if (countCombinationsInSns(filter) <= MAX_FILTER_COMBINATIONS) return filter;
  const { organisationId: _, departmentId: __, ...rest } = filter;
  return rest;
}

function describeUnknownType(input: unknown): string {
  const text = String(input);
  if (text.includes('*')) return describeWildcard(text);
  const close = EVENT_TYPES.find((type) => type.endsWith(`.${text}`));
  const advice = close === undefined ? 'docs/events.md lists them all' : `use ${close}`;
  return `unknown event type ${JSON.stringify(input)}; ${advice}`;
}

/** Types that an advice names; docs/events.md has the others. */
const MAX_NAMED = 3;

/** SNS would take a prefix, and a type that a later version adds would come unasked. */
function describeWildcard(text: string): string {
  const prefix = text.slice(0, text.indexOf('*')).replace(/^workforce\./, '');
  const meant = EVENT_TYPES.filter((type) => type.startsWith(`workforce.${prefix}`));
  const more = meant.length > MAX_NAMED ? ` and ${meant.length - MAX_NAMED} more` : '';
  const named = meant.length === 0 ? '' : `: ${meant.slice(0, MAX_NAMED).join(', ')}${more}`;
  return `each type is named, ${JSON.stringify(text)} is none${named}; docs/events.md lists them all`;
}
