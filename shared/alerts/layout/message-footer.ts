import { type Language, sayCount } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import { toLocalDate } from '../../core/dates.ts';
import { formatDay, formatTime } from '../../core/messages/moments.ts';
import type { ChannelMessage } from '../alert.ts';

/** `+ 47 more`. */
export function formatMore(more: number, language: Language): string {
  return sayCount(language.layout.more, more, language);
}

/** `+ 47 more  |  Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)`, below the first `shown` lines. */
export function formatFooter(message: ChannelMessage, shown: number, language: Language): string {
  const more = message.more + message.lines.length - shown;
  return [...(more === 0 ? [] : [formatMore(more, language)]), formatSeen(message, language)].join('  |  ');
}

/** `Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)`. */
export function formatSeen(
  { at, timeZone }: Pick<ChannelMessage, 'at' | 'timeZone'>,
  language: Language,
): string {
  const day = formatDay(toLocalDate(at, timeZone), { year: null, language });
  return say(language.layout.seen, { day, time: formatTime(at, { timeZone, language }), zone: timeZone });
}
