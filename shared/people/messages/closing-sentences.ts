import * as z from 'zod';
import { parseMidnightDate } from '../../core/dates.ts';
import { settledBySchema } from '../../core/periods/account-data.ts';
import { tolerant } from '../../core/tolerant.ts';
import {
  type AccountReader,
  listReasons,
  sayAccount,
  sayChanges,
  sayMove,
  sayNotApproved,
  sayPayment,
  sayReady,
  sayVerdict,
  toldAccountSchema,
} from './account-sentences.ts';
import { formatWhen, type MessageTimeContext } from './moments.ts';
import { formatHours, formatNumber } from './numbers.ts';
import { createPeriodMention } from './pay-period-sentences.ts';
import { type Audience, type EventState, envelope, readText, recordData } from './record-events.ts';

/** An event that tells what a pay period comes to once it closed, as far as its sentence needs it. */
export const closingEventSchema = z.looseObject({
  ...envelope,
  type: z.enum([
    'workforce.pay_period.closed',
    'workforce.pay_period.recounted',
    'workforce.pay_period.reopened',
    'workforce.pay_period.settled',
  ]),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    settledBy: tolerant(settledBySchema).optional(),
    account: toldAccountSchema.nullable(),
  }),
});
export type ClosingEvent = z.output<typeof closingEventSchema>;
type Data = ClosingEvent['data'];

export function isClosingEvent(event: { readonly type: string }): event is ClosingEvent {
  return closingEventSchema.shape.type.safeParse(event.type).success;
}

/** What an event says, as a whole sentence and below a heading that names the period. */
type Said = Readonly<Record<'sentence' | 'facts', string>>;

const NOT_COUNTED = 'its hours could not be counted';

interface Mention extends ReturnType<typeof createPeriodMention> {
  readonly reader: AccountReader;
}

function mention(event: ClosingEvent, audience: Audience): Mention {
  return { ...createPeriodMention(event, audience), reader: { ...audience, now: Date.parse(event.time) } };
}

/** `Pay period Weekly 9-15 Nov closed. Pay 739.5 h now (100 timesheets of 98 people); adds up with the workforce service` */
export function sayClosed(event: ClosingEvent, audience: Audience): Said {
  const { account } = event.data;
  const { period, timeContext, reader } = mention(event, audience);
  const { again, before, on } = describeClosing(event.data, timeContext);
  const told =
    account === null
      ? `; ${NOT_COUNTED}`
      : `. ${sayAccount(account, reader)}${again === '' ? '' : `; ${sayChanges(account, 'the last figures')}`}`;
  const closed = `closed${again}${before}${on}${told}`;
  return { sentence: `Pay period ${period} ${closed}`, facts: closed };
}

/** `Pay 1,912.5 h for Weekly 10-16 Nov (51 people)`, or what is to be done before. */
export function sayClosedHeading(event: ClosingEvent, audience: Audience): string {
  const { account } = event.data;
  const { period, reader } = mention(event, audience);
  const isAgain = closedBefore(event.data);
  if (account === null) return `Pay period ${period} closed${isAgain ? ' again' : ''}: ${NOT_COUNTED}`;
  const moved = isAgain && account.verdict === 'pay' ? sayMove(account, 'the last figures') : '';
  return `${sayPayment(account, period, reader)}${moved}`;
}

/** `Weekly 9-15 Nov was counted again. Pay 1,004 h now: ...; nothing changed since the last figures`. */
export function sayRecounted(event: ClosingEvent, audience: Audience): Said {
  const { account } = event.data;
  const { period, reader } = mention(event, audience);
  const told =
    account === null
      ? NOT_COUNTED
      : `${sayAccount(account, reader)}; ${sayChanges(account, 'the last figures')}`;
  return {
    sentence: `Pay period ${period} was counted again. ${told}`,
    facts: `counted again. ${told}`,
  };
}

/** `Weekly 9-15 Nov counted again: pay 1,004 h now, +3 h since the last figures`. */
export function sayRecountedHeading(event: ClosingEvent, audience: Audience): string {
  const { account } = event.data;
  const { period, reader } = mention(event, audience);
  if (account === null) return `${period} counted again`;
  const verdict = sayVerdict(account, reader);
  const said = `${verdict.slice(0, 1).toLowerCase()}${verdict.slice(1)}`;
  return `${period} counted again${account.verdict === 'pay' ? ':' : ','} ${said}${sayMove(account, 'the last figures')}`;
}

