import type { EventType } from '../../core/event-types.ts';
import { roundNumber } from '../../core/records/values.ts';
import type { Group } from '../groups.ts';
import { bold, type Line, type Spans, toText } from '../message.ts';
import { fitHeading } from '../messages/clean-text.ts';
import { formatChange, formatCount, formatHours } from '../messages/numbers.ts';
import { capitalize } from '../messages/wording.ts';
import { isTimesheetEvent } from '../read-events.ts';
import { callRecord } from '../reader.ts';
import { type Action, sayAction } from '../timesheet-action.ts';
import { readNews, type TimesheetNews } from '../timesheet-record.ts';
import { entryOf } from '../types/all.ts';
import { type MessageReader, type Rendered, urlOfTimesheet } from './rendered.ts';

/** Up to this many timesheets each has a line; of more, each department has one. */
const MAX_LINES = 10;

/** What became of the timesheets of a group, each once: those that ask for something first. */
export function listNews(
  { events }: Pick<Group, 'events'>,
  reader: MessageReader,
  implied: readonly string[],
): TimesheetNews[] {
  const sheets = events.flatMap(({ event }) => (event !== null && isTimesheetEvent(event) ? [event] : []));
  return [...Map.groupBy(sheets, ({ data }) => data.timesheetId).values()]
    .flatMap((own) => readNews(own, reader, implied) ?? [])
    .sort((a, b) => Number(b.action !== null) - Number(a.action !== null));
}

/** What changed after it was paid, or is about to be: of one closed pay period, or of several. */
export function renderSheets(group: Group, reader: MessageReader): Rendered | null {
  const { periodId, connection } = group;
  const news = listNews(group, reader, periodId === null ? [] : ['close']);
  const [only, ...others] = news;
  if (only === undefined) return null;
  if (others.length === 0) return renderOne(only, group, reader);
  return { heading: sayHeading(news, group, reader), ...listSheets(news, connection, reader) };
}

function renderOne(news: TimesheetNews, { connection, periodId }: Group, reader: MessageReader): Rendered {
  const { action, spans, who } = news;
  const period = periodId === null ? null : reader.namePeriod(periodId);
  const closed = period === null || news.isPerhapsLate ? [] : [`${period} had closed.`];
  return {
    heading: action === null ? toText(spans) : sayAction(action, who),
    // The heading says whose it is, and of what is to be checked all.
    lines: [...(isSaid(news) ? [] : [sayWhy(spans)]), ...closed].map((line) => ({ spans: [line] })),
    url: urlOf(news, connection, reader),
  };
}

/** Whether the heading says all that the line would say. One that is cut does not. */
function isSaid({ action, spans, who }: TimesheetNews): boolean {
  if (action === null) return true;
  const heading = sayAction(action, who);
  return (
    fitHeading(heading) === heading && action.why !== null && `: ${action.why}` === toText(spans.slice(1))
  );
}

function sayWhy(spans: Spans): string {
  return `${capitalize(toText(spans.slice(1)).replace(/^: /, ''))}.`;
}

/** A line for each timesheet, or beyond a handful for each department. */
export function listSheets(
  news: readonly TimesheetNews[],
  connection: string,
  reader: MessageReader,
): Pick<Rendered, 'lines' | 'more'> {
  if (news.length > MAX_LINES) return { lines: listDepartments(news, reader) };
  return { lines: news.map((each) => ({ spans: each.spans, url: urlOf(each, connection, reader) })) };
}

function urlOf({ events }: TimesheetNews, connection: string, reader: MessageReader): string | undefined {
  const [event] = events;
  return event === undefined ? undefined : urlOfTimesheet(event.data, connection, reader);
}

/** `Kitchen: 14 timesheets approved, 112.5 h`, the largest first. */
function listDepartments(news: readonly TimesheetNews[], { names }: MessageReader): Line[] {
  return [...Map.groupBy(news, ({ departmentId }) => departmentId)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([id, own]) => {
      const difference = sumOf(own);
      const hours = roundNumber(own.reduce((sum, each) => sum + each.hours, 0));
      const moved = difference === 0 || difference === hours ? '' : ` (${formatChange(difference)})`;
      return {
        spans: [
          bold(callRecord(id, 'Department', names.departments)),
          `: ${countNews(own)}, ${formatHours(hours)}${moved}`,
        ],
      };
    });
}

/** `Weekly 26 Oct - 1 Nov: +15 h in 2 timesheets after it closed`, `2 timesheets processed, 1 timesheet changed`. */
function sayHeading(
  news: readonly TimesheetNews[],
  { periodId, events }: Group,
  reader: MessageReader,
): string {
  const perhaps = news.some((each) => each.isPerhapsLate) ? ', perhaps' : '';
  const same = sayOneAction(news, periodId === null ? null : reader.namePeriod(periodId));
  if (same !== null) return same;
  if (periodId === null) return countNews(news);
  const period = reader.namePeriod(periodId) ?? calendarOf(events) ?? 'Its pay period';
  const difference = sumOf(news);
  return difference === 0
    ? `${period}, closed${perhaps}: ${countNews(news)}`
    : `${period}: ${formatChange(difference)} in ${formatCount(news.length, 'timesheet')}${perhaps} after it closed`;
}

/** `Pay 45 h of 6 timesheets of Weekly 9-15 Nov: approved after closing`; null where there is not one thing to do. */
function sayOneAction(news: readonly TimesheetNews[], period: string | null): string | null {
  const actions = news.flatMap(({ action }) => action ?? []);
  const [first] = actions;
  const name = ({ verb, link, why }: Action) => `${verb} ${link} ${why}`;
  if (first === undefined || actions.length < news.length) return null;
  if (actions.some((each) => name(each) !== name(first))) return null;
  const hours = roundNumber(actions.reduce((sum, each) => sum + each.hours, 0));
  const of = period === null ? '' : ` of ${period}`;
  return sayAction({ ...first, hours }, `${formatCount(news.length, 'timesheet')}${of}`);
}

function calendarOf(events: Group['events']): string | null {
  const named = events.flatMap(({ event }) =>
    event !== null && isTimesheetEvent(event) ? (event.data.closedPeriods?.[0]?.calendar ?? []) : [],
  );
  return named[0] ?? null;
}

function sumOf(news: readonly TimesheetNews[]): number {
  return roundNumber(news.reduce((sum, { difference }) => sum + difference, 0));
}

/** `2 timesheets approved, 1 timesheet changed`: the most frequent first. */
export function countNews(news: readonly { readonly type: EventType }[]): string {
  return [...Map.groupBy(news, ({ type }) => type)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([type, own]) => formatCount(own.length, ...entryOf(type).counted))
    .join(', ');
}
