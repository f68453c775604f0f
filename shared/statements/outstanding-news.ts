import * as z from 'zod';
import { fitLine } from '../core/messages/clean-text.ts';
import { describePeriodOf } from '../core/messages/pay-period-sentences.ts';
import { type Audience, envelope, recordData, toTimeContext } from '../core/messages/record-events.ts';
import { tolerant } from '../core/tolerant.ts';
import { describeSum, inBrackets, listNotes } from './open-sum.ts';
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