/** `Pay period Weekly 9-15 Nov was reopened at 10:00; it was closed on Tue 17 Nov; 1,012 h ready (135 ...)`. */
export function sayReopenedPeriod(event: ClosingEvent, audience: Audience): Said {
  const { account, previous } = event.data;
  const { period, when, timeContext } = mention(event, audience);
  const left = account === null || account.notReady.timesheets === 0 ? [] : [sayNotApproved(account)];
  const counted =
    account === null ? [] : [sayReady(account), ...left, sayChanges(account, 'the last figures')];
  const reopened = [`reopened ${when}`, ...describeFormer(previous, timeContext), ...counted].join('; ');
  return { sentence: `Pay period ${period} was ${reopened}`, facts: reopened };
}

/** `Pay period Weekly 9-15 Nov is settled. Pay 739.5 h in all: ...; +47 h in 6 timesheets since it closed`. */
export function saySettled(event: ClosingEvent, audience: Audience): Said {
  const { account, settledBy } = event.data;
  const { period, reader } = mention(event, audience);
  const why = { next_closing: ', since the next one closed', age: ', 35 days after it closed' };
  const settled = `settled${why[settledBy as keyof typeof why] ?? ''}`;
  const unprocessed = account?.unprocessed ?? 0;
  const left = unprocessed === 0 ? '' : `; ${formatNumber(unprocessed)} not processed`;
  const told =
    account === null
      ? NOT_COUNTED
      : `${sayAccount(account, reader)}${left}; ${sayChanges(account, 'it closed')}`;
  return { sentence: `Pay period ${period} is ${settled}. ${told}`, facts: `${settled}. ${told}` };
}

/** `Pay 739.5 h for Weekly 9-15 Nov (100 people), +47 h since it closed`, or what it lacks. */
export function saySettledHeading(event: ClosingEvent, audience: Audience): string {
  const { account } = event.data;
  const { period, reader } = mention(event, audience);
  if (account === null) return `${period} is settled: ${NOT_COUNTED}`;
  const said =
    account.verdict === 'pay'
      ? sayPayment(account, period, reader)
      : `${period} is settled at ${formatHours(account.ready.hours)}: ${listReasons(account, reader).join('; ')}`;
  return `${said}${sayMove(account, 'it closed')}`;
}

/** Whether a settlement says what was told already: to pay the same hours, of the same timesheets. */
export function saysNothingNew({ data: { account } }: ClosingEvent): boolean {
  if (account?.changes == null || account.verdict !== 'pay') return false;
  const { verdict, complete, timesheets } = account.changes;
  return verdict === 'pay' && complete && timesheets === 0;
}

/** `it was closed on Mon 16 Nov`. */
function describeFormer(previous: EventState, timeContext: MessageTimeContext): string[] {
  const closed = formatClosing(readText(previous, 'closed'), { ...timeContext, day: null });
  return closed === null ? [] : [`it was closed ${closed}`];
}

/** Null for the day that is left out. Some sources write a date as its midnight; the time of day is dropped then. */
function formatClosing(closed: string | null, timeContext: MessageTimeContext): string | null {
  if (closed === null) return null;
  const date = parseMidnightDate(closed, timeContext.timeZone) ?? closed;
  return date === timeContext.day ? null : formatWhen(date, timeContext);
}

/** Another instant of closing before it, a reopening in between, or figures that were told before it. */
function closedBefore({ previous, account, settles }: Data): boolean {
  return (
    readText(previous, 'closed') !== null ||
    settles?.some(({ type }) => type === 'workforce.pay_period.reopened') === true ||
    account?.changes != null
  );
}

/** The day is left out when the period closed on the day on which that was seen. */
function describeClosing(
  closing: Data,
  timeContext: MessageTimeContext,
): Readonly<Record<'again' | 'before' | 'on', string>> {
  const before = formatClosing(readText(closing.previous, 'closed'), { ...timeContext, day: null });
  const on = formatClosing(closing.occurredAt, timeContext);
  return {
    again: closedBefore(closing) ? ' again' : '',
    before: before === null ? '' : ` (before that ${before})`,
    on: on === null ? '' : ` ${on}`,
  };
}
