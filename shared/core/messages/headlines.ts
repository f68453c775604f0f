import type { EventType } from '../event-types.ts';
import { cleanText } from './clean-text.ts';
import { fitNetEffect } from './net-effect.ts';
import { buildClosingHeadline } from './pay-period-sentences.ts';
import { describePlainly, isSubject, MAX_SUBJECT_CHARACTERS } from './plain-headlines.ts';
import { readTimesheetStory } from './read-timesheet-story.ts';
import { buildReadinessHeadline } from './readiness-sentences.ts';
import type { Audience } from './record-events.ts';
import { type DescribableEvent, toSentence } from './sentences.ts';
import { buildStatementHeadline } from './statement-sentences.ts';
import { isTimesheetEvent } from './timesheet-sentences.ts';
import type { TimesheetStory } from './timesheet-story.ts';

const MAX_NAME_CHARACTERS = 24;

/** Headlines of operational events. `{lists}`: such as `timesheets of main`. `{webhook}`: its name. */
const OPERATION_HEADLINES: Partial<Record<EventType, string>> = {
  'workforce.baseline.completed': 'The {lists} are now watched',
  'workforce.source.unreachable': 'The {lists} cannot be read',
  'workforce.source.recovered': 'The {lists} can be read again',
  'workforce.record.quarantined': 'One of the {lists} is ignored: it cannot be read',
  'workforce.record.readable': 'One of the {lists} is read again',
  'workforce.slice.shrunk': 'Many of the {lists} disappeared at once',
  'workforce.slice.whole': 'A date of the {lists} is whole again',
  'workforce.poll.stalled': 'The {lists} are not read completely',
  'workforce.poll.resumed': 'The {lists} are read again',
  'workforce.record.forgotten': 'One of the {lists} is forgotten: erase your copy of it',
  'workforce.slice.unreadable': 'A date of the {lists} cannot be read',
  'workforce.slice.readable': 'A date of the {lists} can be read again',
  'workforce.feed.lagging': 'The {lists} are read late',
  'workforce.feed.caught_up': 'The {lists} are read in time again',
  'workforce.slice.mass_change': 'Many of the {lists} changed at once',
  'workforce.source.form_changed': 'The {lists} come in a form that cannot be read',
  'workforce.source.form_restored': 'The {lists} can be read again, in their old form',
  'workforce.publish.failed': 'Events about {lists} cannot be published',
  'workforce.delivery.failed': 'The webhook {webhook} did not accept an event',
  'workforce.delivery.recovered': 'The webhook {webhook} accepted an event after all',
  'workforce.webhook.disabled': 'The webhook {webhook} is disabled and gets no more events',
  'workforce.webhook.enabled': 'The webhook {webhook} gets events again',
};

/**
 * A whole sentence for the subject of a mail, without the full stop: one per type, of at most 78 characters. `max`: how
 * many it should have, if possible.
 */
export function buildHeadline(
  event: DescribableEvent,
  audience: Audience,
  max = MAX_SUBJECT_CHARACTERS,
): string {
  const headlines = [max, MAX_SUBJECT_CHARACTERS].map((room) => findHeadline(event, audience, room));
  return (
    headlines.find((headline) => headline !== undefined && isSubject(headline)) ?? describePlainly(event)
  );
}

function findHeadline(event: DescribableEvent, audience: Audience, max: number): string | undefined {
  if (event.type === 'workforce.pay_period.closed') return fitClosing(buildClosingHeadline(event, audience));
  if (event.type === 'workforce.pay_period.readiness') return buildReadinessHeadline(event, audience, max);
  if (event.type === 'workforce.pay_period.statement') return buildStatementHeadline(event, audience);
  if (isTimesheetEvent(event)) {
    const story = readTimesheetStory(event, audience);
    return fitNetEffect([story], max) ?? fitNetEffect([shortenStory(story)], max) ?? undefined;
  }
  const template = OPERATION_HEADLINES[event.type];
  if (template !== undefined) return fillTemplate(template, event);
  return toSentence(event, audience).replace(/\.$|(?<= was (?:reopened|removed|added)) .*$/, '');
}

/**
 * `no clock-out, planned 14:00`, `clocked out at 16:02 after all`: without how long ago, and what was planned. `removed`
 * without the hours.
 */
function shortenStory(story: TimesheetStory): TimesheetStory {
  const { step } = story;
  if (step?.aspect === 'record') return { ...story, hours: null, hoursBefore: null };
  if (step === null || !step.aspect.startsWith('missing ')) return story;
  const words = step.words.replace(/ \([^)]*\)$|(?<=after all), planned .*$/, '');
  return { ...story, step: { ...step, words } };
}

/** Numbers without the time at which they were counted would mislead, and go together with it. */
function fitClosing(headline: string): string {
  const short = headline.replace(/^Pay period /, '');
  const unapproved = short.replace(/(?<=\d not approved), [\d,]+ not processed/, '');
  const forms = [headline, short, unapproved, headline.replace(/: .*$/, '')];
  return forms.find(({ length }) => length <= MAX_SUBJECT_CHARACTERS) ?? headline;
}

function fillTemplate(template: string, { connection, data }: DescribableEvent): string {
  const feed = 'feed' in data && data.feed === 'pay-periods' ? 'pay periods' : 'timesheets';
  const webhook = 'webhook' in data && typeof data.webhook === 'string' ? data.webhook : '';
  return template
    .replace('{lists}', () => `${feed} of ${shortenName(connection)}`)
    .replace('{webhook}', () => shortenName(webhook));
}

function shortenName(text: string): string {
  const name = cleanText(text);
  return name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS - 3)}...`;
}
