import { dateIn, timeIn } from '../dates.ts';
import { dayText } from '../messages/moments.ts';
import { numberText } from '../messages/numbers.ts';
import type { ChannelMessage } from './alert.ts';

/** `+ 47 more`. */
export function moreText(more: number): string {
  return `+ ${numberText(more)} more`;
}

/** `Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)`. */
export function seenText({ at, timeZone }: Pick<ChannelMessage, 'at' | 'timeZone'>): string {
  return `Seen on ${dayText(dateIn(at, timeZone), { year: null })} at ${timeIn(at, timeZone)} (${timeZone})`;
}
