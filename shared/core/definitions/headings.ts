import { callRecord } from '../../readiness/readiness-sentences.ts';
import { toShortType } from '../event-types.ts';
import { cleanText } from '../messages/clean-text.ts';
import { fitsHeading, MAX_HEADING_CHARACTERS } from '../messages/heading-length.ts';
import { formatDay } from '../messages/moments.ts';
import { fitNetEffect } from '../messages/net-effect.ts';
import { type Audience, toTimeContext } from '../messages/record-events.ts';
import { nameOf } from '../messages/timesheet-fields.ts';
import {
  createSentenceContext,
  isTimesheetEvent,
  type TimesheetEvent,
} from '../messages/timesheet-sentences.ts';
import type { TimesheetStory } from '../messages/timesheet-story.ts';
import { ALERT_NEWS, toPlainHeading } from './alert-news.ts';
import { OPERATION_WORDS } from './operation-words.ts';
import { readTimesheetStory } from './read-timesheet-story.ts';
import {
  type DescribableEvent,
  describeForPay,
  describeSubject,
  isOperationEvent,
  isPayPeriodEvent,
  toPredicate,
  toSentence,
  wordsOf,
} from './sentences.ts';
import { TIMESHEET_WORDS } from './timesheet-words.ts';

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

/**
 * What a sentence says besides its heading, which names whom or what it is about: `Processed again at 13:50 with 3 h to
 * pay.` Null when the heading does not.
 */
export function buildFacts(event: DescribableEvent, audience: Audience, heading: string): string | null {
  if (isTimesheetEvent(event) && ALERT_NEWS[event.type].missing !== undefined)
    return describeAbsence(event, audience, heading);
  const sentence = toSentence(event, audience);
  if (isOperationEvent(event) && sentence.startsWith(`${heading}. `))
    return sentence.slice(heading.length + 2);
  const said = toPredicate(event, audience);
  if (said === null || !heading.includes(nameIn(event, audience))) return null;
  const short = isPayPeriodEvent(event) ? (wordsOf(event).facts?.(said) ?? said) : said;
  return `${short.slice(0, 1).toUpperCase()}${short.slice(1)}`;
}

/** `Sample Office, Thu 12 Nov: planned 08:00 (30 minutes ago).`, of somebody whose heading says what is missing. */
function describeAbsence(event: TimesheetEvent, audience: Audience, heading: string): string | null {
  const { person, place, date } = nameAbsent(event, audience);
  if (!heading.startsWith(person)) return null;
  const said = TIMESHEET_WORDS[toShortType(event.type)].says(createSentenceContext(event, audience));
  const where = [place, date].filter((part) => part !== null).join(', ');
  return `${where}${said.replace(/^: no clock-(?:in|out),?/, ':').replace(/:$/, '')}.`;
}

function nameAbsent(event: TimesheetEvent, audience: Audience) {
  const { names } = audience;
  const { employeeId, departmentId } = event.data;
  const { date } = createSentenceContext(event, audience);
  const isShown = names.departments.size > 0 && departmentId !== null;
  return {
    person: callRecord(employeeId, 'employee', names.employees),
    place: isShown ? nameOf(names.departments, departmentId, 'department ') : null,
    date: date === null ? null : formatDay(date, toTimeContext(event.time, audience)),
  };
}

function nameIn(event: DescribableEvent, audience: Audience): string {
  if (isTimesheetEvent(event)) return toWho(readTimesheetStory(event, audience));
  return describeSubject(event, audience)?.replace(/^Pay period /, '') ?? '';
}

/** Within a sentence. */
function toWho({ who }: TimesheetStory): string {
  return who.replace(/^Timesheet /, 'timesheet ');
}

/** `Hold back 3 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone`, without the reason where it has no room. */
function findAction(event: TimesheetEvent, audience: Audience, max: number): string | undefined {
  const asked = TIMESHEET_WORDS[toShortType(event.type)].asks?.(createSentenceContext(event, audience));
  if (asked == null) return undefined;
  const [action, why] = asked;
  if (action === '') {
    const { person, place } = nameAbsent(event, audience);
    return [`${person}${place === null ? '' : ` (${place})`}${why}`, `${person}${why}`].find(
      ({ length }) => length <= max,
    );
  }
  const whole = `${action} ${toWho(readTimesheetStory(event, audience))}`;
  return [`${whole}${why}`, whole].find(({ length }) => length <= max);
}

function findHeading(event: DescribableEvent, audience: Audience, max: number): string | undefined {
  if (isTimesheetEvent(event)) {
    const action = findAction(event, audience, max);
    if (action !== undefined) return action;
    const story = readTimesheetStory(event, audience);
    return fitNetEffect([story], max) ?? fitNetEffect([shortenStory(story)], max) ?? undefined;
  }
  if (isOperationEvent(event)) {
    const [forPay] = describeForPay(event, audience) ?? [];
    const own = fillTemplate(OPERATION_WORDS[toShortType(event.type)].heading, event, audience);
    return [forPay, forPay?.replace(/ since .*$/, ''), own].find(
      (form) => form !== undefined && form.length <= max,
    );
  }
  if (!isPayPeriodEvent(event))
    return fillTemplate('One of the {lists} is forgotten: erase your copy of it', event, audience);
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

function fillTemplate(
  template: string,
  { connection, data }: DescribableEvent,
  { namesConnection = true }: Audience,
): string {
  const feed = 'feed' in data && data.feed === 'pay-periods' ? 'pay periods' : 'timesheets';
  const webhook = 'webhook' in data && typeof data.webhook === 'string' ? data.webhook : '';
  return template
    .replace('{lists}', () => `${feed}${namesConnection ? ` of ${shortenName(connection)}` : ''}`)
    .replace('{webhook}', () => shortenName(webhook));
}

function shortenName(text: string): string {
  const name = cleanText(text);
  return name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS - 3)}...`;
}
