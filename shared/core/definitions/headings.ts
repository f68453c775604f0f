import { toShortType } from '../event-types.ts';
import { cleanText } from '../messages/clean-text.ts';
import { fitsHeading, MAX_HEADING_CHARACTERS } from '../messages/heading-length.ts';
import { fitNetEffect } from '../messages/net-effect.ts';
import type { Audience } from '../messages/record-events.ts';
import { isTimesheetEvent } from '../messages/timesheet-sentences.ts';
import type { TimesheetStory } from '../messages/timesheet-story.ts';
import { toPlainHeading } from './alert-news.ts';
import { OPERATION_WORDS } from './operation-words.ts';
import { readTimesheetStory } from './read-timesheet-story.ts';
import {
  type DescribableEvent,
  isOperationEvent,
  isPayPeriodEvent,
  toSentence,
  wordsOf,
} from './sentences.ts';

const MAX_NAME_CHARACTERS = 24;

/**
 * A whole sentence for the subject of a mail, without the full stop: one per type, of at most 78 characters. `max`: how
 * many it should have, if possible.
 */
export function buildHeading(
  event: DescribableEvent,
  audience: Audience,
  max = MAX_HEADING_CHARACTERS,
): string {
  const headings = [max, MAX_HEADING_CHARACTERS].map((room) => findHeading(event, audience, room));
  return (
    headings.find((heading) => heading !== undefined && fitsHeading(heading)) ?? toPlainHeading(event.type)
  );
}

function findHeading(event: DescribableEvent, audience: Audience, max: number): string | undefined {
  if (isTimesheetEvent(event)) {
    const story = readTimesheetStory(event, audience);
    return fitNetEffect([story], max) ?? fitNetEffect([shortenStory(story)], max) ?? undefined;
  }
  if (isOperationEvent(event)) return fillTemplate(OPERATION_WORDS[toShortType(event.type)].heading, event);
  if (!isPayPeriodEvent(event))
    return fillTemplate('One of the {lists} is forgotten: erase your copy of it', event);
  const { heading } = wordsOf(event);
  if (heading !== undefined) return heading(event, audience, max);
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
