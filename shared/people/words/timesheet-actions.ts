import { isPerhapsLate } from '../messages/late-words.ts';
import { formatChange, formatHours, formatNumber } from '../messages/numbers.ts';
import { readNumber } from '../messages/record-events.ts';
import { isReprocessing } from '../messages/timesheet-fields.ts';
import type { SentenceContext } from '../messages/timesheet-sentences.ts';

/** What somebody has to do for whom, with its reason. */
export type Asked = (who: string) => string;

/** What is to be done with some hours of somebody. */
const ACTIONS = {
  approve: (hours: string, who: string) => `Approve ${hours} of ${who}`,
  pay: (hours: string, who: string) => `Pay ${hours} of ${who}`,
  payMore: (hours: string, who: string) => `Pay ${hours} more to ${who}`,
  processNow: (hours: string, who: string) => `Process ${hours} of ${who}`,
  check: (hours: string, who: string) => `Check ${hours} of ${who}`,
  holdBack: (hours: string, who: string) => `Hold back ${hours} of ${who}`,
  doNotPay: (hours: string, who: string) => `Do not pay ${hours} of ${who}`,
  recover: (hours: string, who: string) => `Recover ${hours} from ${who}`,
} as const;
type Action = keyof typeof ACTIONS;

/** `Hold back 3 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone`; null when its hours are not known. */
export function askFor({ data }: SentenceContext, action: Action, why: string): Asked | null {
  const hours = readNumber(data.current, 'hoursToPay');
  return hours === null ? null : askWith(action, hours, `: ${why}`);
}

/** Somebody was paid, or is about to be: what came in time asks nobody for anything. */
export function askIfLate(context: SentenceContext, action: Action, why: string): Asked | null {
  return isLate(context) ? askFor(context, action, why) : null;
}

/** `Pay 1 h more to Ana Lee, Thu 12 Nov (4 to 5 h)`. */
export function askForDifference(context: SentenceContext): Asked | null {
  const { data } = context;
  const [before, after] = [readNumber(data.previous, 'hoursToPay'), readNumber(data.current, 'hoursToPay')];
  if (before === null || after === null || before === after || !isLate(context)) return null;
  const action = after > before ? 'payMore' : 'recover';
  return askWith(action, Math.abs(after - before), ` (${formatNumber(before)} to ${formatHours(after)})`);
}

export function askAfterRemoval({ data }: SentenceContext): Asked | null {
  const hours = readNumber(data.previous, 'hoursToPay');
  if (hours === null || isPerhapsLate(data)) return null;
  if (data.late.includes('processing')) return askWith('recover', hours, ': removed');
  return data.late.includes('close') ? askWith('doNotPay', hours, ': removed') : null;
}

/** Of a processing that settles a reversal: with the hours before it, where these are known and differ. */
export function askAfterReversal(context: SentenceContext): Asked | null {
  const { data, audience } = context;
  const { hoursBefore = null } = audience;
  const hours = readNumber(data.current, 'hoursToPay');
  if (!isReprocessing(data) || hours === null) return null;
  if (hoursBefore === null || hours === hoursBefore) return askFor(context, 'pay', 'processed again');
  return askWith('pay', hours, ` (${formatChange(hours - hoursBefore)})`);
}

function isLate({ data }: SentenceContext): boolean {
  return data.late.some((each) => each === 'processing' || each === 'close') && !isPerhapsLate(data);
}

function askWith(action: Action, hours: number, why: string): Asked {
  return (who) => `${ACTIONS[action](formatHours(hours), who)}${why}`;
}
