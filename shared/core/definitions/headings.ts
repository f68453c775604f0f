import { describeAbsent, describePlan } from '../../absences/absence-sentences.ts';
import { languageOf } from '../../languages/language.ts';
import { say } from '../../languages/text.ts';
import { callRecord } from '../../readiness/readiness-sentences.ts';
import { toShortType } from '../event-types.ts';
import { isDirectoryEvent } from '../messages/directory-sentences.ts';
import { fitsHeading, MAX_HEADING_CHARACTERS } from '../messages/heading-length.ts';
import { formatDay } from '../messages/moments.ts';
import { fitNetEffect } from '../messages/net-effect.ts';
import { describePeriodOf } from '../messages/pay-period-sentences.ts';
import { type Audience, toTimeContext } from '../messages/record-events.ts';
import { nameOf } from '../messages/timesheet-fields.ts';
import {
  createSentenceContext,
  isTimesheetEvent,
  type TimesheetEvent,
} from '../messages/timesheet-sentences.ts';
import type { TimesheetStory } from '../messages/timesheet-story.ts';
import { toPlainHeading } from './alert-news.ts';
import { DIRECTORY_WORDS } from './directory-words.ts';
import { describeOperation, nameFeed } from './operation-words.ts';
import { nameWithin, readTimesheetStory } from './read-timesheet-story.ts';
import {
  type DescribableEvent,
  isOperationEvent,
  isPayPeriodEvent,
  toPredicate,
  toSentence,
  wordsOf,
} from './sentences.ts';
import { TIMESHEET_WORDS } from './timesheet-words.ts';

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
    headings.find((heading) => heading !== undefined && fitsHeading(heading)) ??
    toPlainHeading(event.type, languageOf(audience))
  );
}

/**
 * What a sentence says besides its heading, which names whom or what it is about: `Processed again at 13:50 with 3 h to
 * pay.` Null when the heading does not.
 */
export function buildFacts(event: DescribableEvent, audience: Audience, heading: string): string | null {
  if (isTimesheetEvent(event) && TIMESHEET_WORDS[toShortType(event.type)].absent !== undefined)
    return describeAbsence(event, audience, heading);
  const sentence = toSentence(event, audience);
  if (isOperationEvent(event) && sentence.startsWith(`${heading}. `))
    return sentence.slice(heading.length + 2);
  return heading.includes(nameIn(event, audience)) ? toPredicate(event, audience) : null;
}

/** `Sample Office, Thu 12 Nov: planned 08:00 (30 minutes ago).`, of somebody whose heading says what is missing. */
function describeAbsence(event: TimesheetEvent, audience: Audience, heading: string): string | null {
  const { person, place, date } = nameAbsent(event, audience);
  if (!heading.includes(person) || heading === toPlainHeading(event.type, languageOf(audience))) return null;
  const { absent } = TIMESHEET_WORDS[toShortType(event.type)];
  const where = [place, date].filter((part) => part !== null).join(', ');
  const plan = absent === undefined ? [] : describePlan(absent, createSentenceContext(event, audience));
  return `${[where, ...plan].join(': ')}.`;
}

function nameAbsent(event: TimesheetEvent, audience: Audience) {
  const { names } = audience;
  const { employeeId, departmentId } = event.data;
  const { date, language } = createSentenceContext(event, audience);
  const isShown = names.departments.size > 0 && departmentId !== null;
  return {
    person: callRecord(employeeId, language.readiness.employees, names.employees),
    place: isShown ? nameOf(names.departments, departmentId, language.timesheets.department) : null,
    date: date === null ? null : formatDay(date, toTimeContext(event.time, audience)),
  };
}

function nameIn(event: DescribableEvent, audience: Audience): string {
  if (isTimesheetEvent(event)) return nameWithin(event, audience);
  return isPayPeriodEvent(event) ? describePeriodOf(event.data, toTimeContext(event.time, audience)) : '';
}

/** `Hold back 3 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone`, without the reason where it has no room. */
function findAction(event: TimesheetEvent, audience: Audience, max: number): string | undefined {
  const context = createSentenceContext(event, audience);
  const { asks, absent } = TIMESHEET_WORDS[toShortType(event.type)];
  const { person, place } = nameAbsent(event, audience);
  const { withPlaces } = context.language.timesheets;
  const placed = place === null ? person : say(withPlaces, { timesheet: person, places: place });
  const forms =
    absent === undefined
      ? (asks?.(context)?.(nameWithin(event, audience)) ?? [])
      : [placed, person].map((who) => describeAbsent(absent, context, who));
  return forms.find(({ length }) => length <= max);
}

function findHeading(event: DescribableEvent, audience: Audience, max: number): string | undefined {
  const language = languageOf(audience);
  if (isTimesheetEvent(event)) {
    const action = findAction(event, audience, max);
    if (action !== undefined) return action;
    const story = readTimesheetStory(event, audience);
    const shorter = shortenStory(story, event, audience);
    return fitNetEffect([story], max, language) ?? fitNetEffect([shorter], max, language) ?? undefined;
  }
  if (isOperationEvent(event)) {
    const { heading, brief } = describeOperation(event, audience);
    return [heading, brief].find(({ length }) => length <= max);
  }
  if (isDirectoryEvent(event)) return DIRECTORY_WORDS[toShortType(event.type)](event, audience);
  if (!isPayPeriodEvent(event))
    return say(language.operations.forgotten, { list: nameFeed('timesheets', language) });
  const { heading, says } = wordsOf(event);
  return heading === undefined ? says(event, audience).sentence : heading(event, audience, max);
}

/**
 * `no clock-out, planned 14:00`: without how long ago. `removed`
 * without the hours.
 */
function shortenStory(story: TimesheetStory, event: TimesheetEvent, audience: Audience): TimesheetStory {
  const { step } = story;
  if (step?.aspect === 'record') return { ...story, hours: null, hoursBefore: null };
  const { briefly } = TIMESHEET_WORDS[toShortType(event.type)];
  if (step === null || briefly === undefined) return story;
  return { ...story, step: { ...step, words: briefly(createSentenceContext(event, audience)) } };
}
