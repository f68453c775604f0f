import { toLocalDate } from '../../core/dates.ts';
import type { Message } from '../message.ts';
import { formatDay, formatTime } from '../messages/moments.ts';

/** `Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland).` */
export function formatFooter({ at, timeZone }: Message): string {
  const day = formatDay(toLocalDate(at, timeZone), { year: null });
  return `Seen on ${day} at ${formatTime(at, { timeZone })} (${timeZone}).`;
}
