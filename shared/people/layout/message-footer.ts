import { toLocalDate } from '../../core/dates.ts';
import type { ChannelMessage } from '../alert.ts';
import { formatDay, formatTime } from '../messages/moments.ts';
import { formatNumber } from '../messages/numbers.ts';

/** `+ 47 more`. */
export function formatMore(more: number): string {
  return `+ ${formatNumber(more)} more`;
}

/** `+ 47 more  |  Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)`, below the first `shown` lines. */
export function formatFooter(message: ChannelMessage, shown: number): string {
  const more = message.more + message.lines.length - shown;
  return [...(more === 0 ? [] : [formatMore(more)]), formatSeen(message)].join('  |  ');
}

/** `Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)`. */
export function formatSeen({ at, timeZone }: Pick<ChannelMessage, 'at' | 'timeZone'>): string {
  const day = formatDay(toLocalDate(at, timeZone), { year: null });
  return `Seen on ${day} at ${formatTime(at, { timeZone })} (${timeZone})`;
}
