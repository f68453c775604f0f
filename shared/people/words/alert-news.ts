import type { AlertNews } from '../../core/definitions/event-definition.ts';
import { PUBLISHED_TYPES, type PublishedType } from '../../core/event-types.ts';
import { DIRECTORY_NEWS } from './directory-words.ts';
import { OPERATION_NEWS } from './operation-words.ts';
import { PAY_PERIOD_NEWS } from './pay-period-words.ts';
import { TIMESHEET_NEWS } from './timesheet-words.ts';

/** How alerts treat each of their types, by its full name. */
export const ALERT_NEWS = Object.fromEntries(
  Object.entries<AlertNews>({
    ...TIMESHEET_NEWS,
    ...PAY_PERIOD_NEWS,
    ...DIRECTORY_NEWS,
    ...OPERATION_NEWS,
  }).map(([type, news]) => [`workforce.${type}`, news]),
) as Readonly<Record<PublishedType, AlertNews>>;

/** The types that are treated so, in the order of the catalogue. */
export function findTypes(isSo: (news: AlertNews) => boolean): PublishedType[] {
  return PUBLISHED_TYPES.filter((type) => isSo(ALERT_NEWS[type]));
}
