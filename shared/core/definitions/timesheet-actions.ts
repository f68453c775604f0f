import { isPerhapsLate } from '../../lateness/late-words.ts';
import { formatChange, formatHours, formatNumber } from '../messages/numbers.ts';
import { type EventState, readNumber } from '../messages/record-events.ts';
import { describeReprocessing } from '../messages/timesheet-fields.ts';
import type { SentenceContext } from '../messages/timesheet-sentences.ts';

/** `Hold back 3 h of`, `: its processing was undone`; without the first the person alone is named. */
export type Asked = readonly [action: string, why: string];

/** `Pay 3 h of`; null when its hours are not known. */
export function askFor(state: EventState, action: string, why: string): Asked | null {
  const hours = readNumber(state, 'hoursToPay');
  return hours === null ? null : [`${action} ${formatHours(hours)} of`, why];
}

/** Somebody was paid, or is about to be: what came in time asks nobody for anything. */
export function askIfLate({ data }: SentenceContext, action: string, why: string): Asked | null {
  const isLate = data.late.some((each) => each === 'processing' || each === 'close') && !isPerhapsLate(data);
  return isLate ? askFor(data.current, action, why) : null;
}

/** `Pay 1 h more to`, ` (4 to 5 h)`. */
export function askForDifference(context: SentenceContext): Asked | null {
  const { previous, current } = context.data;
  const [before, after] = [readNumber(previous, 'hoursToPay'), readNumber(current, 'hoursToPay')];
  if (before === null || after === null || before === after || askIfLate(context, '', '') === null)
    return null;
  const why = ` (${formatNumber(before)} to ${formatHours(after)})`;
  const hours = formatHours(Math.abs(after - before));
  return after > before ? [`Pay ${hours} more to`, why] : [`Recover ${hours} from`, why];
}

export function askAfterRemoval({ data }: SentenceContext): Asked | null {
  const hours = readNumber(data.previous, 'hoursToPay');
  if (hours === null || isPerhapsLate(data)) return null;
  if (data.late.includes('processing')) return [`Recover ${formatHours(hours)} from`, ': removed'];
  return data.late.includes('close') ? [`Do not pay ${formatHours(hours)} of`, ': removed'] : null;
}

/** Of a processing that settles a reversal: with the hours before it, where these are known and differ. */
export function askAfterReversal({ data, audience: { hoursBefore = null } }: SentenceContext): Asked | null {
  const hours = readNumber(data.current, 'hoursToPay');
  if (describeReprocessing(data) === '' || hours === null) return null;
  const isSame = hoursBefore === null || hours === hoursBefore;
  return askFor(
    data.current,
    'Pay',
    isSame ? ': processed again' : ` (${formatChange(hours - hoursBefore)})`,
  );
}
