import type { Connection } from '#shared/config/schema/connection.ts';
import { computeWindow, listDates, toLocalDate } from '#shared/core/dates.ts';
import { type FeedName, isDirectoryFeed } from '#shared/core/feeds.ts';
import { CADENCE_MS, isHotDate } from '#shared/core/plan/cadence.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';

const MINUTE_MS = 60_000;

/** Slices that are looked at equally often. */
export interface Progress {
  readonly name: string;
  readonly cadenceMinutes: number;
  /** The earliest start of the last complete looks, without slices that fail; null where none was looked at. */
  readonly seenAt: number | null;
  readonly slices: number;
  /** Those that have no baseline. */
  readonly unread: number;
}

/** What polls have stored of a connection. */
export interface Progressed {
  readonly state: ConnectionState;
  readonly heads: readonly Head[];
  readonly connection: Pick<Connection, 'timeZone' | 'window'>;
  readonly feeds: readonly FeedName[];
  readonly now: number;
}

/** How far a connection is looked at: hot dates, those of open pay periods, the others, and each list. */
export function describeProgress(progressed: Progressed): Progress[] {
  const { state, connection, feeds, now } = progressed;
  const today = toLocalDate(now, connection.timeZone);
  const isHot = (date: string) => isHotDate(date, today);
  const open = progressed.heads.flatMap(({ openDates = [] }) => openDates);
  const isOpen = (date: string) => open.some(({ from, to }) => from <= date && date <= to);
  const dates = listDates(computeWindow(now, connection.timeZone, connection.window));
  const classes = [
    { name: 'hot dates', cadenceMs: CADENCE_MS.hot, slices: dates.filter(isHot) },
    {
      name: 'dates of open pay periods',
      cadenceMs: CADENCE_MS.open,
      slices: dates.filter((date) => !isHot(date) && isOpen(date)),
    },
    {
      name: 'other dates',
      cadenceMs: CADENCE_MS.quiet,
      slices: dates.filter((date) => !isHot(date) && !isOpen(date)),
    },
  ].filter(({ slices }) => slices.length > 0);
  const lists = feeds.filter((feed) => feed !== 'timesheets');
  const baselined = new Set(progressed.heads.filter((head) => head.baselinedAt !== null).map(nameSlice));
  const describe = (feed: FeedName, { name, cadenceMs, slices }: (typeof classes)[number]) => {
    const names = slices.map((slice) => nameSlice({ feed, slice }));
    const looks = names
      .filter((each) => state.failing[each] === undefined)
      .flatMap((each) => state.lookedAt[each] ?? []);
    return {
      ...{ name, cadenceMinutes: cadenceMs / MINUTE_MS, slices: slices.length },
      seenAt: looks.length === 0 ? null : Math.min(...looks),
      unread: names.filter((each) => !baselined.has(each)).length,
    };
  };
  return [
    ...classes.map((each) => describe('timesheets', each)),
    ...lists.map((feed) => {
      const cadenceMs = isDirectoryFeed(feed) ? CADENCE_MS.directory : CADENCE_MS.hot;
      return describe(feed, { name: feed, cadenceMs, slices: [WHOLE_LIST] });
    }),
  ];
}
