import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Line } from '../../routes/lines.ts';
import { toAddress } from '../data/api.ts';
import { hasOlder, lines, listing, overview, service, status } from '../data/feed.ts';
import { place } from '../data/location.ts';
import { formatAge } from '../parts/clock.ts';
import { formatInstant, toDate, zoneOf } from '../parts/moment.tsx';
import { Empty, Waiting } from '../parts/notes.tsx';
import { FilterBar, readFilter, readUntil } from './filter-bar.tsx';
import { buildRows, isOpen, type LineGroup, type Row } from './line-groups.ts';
import { DayRow, GroupRow, LineRow } from './rows.tsx';

/** Ids of events whose groups are open; also after another screen was looked at. */
const opened = signal<ReadonlySet<string>>(new Set());

/** What happens, newest first. */
export function LiveScreen() {
  const open = opened.value;
  const shown = lines.value;
  const rows = useMemo(
    () => buildRows(shown, { open, dayOf: (line) => toDate(line.committedAt, zoneOf(line.connection)) }),
    [shown, open],
  );
  const toggle = (group: LineGroup) => {
    const ids = new Set(open);
    const isShut = !isOpen(group, open);
    for (const { id } of group.lines) ids.delete(id);
    if (isShut) ids.add((group.lines[0] as Line).id);
    opened.value = ids;
  };
  const draw = (row: Row) => {
    if (row.kind === 'day') return <DayRow line={row.line} />;
    if (row.kind === 'group')
      return <GroupRow group={row} isOpen={isOpen(row, open)} onToggle={() => toggle(row)} />;
    return <LineRow line={row.line} isInside={row.isInside} />;
  };
  return (
    <div class="screen live">
      <div class="heading">
        <h1>{readUntil(place.value.query) === null ? 'Live' : 'Log'}</h1>
        <Feeds />
      </div>
      <FilterBar />
      <Until />
      {rows.length === 0 ? (
        <NothingYet />
      ) : (
        <ol class="rows" aria-label="Events, newest first">
          {rows.map((row) => (
            <li key={row.key}>{draw(row)}</li>
          ))}
        </ol>
      )}
      {rows.length === 0 ? null : (
        <p class="end">
          {hasOlder.value
            ? `These are the newest ${shown.length}. Choose a type, or find a date, for older ones.`
            : 'The log begins here.'}
        </p>
      )}
    </div>
  );
}

const FEEDS: Readonly<Record<string, string>> = { timesheets: 'Timesheets', 'pay-periods': 'Pay periods' };

/** When each feed was last polled completely. */
function Feeds() {
  const feeds = status.value?.value.feeds ?? overview.value?.status.feeds ?? [];
  const several = new Set(feeds.map(({ connection }) => connection)).size > 1;
  return (
    <ul class="feeds" aria-label="Last complete polls">
      {feeds.map(({ connection, feed, completedAt, unreachableSince }) => (
        <li key={`${connection} ${feed}`} class={unreachableSince === null ? '' : 'bad-text'}>
          {several ? `${connection}: ` : ''}
          {FEEDS[feed] ?? feed}{' '}
          {unreachableSince !== null
            ? `not checked: ${service.value} has not answered since ${formatInstant(unreachableSince, zoneOf(connection), 'minute')}`
            : completedAt === null
              ? 'not checked yet'
              : `checked ${formatAge(completedAt)}`}
        </li>
      ))}
    </ul>
  );
}

/** Of a link to a moment. */
function Until() {
  const { query } = place.value;
  const until = query.get('until');
  if (until === null) return null;
  const zone = overview.value?.connections[0]?.timeZone ?? 'UTC';
  return (
    <p class="until">
      {readUntil(query) === null
        ? `"${until}" is no moment, so the log is shown as it is now.`
        : `Up to ${formatInstant(until, zone, 'moment')}.`}{' '}
      <a href={toAddress('/', readFilter(query))}>Go live</a>
    </p>
  );
}

function NothingYet() {
  const state = listing.value;
  const isFiltered = Object.keys(readFilter(place.value.query)).length > 0;
  if (state === 'loading') return <Waiting error={null} doing="Reading the log" />;
  if (state !== 'ready')
    return (
      <Empty title="The log cannot be listed">
        <p>{state}</p>
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty title="Nothing in the log matches">
        <p>What matches from now on appears here by itself.</p>
      </Empty>
    );
  return (
    <Empty title="No events yet">
      <p>
        The first poll stores what it finds and publishes nothing. From then on each change appears here, a
        minute or two after it happened, and within seconds on one machine.
      </p>
    </Empty>
  );
}
