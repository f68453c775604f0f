import { type PublishedType, type ShortEventType, toEventType } from '../event-types.ts';
import type { AlertNews } from './event-definition.ts';
import { OPERATION_NEWS } from './operation-words.ts';
import { RECORD_NEWS } from './record-words.ts';

const NEWS: Partial<Record<ShortEventType, AlertNews>> = { ...RECORD_NEWS, ...OPERATION_NEWS };
/** How alerts treat each type that is published, by its full name. */
export const ALERT_NEWS = Object.fromEntries(
  Object.entries(NEWS).map(([type, news]) => [`workforce.${type}`, news]),
) as Readonly<Record<PublishedType, AlertNews>>;

/** The trouble that each of these types ends: what was told as wrong is told as settled. */
export const ENDED_TROUBLES: Partial<Record<string, PublishedType>> = Object.fromEntries(
  Object.entries(ALERT_NEWS).flatMap(([type, { ends }]) =>
    ends === undefined ? [] : [[type, toEventType(ends)]],
  ),
);

const OTHER_TIMESHEET_HEADING = 'The clocking of a timesheet changed';

/** What happened, without names. */
export function toPlainHeading(type: string): string {
  const news: AlertNews | undefined = ALERT_NEWS[type as PublishedType];
  return news?.plain ?? OTHER_TIMESHEET_HEADING;
}
