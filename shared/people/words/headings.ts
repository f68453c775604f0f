import { toShortType } from '../../core/event-types.ts';
import { describeAbsent, describePlan } from '../messages/absence-sentences.ts';
import { cutHeading } from '../messages/cut-heading.ts';
import { isDirectoryEvent } from '../messages/directory-sentences.ts';
import { formatDay } from '../messages/moments.ts';
import { sayNetEffect } from '../messages/net-effect.ts';
import { describePeriodOf } from '../messages/pay-period-sentences.ts';
import { type Audience, toTimeContext } from '../messages/record-events.ts';
import { callRecord, nameOf } from '../messages/timesheet-fields.ts';
import {
  createSentenceContext,
  isTimesheetEvent,
  type TimesheetEvent,
} from '../messages/timesheet-sentences.ts';
import { DIRECTORY_WORDS } from './directory-words.ts';
import { describeOperation } from './operation-words.ts';
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

/** A sentence for the subject of a mail, without the full stop, cut at 78 characters: one per type. */
export function buildHeading(event: DescribableEvent, audience: Audience): string {
  return cutHeading(sayHeading(event, audience));
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
  if (!heading.includes(person)) return null;
  const { absent } = TIMESHEET_WORDS[toShortType(event.type)];
  const where = [place, date].filter((part) => part !== null).join(', ');
  const plan = absent === undefined ? [] : describePlan(absent, createSentenceContext(event, audience));
  return `${[where, ...plan].join(': ')}.`;
}

function nameAbsent(event: TimesheetEvent, audience: Audience) {
  const { names } = audience;
  const { employeeId, departmentId } = event.data;
  const { date } = createSentenceContext(event, audience);
  const isShown = names.departments.size > 0 && departmentId !== null;
  return {
    person: callRecord(employeeId, 'Employee', names.employees),
    place: isShown ? nameOf(names.departments, departmentId, 'department ') : null,
    date: date === null ? null : formatDay(date, toTimeContext(event.time, audience)),
  };
}

function nameIn(event: DescribableEvent, audience: Audience): string {
  if (isTimesheetEvent(event)) return nameWithin(event, audience);
  return isPayPeriodEvent(event) ? describePeriodOf(event.data, toTimeContext(event.time, audience)) : '';
}

/** `Hold back 3 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone`. */
function findAction(event: TimesheetEvent, audience: Audience): string | undefined {
  const context = createSentenceContext(event, audience);
  const { asks, absent } = TIMESHEET_WORDS[toShortType(event.type)];
  if (absent === undefined) return asks?.(context)?.(nameWithin(event, audience));
  return describeAbsent(absent, context, nameAbsent(event, audience).person);
}

function sayHeading(event: DescribableEvent, audience: Audience): string {
  if (isTimesheetEvent(event))
    return findAction(event, audience) ?? sayNetEffect([readTimesheetStory(event, audience)]);
  if (isOperationEvent(event)) return describeOperation(event, audience).heading;
  if (isDirectoryEvent(event)) return DIRECTORY_WORDS[toShortType(event.type)](event, audience);
  if (!isPayPeriodEvent(event)) return 'One of the timesheets is forgotten: erase your copy of it';
  const { heading, says } = wordsOf(event);
  return heading === undefined ? says(event, audience).sentence : heading(event, audience);
}
