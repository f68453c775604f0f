import type { Alert, ShownAlert } from '../alert.ts';
import { findWhole } from '../layout/strong-text.ts';
import { cutHeading } from '../messages/cut-heading.ts';
import { listAll } from '../messages/wording.ts';

/**
 * Makes one alert of those that say the same of several lists of a connection, at the place of the first: `The pay periods
 * and timesheets of connection main have not been readable since 14:00`.
 */
export function mergeLists(alerts: readonly ShownAlert[]): ShownAlert[] {
  const groups = Map.groupBy(alerts, (alert) =>
    JSON.stringify(
      alert.list === undefined ? [alert.id] : [alert.type, alert.connection, nameAll(alert.line, alert, '')],
    ),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    return others.length === 0 ? [first] : [mergeGroup(first, [first, ...others])];
  });
}

function mergeGroup(first: ShownAlert, group: readonly ShownAlert[]): ShownAlert {
  const lists = joinLists(group);
  const named = nameAll(first.heading ?? first.line, first, lists);
  const heading = cutHeading(named);
  return {
    ...first,
    at: Math.max(...group.map(({ at }) => at)),
    line: nameAll(first.line, first, lists),
    ...(group.some(({ dated }) => dated === undefined) ? {} : { count: group.length }),
    heading,
    ...(heading === named ? {} : { facts: null }),
    urgent: group.some(({ urgent }) => urgent),
  };
}

/** A text of an alert, with these lists in place of its own. */
function nameAll(text: string, { list = '' }: Alert, lists: string): string {
  const at = list === '' ? -1 : findWhole(text, list, 0);
  return at === -1 ? text : `${text.slice(0, at)}${lists}${text.slice(at + list.length)}`;
}

/** `pay periods and timesheets`, `timesheets of Fri 13 Nov and Sat 14 Nov`. */
function joinLists(group: readonly ShownAlert[]): string {
  const lists = new Set(group.flatMap(({ list }) => list ?? []));
  const dates = group.flatMap(({ dated }) => dated ?? []);
  const [first] = dates;
  if (first === undefined || dates.length < group.length || dates.some(({ list }) => list !== first.list))
    return listAll([...lists]);
  const day = listAll([...new Set(dates.map((each) => each.day))]);
  return `${first.list} of ${day}`;
}
