import type { Group, GroupedEvent } from '../groups.ts';
import type { Line } from '../message.ts';
import { isMomentEvent, isTimesheetEvent, type MomentEvent } from '../read-events.ts';
import type { TimesheetNews } from '../timesheet-record.ts';
import { listLines, sayHeading } from '../types/all.ts';
import { type MessageReader, type Rendered, urlOfRecord } from './rendered.ts';
import { listNews, listSheets, renderSheets } from './sheets.ts';

/** What is told of a pay period, with what changed in it since it closed. Null where nothing is left to say. */
export function renderPeriod(group: Group, reader: MessageReader): Rendered | null {
  const moments = group.events.flatMap(({ event }) =>
    event !== null && isMomentEvent(event) ? [event] : [],
  );
  const told = sumUp(moments);
  if (told === null) return renderSheets(moments.length === 0 ? group : selectProcessed(group), reader);
  return {
    heading: sayHeading(told, reader),
    lines: [...listLines(told, reader), ...listWaited(told, group, reader)],
    url: urlOfRecord(told.data.payPeriodId, group.connection, reader),
  };
}

/** Of a period that is open again, as it was: what changed after it was processed is paid all the same. */
function selectProcessed(group: Group): Group {
  const events = group.events.filter(
    ({ event }) => event !== null && isTimesheetEvent(event) && event.data.late.includes('processing'),
  );
  return { ...group, kind: 'late', periodId: null, events };
}

/**
 * The last moment says it all. A period that closed and was reopened before anybody was told is as it was; of one whose
 * closing was not told before, nothing is held against it.
 */
function sumUp(moments: readonly MomentEvent[]): MomentEvent | null {
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isFirstClosing = first.type.endsWith('.closed') && first.data.account?.changes == null;
  if (!isFirstClosing || first === last) return last;
  if (last.type.endsWith('.reopened')) return null;
  const { account } = last.data;
  return {
    ...last,
    type: 'workforce.pay_period.closed',
    data: { ...last.data, account: account === null ? null : { ...account, changes: null } },
  };
}

/**
 * Changes that waited for this, as they do in quiet hours: what is in its figures is never listed as something to pay,
 * and what was seen after them is not said to be in them.
 */
function listWaited({ time, data }: MomentEvent, group: Group, reader: MessageReader): Line[] {
  const { changes = null, leftOver = [] } = data.account ?? {};
  const said = new Set([...(changes?.listed ?? []), ...leftOver].map(({ timesheetId }) => timesheetId));
  const isLater = ({ envelope }: GroupedEvent) =>
    envelope !== null && Date.parse(envelope.time) > Date.parse(time);
  const read = (events: readonly GroupedEvent[]) => listNews({ events }, reader, ['close']);
  const counted = read(group.events.filter((each) => !isLater(each))).filter(
    ({ events }) => !said.has(events[0]?.data.timesheetId ?? ''),
  );
  const later = read(group.events.filter(isLater));
  const list = (title: string, news: readonly TimesheetNews[]): Line[] =>
    news.length === 0
      ? []
      : [
          { spans: [title] },
          ...listSheets(news, group.connection, reader).lines.map((line) => ({ ...line, isInner: true })),
        ];
  return [
    ...list(data.account === null ? 'Changed meanwhile:' : 'In these figures already:', counted),
    ...list('Changed since then, not in these figures:', later),
  ];
}
