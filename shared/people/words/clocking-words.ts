import { describeMissing } from '../messages/absence-sentences.ts';
import { readClockTime } from '../messages/clock-times.ts';
import { describeOccurrence } from '../messages/record-events.ts';
import type { SentenceContext } from '../messages/timesheet-sentences.ts';
import { done, undone } from '../messages/timesheet-story.ts';
import { askIfLate } from './timesheet-actions.ts';

export type Clocking = 'clockIn' | 'clockOut';

/** What a sentence says of a clocking, and the story of its timesheet. */
export type SaidOfClocking = readonly [said: string, step: string];

const NAMES = { clockIn: 'clock-in', clockOut: 'clock-out' } as const;

/** `clocked in at 09:01`. */
export function describeClocked(field: Clocking, context: SentenceContext): SaidOfClocking {
  const after = readClockTime(context.data.current?.[field], context.onItsDay);
  const when = describeOccurrence(context.data, context.timeContext);
  const clocked = field === 'clockIn' ? 'clocked in' : 'clocked out';
  const said = after == null ? `${clocked} ${when}, no time recorded` : `${clocked} ${after.at}`;
  return [said, said];
}

/** `clock-in 09:01 -> 09:00`. */
export function describeCorrected(field: Clocking, { data, onItsDay }: SentenceContext): SaidOfClocking {
  const before = readClockTime(data.previous?.[field], onItsDay);
  const after = readClockTime(data.current?.[field], onItsDay);
  const name = NAMES[field];
  const said =
    before?.text === after?.text
      ? `details of the ${name}${after == null ? '' : ` ${after.at}`} changed`
      : `${name} ${before?.text ?? 'without time'} -> ${after?.text ?? 'without time'}`;
  return [said, said];
}

/** `the clock-in at 09:00 was removed at 10:01`, `clock-in at 09:00 removed`. */
export function describeRemoved(field: Clocking, context: SentenceContext): SaidOfClocking {
  const before = readClockTime(context.data.previous?.[field], context.onItsDay);
  const clocking = `${NAMES[field]}${before == null ? '' : ` ${before.at}`}`;
  const when = describeOccurrence(context.data, context.timeContext);
  return [`the ${clocking} was removed ${when}`, `${clocking} removed`];
}

/** A clocking that came, changed or went asks for a check where it came late. */
export function describeClocking(aspect: string, describe: (context: SentenceContext) => SaidOfClocking) {
  return {
    says: (context: SentenceContext) => toSaid('', describe(context)[0]),
    step: (context: SentenceContext) => undone(aspect, describe(context)[1]),
    asks: (context: SentenceContext) => askIfLate(context, 'check', describe(context)[1]),
  };
}

export function describeAbsence(clocking: Clocking, aspect: string) {
  return {
    says: (context: SentenceContext) => toSaid('', describeMissing(clocking, context)),
    step: (context: SentenceContext) => done(aspect, describeMissing(clocking, context), false),
    absent: clocking,
  };
}

/** What follows the name of a timesheet in a sentence, and the same below a heading that names it. */
export interface TimesheetSaid {
  readonly is: string;
  readonly facts: string;
}

export function toSaid(verb: 'was' | 'is' | '', facts: string): TimesheetSaid {
  return { is: `${verb === '' ? ':' : ` ${verb}`} ${facts}`, facts };
}
