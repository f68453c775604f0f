import { ENDED_TROUBLES } from '../../core/definitions/alert-news.ts';
import { fitsHeading } from '../../core/messages/heading-length.ts';
import type { Alert, ShownAlert } from '../alert.ts';

/**
 * Makes one alert of those that say the same of several lists of a connection, at the place of the first: `The pay periods
 * and timesheets of connection main have not been readable since 14:00`.
 */
export function mergeLists(alerts: readonly ShownAlert[]): ShownAlert[] {
  const groups = Map.groupBy(alerts, (alert) =>
    JSON.stringify(
      alert.list === undefined ? [alert.id] : [alert.type, alert.connection, nameAll(alert, [])],
    ),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    return others.length === 0 ? [first] : [mergeGroup(first, [first, ...others])];
  });
}

function mergeGroup(first: ShownAlert, group: readonly ShownAlert[]): ShownAlert {
  const lists = [...new Set(group.flatMap(({ list }) => list ?? []))];
  const verb = ENDED_TROUBLES[first.type] !== undefined ? 'can be read again' : 'cannot be read';
  const heading = `The ${joinLists(lists)} ${verb}`;
  return {
    ...first,
    at: Math.max(...group.map(({ at }) => at)),
    line: nameAll(first, lists),
    ...(findShared(lists) === '' ? {} : { count: lists.length }),
    heading: fitsHeading(heading) ? heading : `Lists of the source ${verb}`,
    urgent: group.some(({ urgent }) => urgent),
  };
}

/** The line of an alert, with these lists in place of its own. */
function nameAll({ line, list = '' }: Alert, lists: readonly string[]): string {
  return line.replace(`The ${list} o`, () => `The ${joinLists(lists)} o`);
}

/** `pay periods and timesheets`, `timesheets of Fri 13 Nov and Sat 14 Nov`. */
function joinLists(lists: readonly string[]): string {
  const shared = findShared(lists);
  const names = lists.map((list) => list.slice(shared.length));
  const last = names.at(-1) ?? '';
  return `${shared}${names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`}`;
}

/** What lists of dates begin with: `timesheets of `; empty for other lists. */
function findShared([first = '', ...others]: readonly string[]): string {
  const shared = /^.* of /.exec(first)?.[0] ?? '';
  return others.every((list) => list.startsWith(shared)) ? shared : '';
}
