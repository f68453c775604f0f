import { describeMissing } from '../../absences/absence-sentences.ts';
import { say } from '../../languages/text.ts';
import { readClockTime } from '../messages/clock-times.ts';
import { describeOccurrence } from '../messages/record-events.ts';
import type { SentenceContext } from '../messages/timesheet-sentences.ts';
import { done, undone } from '../messages/timesheet-story.ts';
import { askIfLate } from './timesheet-actions.ts';

export type Clocking = 'clockIn' | 'clockOut';

/** What a sentence says of a clocking, and the story of its timesheet. */
export type SaidOfClocking = readonly [said: string, step: string];

/** `clocked in at 09:01`. */
export function describeClocked(field: Clocking, context: SentenceContext): SaidOfClocking {
  const words = context.language.timesheets.clockings[field];
  const after = readClockTime(context.data.current?.[field], context.onItsDay);
  const said =
    after == null
      ? say(words.untimed, { when: describeOccurrence(context.data, context.timeContext) })
      : say(words.at, { at: after.at });
  return [said, said];
}

/** `clock-in 09:01 -> 09:00`. */
export function describeCorrected(
  field: Clocking,
  { data, onItsDay, language }: SentenceContext,
): SaidOfClocking {
  const { [field]: words, noTime } = language.timesheets.clockings;
  const before = readClockTime(data.previous?.[field], onItsDay);
  const after = readClockTime(data.current?.[field], onItsDay);
  const details = after == null ? words.details : say(words.detailsAt, { at: after.at });
  const said =
    before?.text === after?.text
      ? details
      : say(words.corrected, { before: before?.text ?? noTime, after: after?.text ?? noTime });
  return [said, said];
}

/** `the clock-in at 09:00 was removed at 10:01`, `clock-in at 09:00 removed`. */
export function describeRemoved(field: Clocking, context: SentenceContext): SaidOfClocking {
  const words = context.language.timesheets.clockings[field];
  const before = readClockTime(context.data.previous?.[field], context.onItsDay);
  if (before == null)
    return [
      say(words.removed, { when: describeOccurrence(context.data, context.timeContext) }),
      words.removedStep,
    ];
  const { at } = before;
  return [
    say(words.removedAt, { at, when: describeOccurrence(context.data, context.timeContext) }),
    say(words.removedStepAt, { at }),
  ];
}

/** A clocking that came, changed or went asks for a check where it came late. */
export function describeClocking(aspect: string, describe: (context: SentenceContext) => SaidOfClocking) {
  return {
    clauses: (context: SentenceContext) => ({ said: describe(context)[0] }),
    step: (context: SentenceContext) => undone(aspect, describe(context)[1]),
    asks: (context: SentenceContext) => askIfLate(context, 'check', describe(context)[1]),
  };
}

export function describeAbsence(clocking: Clocking, aspect: string) {
  return {
    clauses: (context: SentenceContext) => ({ said: describeMissing(clocking, context) }),
    step: (context: SentenceContext) => done(aspect, describeMissing(clocking, context), false),
    absent: clocking,
  };
}
