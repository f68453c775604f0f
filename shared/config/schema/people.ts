import * as z from 'zod';
import { type EventType, topicOf } from '#shared/core/event-types.ts';
import { asksFor } from '#shared/people/channels.ts';
import { NAMED_KINDS } from '#shared/people/names/names.ts';
import { isTimeWithin } from '#shared/people/quiet-hours.ts';
import { findTypes } from '#shared/people/types/all.ts';
import type { TypeEntry } from '#shared/people/types/entry.ts';
import type { EventTopicName } from '../names.ts';
import { type Channel, channelSchema } from './channel.ts';
import type { ConfigIssue } from './config-issues.ts';
import { type Links, linksSchema } from './links.ts';

export const peopleSchema = z.strictObject({
  /** Channels of Slack and Teams, and mailboxes. */
  channels: z.array(channelSchema).default([]),
  /**
   * Kinds of records that messages, the console, commands and assistants (`notifier mcp`) call by their names; all
   * others are called by their ids. The lists that have these names are polled every 20 minutes.
   */
  names: z.array(z.enum(NAMED_KINDS)).default([]),
  /** What people call the source, within a sentence: `Deputy`. Default: `the workforce service`. */
  serviceName: z
    .string()
    .regex(/^[^\p{C}<>|*_`~]{1,40}$/u, 'serviceName is at most 40 characters on one line, without markup')
    .optional(),
});
export type People = z.output<typeof peopleSchema>;

/** What the functions for alerts read of the config. */
export const alertingSchema = z.strictObject({
  ...peopleSchema.shape,
  ...linksSchema.shape,
  connections: z.array(z.strictObject({ name: z.string(), timeZone: z.string() })),
});
export type Alerting = z.output<typeof alertingSchema>;

/** Those of a whole config. */
export function readAlerting({ people, links, connections }: AlertingSections): Alerting {
  const zones = connections.map(({ name, timeZone }) => ({ name, timeZone }));
  return alertingSchema.parse({ ...people, ...links, connections: zones });
}

interface AlertingSections {
  readonly people: People;
  readonly links: Links;
  readonly connections: Alerting['connections'];
}

/** The times of day at which some channel gets a daily summary. */
export function listSummaryTimes({ channels }: Pick<People, 'channels'>): string[] {
  return [...new Set(channels.flatMap(({ dailySummary }) => dailySummary?.at ?? []))].sort();
}

/** Types that at least one channel needs, by topic, in the order of the catalogue. */
export function findNeededTypes({
  channels,
}: Pick<People, 'channels'>): ReadonlyMap<EventTopicName, readonly EventType[]> {
  const byTopic = new Map<EventTopicName, EventType[]>();
  for (const type of findTypes((entry) => channels.some((channel) => needs(channel, entry)))) {
    const topic = topicOf(type);
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), type]);
  }
  return byTopic;
}

type Told = Pick<TypeEntry<never>, 'tells' | 'endsClocking'>;

function needs(channel: Channel, { tells, endsClocking }: Told): boolean {
  // A daily summary is of what is due.
  if (tells === 'approvals' && channel.dailySummary !== undefined) return true;
  return asksFor(channel, tells) || (endsClocking === true && hearsOfClockings(channel));
}

function hearsOfClockings(channel: Channel): boolean {
  return asksFor(channel, 'missing-clockings');
}

/** What it settles was late, not it. */
const SETTLING: EventType = 'workforce.timesheet.processed';

/** Types that channels need only when they are late. */
export function findTypesNeededOnlyLate({ channels }: Pick<People, 'channels'>): ReadonlySet<EventType> {
  const needsEnds = channels.some(hearsOfClockings);
  return new Set(
    findTypes(
      ({ tells, endsClocking }) => tells === 'late-changes' && !(endsClocking === true && needsEnds),
    ).filter((type) => type !== SETTLING),
  );
}

/** Finds names that are used twice, and settings of a channel that do not go together. */
export function findPeopleIssues({ channels }: Pick<People, 'channels'>): ConfigIssue[] {
  const names = channels.map(({ name }) => name);
  const taken = [...names.entries()].filter(([index, name]) => names.indexOf(name) < index);
  return [
    ...taken.map(([index, name]) => ({
      path: ['channels', index, 'name'],
      message: `the name ${JSON.stringify(name)} is taken by an entry before it; use a unique name`,
    })),
    ...findHeldSummaryIssues(channels),
  ];
}

/** A summary of 06:00 that quiet hours hold until 07:00 says what was true an hour ago. */
function findHeldSummaryIssues(channels: People['channels']): ConfigIssue[] {
  return channels.flatMap(({ quietHours, dailySummary }, index) => {
    if (quietHours === undefined || dailySummary === undefined) return [];
    if (!isTimeWithin(quietHours, dailySummary.at)) return [];
    const message = `is in the quiet hours of this channel, which would hold the summary; use ${quietHours.to} or later`;
    return [{ path: ['channels', index, 'dailySummary', 'at'], message }];
  });
}
