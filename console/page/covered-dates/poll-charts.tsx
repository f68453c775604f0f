import { useState } from 'preact/hooks';
import type { Receipt } from '../../routes/record.ts';
import { overview } from '../data/feed.ts';
import { formatDuration } from '../parts/clock.ts';
import { formatInstant } from '../parts/moment.tsx';
import { type Point, toArea, toLine, toPoints } from './sparkline.ts';

interface Series {
  readonly label: string;
  readonly read: (poll: Receipt) => number | null;
  readonly format: (value: number) => string;
}

const SERIES: readonly Series[] = [
  { label: 'Requests per poll', read: ({ requests }) => requests, format: String },
  { label: 'Throttled (429)', read: ({ throttled }) => throttled, format: String },
  { label: 'Changes per poll', read: ({ changes }) => changes, format: String },
  { label: 'Seen to published', read: ({ lagMs }) => lagMs, format: formatLag },
];

function formatLag(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : formatDuration(milliseconds);
}

/** What the latest polls took. */
export function PollCharts({ polls }: { readonly polls: readonly Receipt[] | null }) {
  if (polls === null)
    return (
      <section>
        <h2>Polls</h2>
        <p class="fact">
          Requests, throttling and lag of each poll are on the dashboard of the stack in CloudWatch; this
          console reads the table alone.
        </p>
      </section>
    );
  const own = polls.filter(({ feed }) => feed === 'timesheets');
  return (
    <section>
      <div class="heading">
        <h2>Polls of timesheets</h2>
        {own[0] === undefined ? null : (
          <p class="about">
            The latest {own.length}, since {formatInstant(own[0].at, zoneOfFirst(), 'moment')}
          </p>
        )}
      </div>
      {own.length < 2 ? (
        <p class="fact">Their requests and their lag appear here after the second poll.</p>
      ) : (
        <div class="charts">
          {SERIES.map((series) => (
            <Sparkline key={series.label} polls={own} series={series} />
          ))}
        </div>
      )}
    </section>
  );
}

function zoneOfFirst(): string {
  return overview.value?.connections[0]?.timeZone ?? 'UTC';
}

interface SparklineProps {
  readonly polls: readonly Receipt[];
  readonly series: Series;
}

/** A line of the latest polls, and the number of the one under the pointer. */
function Sparkline({ polls, series: { label, read, format } }: SparklineProps) {
  const [pointed, setPointed] = useState<Point | null>(null);
  const points = toPoints(polls.map((poll) => ({ at: Date.parse(poll.at), value: read(poll) })));
  const shown = pointed ?? points.at(-1) ?? null;
  const most = points.reduce((known, { value }) => Math.max(known, value), 0);
  const text = shown === null ? '–' : format(shown.value);
  const zone = zoneOfFirst();
  const point = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * 100;
    setPointed(points.reduce((a, b) => (Math.abs(b.x - x) < Math.abs(a.x - x) ? b : a), points[0] as Point));
  };
  return (
    <figure class="sparkline">
      <figcaption>
        <span class="label">{label}</span> <span class="number">{text}</span>{' '}
        <span class="label">
          {pointed === null ? `at most ${format(most)}` : `at ${formatInstant(pointed.at, zone, 'time')}`}
        </span>
      </figcaption>
      <svg
        class="plot"
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: now ${text}, at most ${format(most)}`}
        onPointerMove={points.length === 0 ? undefined : point}
        onPointerLeave={() => setPointed(null)}
      >
        <path class="area" d={toArea(points)} />
        <path class="curve" d={toLine(points)} />
        {shown === null ? null : <path class="pointer" d={`M${shown.x} ${shown.y}h0`} />}
      </svg>
    </figure>
  );
}
