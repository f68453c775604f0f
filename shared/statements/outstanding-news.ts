import * as z from 'zod';
import { languageOf } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
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

/** What is open of its pay period, with its notes: `3 timesheets, +4.5 h still open since it closed (5, +6 h yesterday)`. */
export function describeOutstandingNews(event: OutstandingEvent, audience: Audience): string {
  const open = toOpenSum(event, audience);
  const language = languageOf(audience);
  const { outstanding: words } = language;
  const { timeZone, isHeld = false } = audience;
  const seen = { at: Date.parse(event.time), timeZone, isHeld, language };
  const { timesheets } = open;
  const said = timesheets === 0 ? words.nothing : say(words.open, { sum: describeSum(open, language) });
  return `${timesheets === null ? words.unknown : said}${inBrackets(listNotes([open], seen))}`;
}

export function buildOutstandingHeading(
  event: OutstandingEvent,
  audience: Audience,
  max: number,
): string | undefined {
  const { period, ...open } = toOpenSum(event, audience);
  if (open.timesheets === null) return undefined;
  const language = languageOf(audience);
  const { outstanding: words } = language;
  const sum = describeSum(open, language);
  const forms =
    open.timesheets === 0
      ? [words.nothing, words.nothingInShort]
      : [words.open, words.openInShort].map((text) => say(text, { sum }));
  return forms.map((said) => say(words.heading, { period, said })).find(({ length }) => length <= max);
}
