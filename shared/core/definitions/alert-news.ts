import type { Language } from '../../languages/language.ts';
import { findEntry } from '../../languages/text.ts';
import { PUBLISHED_TYPES, type PublishedType } from '../event-types.ts';
import { DIRECTORY_NEWS } from './directory-words.ts';
import type { AlertNews } from './event-definition.ts';
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

/** What happened, without names. */
export function toPlainHeading(type: string, { timesheets, payPeriods, directory }: Language): string {
  const says = { ...timesheets.says, ...payPeriods.says, ...directory.says };
  const found = findEntry<{ readonly plain: string }>(says, type.replace('workforce.', ''));
  return (found ?? timesheets.says['timesheet.clocked_in']).plain;
}
