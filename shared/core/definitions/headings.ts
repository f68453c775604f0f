import { toShortType } from '../event-types.ts';
import { cleanText } from '../messages/clean-text.ts';
import { fitNetEffect } from '../messages/net-effect.ts';
import { buildClosingHeadline } from '../messages/pay-period-sentences.ts';
import { isSubject, MAX_SUBJECT_CHARACTERS } from '../messages/plain-headlines.ts';
import { readTimesheetStory } from '../messages/read-timesheet-story.ts';
import { buildReadinessHeadline } from '../messages/readiness-sentences.ts';
import type { Audience } from '../messages/record-events.ts';
import { buildStatementHeadline } from '../messages/statement-sentences.ts';
import { isTimesheetEvent } from '../messages/timesheet-sentences.ts';
import type { TimesheetStory } from '../messages/timesheet-story.ts';
import { toPlainHeading } from './alert-news.ts';
import { OPERATION_WORDS } from './operation-words.ts';
import { type DescribableEvent, isOperationEvent, toSentence } from './sentences.ts';

const MAX_NAME_CHARACTERS = 24;

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
    headlines.find((headline) => headline !== undefined && isSubject(headline)) ?? toPlainHeading(event.type)
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
  if (isOperationEvent(event)) return fillTemplate(OPERATION_WORDS[toShortType(event.type)].heading, event);
  if (event.type === 'workforce.record.forgotten')
    return fillTemplate('One of the {lists} is forgotten: erase your copy of it', event);
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
