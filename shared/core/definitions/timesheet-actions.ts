import { type Filled, say, type Text } from '../../languages/text.ts';
import { isPerhapsLate } from '../../lateness/late-words.ts';
import { formatChange, formatHours, formatNumber } from '../messages/numbers.ts';
import { readNumber } from '../messages/record-events.ts';
import { isReprocessing } from '../messages/timesheet-fields.ts';
import type { SentenceContext } from '../messages/timesheet-sentences.ts';

/** What somebody has to do for whom, with its reason. */
export type Asked = (who: string) => string;

type Action = keyof SentenceContext['language']['timesheets']['actions'];

/** `Hold back 3 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone`; null when its hours are not known. */
export function askFor(context: SentenceContext, action: Action, why: string): Asked | null {
  const hours = readNumber(context.data.current, 'hoursToPay');
  return hours === null
    ? null
    : askWith(context, { action, hours }, { text: because(context), values: { why } });
}

/** Somebody was paid, or is about to be: what came in time asks nobody for anything. */
export function askIfLate(context: SentenceContext, action: Action, why: string): Asked | null {
  return isLate(context) ? askFor(context, action, why) : null;
}

/** `Pay 1 h more to Ana Lee, Thu 12 Nov (4 to 5 h)`. */
export function askForDifference(context: SentenceContext): Asked | null {
  const { data, language } = context;
  const [before, after] = [readNumber(data.previous, 'hoursToPay'), readNumber(data.current, 'hoursToPay')];
  if (before === null || after === null || before === after || !isLate(context)) return null;
  const action = after > before ? 'payMore' : 'recover';
  const values = { before: formatNumber(before, language), after: formatHours(after, language) };
  const text = language.timesheets.changedFrom;
  return askWith(context, { action, hours: Math.abs(after - before) }, { text, values });
}

export function askAfterRemoval(context: SentenceContext): Asked | null {
  const { data, language } = context;
  const hours = readNumber(data.previous, 'hoursToPay');
  if (hours === null || isPerhapsLate(data)) return null;
  const why = { text: because(context), values: { why: language.timesheets.says['timesheet.removed'].step } };
  if (data.late.includes('processing')) return askWith(context, { action: 'recover', hours }, why);
  return data.late.includes('close') ? askWith(context, { action: 'doNotPay', hours }, why) : null;
}

/** Of a processing that settles a reversal: with the hours before it, where these are known and differ. */
export function askAfterReversal(context: SentenceContext): Asked | null {
  const { data, audience, language } = context;
  const { hoursBefore = null } = audience;
  const hours = readNumber(data.current, 'hoursToPay');
  if (!isReprocessing(data) || hours === null) return null;
  const { says, changedBy } = language.timesheets;
  if (hoursBefore === null || hours === hoursBefore)
    return askFor(context, 'pay', says['timesheet.processed'].why);
  const values = { change: formatChange(hours - hoursBefore, language) };
  return askWith(context, { action: 'pay', hours }, { text: changedBy, values });
}

function isLate({ data }: SentenceContext): boolean {
  return data.late.some((each) => each === 'processing' || each === 'close') && !isPerhapsLate(data);
}

function because({ language }: SentenceContext) {
  return language.timesheets.because;
}

function askWith<Place extends string>(
  { language }: SentenceContext,
  { action, hours }: { readonly action: Action; readonly hours: number },
  { text, values }: { readonly text: Text<Place | 'action'>; readonly values: Filled<Place> },
): Asked {
  return (who) => {
    const asked = say(language.timesheets.actions[action], { hours: formatHours(hours, language), who });
    return say<string>(text, { ...values, action: asked });
  };
}
