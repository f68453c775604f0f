import * as z from 'zod';
import { addDays, toLocalDate } from '../core/dates.ts';
import { fitLine } from '../core/messages/clean-text.ts';
import { formatDay } from '../core/messages/moments.ts';
import { formatChange, formatCount, formatNumber } from '../core/messages/numbers.ts';
import { describePeriodOf } from '../core/messages/pay-period-sentences.ts';
import { type Audience, envelope, recordData, toTimeContext } from '../core/messages/record-events.ts';
import { tolerant } from '../core/tolerant.ts';
import { type OpenSum, outstandingMembers } from './outstanding-data.ts';

/** An event about what is still open of a closed pay period, as far as its sentence needs it. */
export const outstandingEventSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.outstanding'),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    outstanding: tolerant(outstandingMembers.outstanding),
  }),
});
export type OutstandingEvent = z.output<typeof outstandingEventSchema>;

export function isOutstandingEvent(event: { readonly type: string }): event is OutstandingEvent {
  return event.type === outstandingEventSchema.shape.type.value;
}

/** Something is open, or was when it was told last. */
export function isOpenNews({ timesheets, before }: Pick<OpenSum, 'timesheets' | 'before'>): boolean {
  return (timesheets ?? 0) > 0 || (before?.timesheets ?? 0) > 0;
}

export function toOpenSum({ data, time }: OutstandingEvent, audience: Audience): OpenSum {
  const { timesheets, hours, complete } = data.outstanding ?? { timesheets: null, hours: 0, complete: true };
  const period = describePeriodOf(data, toTimeContext(time, audience));
  return { period, timesheets, hours, complete, before: audience.openBefore ?? null };
}

/** `Pay period Weekly 9-15 Nov: 3 timesheets, +4.5 h still open since it closed (5, +6 h yesterday).` */
export function toOutstandingSentence(event: OutstandingEvent, audience: Audience): string {
  const open = toOpenSum(event, audience);
  const { timesheets, period } = open;
  const seen = { at: Date.parse(event.time), timeZone: audience.timeZone, isHeld: audience.isHeld === true };
  const notes = listNotes([open], seen);
  const said =
    timesheets === null
      ? 'it is not known what is still open since it closed'
      : `${timesheets === 0 ? 'nothing' : describeSum(open)} ${timesheets === 0 ? 'is open any more' : 'still open'} since it closed`;
  return fitLine(`Pay period ${period}: ${said}${inBrackets(notes)}`, '.');
}

export function buildOutstandingHeading(
  event: OutstandingEvent,
  audience: Audience,
  max: number,
): string | undefined {
  const { period, ...open } = toOpenSum(event, audience);
  if (open.timesheets === null) return undefined;
  const said = open.timesheets === 0 ? 'nothing is open any more' : `${describeSum(open)} still open`;
  return [`${period}: ${said} since it closed`, `${period}: ${said}`].find(({ length }) => length <= max);
}

/** Where and when a line is read. */
export interface OpenSeen {
  /** When the latest of it was observed, in milliseconds since 1970. */
  readonly at: number;
  readonly timeZone: string;
  /** It is read on another day. */
  readonly isHeld: boolean;
}

/**
 * One line about all of them: `Still open since closing: 3 timesheets, +4.5 h in 2 pay periods (5, +6 h yesterday; 1 more
 * not known)`. Null where all that there is to say is that nothing is known.
 */
export function describeOpen(periods: readonly OpenSum[], seen: OpenSeen): string | null {
  if (!periods.some(isOpenNews)) return null;
  const open = periods.filter(({ timesheets }) => (timesheets ?? 0) > 0);
  const [first, ...others] = open;
  const notes = inBrackets(listNotes(periods, seen));
  if (first === undefined) {
    const isLost = periods.some(({ timesheets, before }) => timesheets === null && before !== null);
    return isLost
      ? `It is not known any more what is open since closing${notes}`
      : `Since closing nothing is open any more${notes}`;
  }
  const sum = describeSum(addUp(open));
  return others.length === 0
    ? `Still open of ${first.period}: ${sum}${notes}`
    : `Still open since closing: ${sum} in ${formatCount(open.length, 'pay period')}${notes}`;
}

function describeSum({ timesheets, hours }: Pick<OpenSum, 'timesheets' | 'hours'>): string {
  return `${formatCount(timesheets ?? 0, 'timesheet')}, ${formatChange(hours)}`;
}

function addUp(all: readonly Pick<OpenSum, 'timesheets' | 'hours'>[]) {
  return {
    timesheets: all.reduce((sum, { timesheets }) => sum + (timesheets ?? 0), 0),
    hours: all.reduce((sum, { hours }) => sum + hours, 0),
  };
}

function inBrackets(notes: readonly string[]): string {
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

/** What it was before, and what of it is not known. */
function listNotes(periods: readonly OpenSum[], seen: OpenSeen): string[] {
  const unknown = periods.filter(({ timesheets }) => timesheets === null).length;
  const isPart = periods.some(({ complete }) => !complete);
  const isAlone = periods.length === unknown;
  return [
    ...describeBefore(periods, seen),
    ...(isPart ? ['without what was added or removed'] : []),
    ...(unknown === 0 || isAlone ? [] : [`${formatNumber(unknown)} more not known`]),
  ];
}

/** `5, +6 h yesterday`, `unchanged since Fri 6 Nov`. Nothing where nothing was open. */
function describeBefore(periods: readonly OpenSum[], { at, timeZone, isHeld }: OpenSeen): string[] {
  const before = periods.flatMap((each) =>
    each.before !== null && each.before.timesheets > 0 ? [each.before] : [],
  );
  const [day, today] = [Math.min(...before.map((each) => each.at)), at].map((each) =>
    Number.isFinite(each) ? toLocalDate(each, timeZone) : undefined,
  );
  if (day === undefined || today === undefined || day === today) return [];
  const isYesterday = !isHeld && day === addDays(today, -1);
  const then = isYesterday ? 'yesterday' : formatDay(day, { year: today.slice(0, 4) });
  const sum = addUp(before);
  const isSame = periods.every(
    (each) => each.timesheets === (each.before?.timesheets ?? 0) && each.hours === (each.before?.hours ?? 0),
  );
  if (isSame) return [`unchanged since ${then}`];
  return [`${formatNumber(sum.timesheets)}, ${formatChange(sum.hours)} ${isYesterday ? then : `on ${then}`}`];
}
