import { useMemo, useState } from 'preact/hooks';
import type { CoveredPoll } from '../../routes/coverage.ts';
import { formatDuration } from '../parts/clock.ts';
import { formatInstant, Moment, toDate, zoneOf } from '../parts/moment.tsx';
import { Table } from '../parts/table.tsx';
import { Chart } from './chart.tsx';

/** What the latest polls of each connection took. */
export function PollCharts({ polls }: { readonly polls: readonly CoveredPoll[] | null }) {
  const own = useMemo(() => Map.groupBy(polls ?? [], ({ connection }) => connection), [polls]);
  if (polls === null || own.size === 0)
    return (
      <section>
        <h2>Polls of timesheets</h2>
        <p class="fact">
          {polls === null
            ? 'Requests, throttling and lag of each poll are on the dashboard of the stack in CloudWatch; this console reads the table alone.'
            : 'Their requests, throttling and lag appear here after the first poll.'}
        </p>
      </section>
    );
  return (
    <>
      {[...own].map(([connection, its]) => (
        <Polls
          key={connection}
          polls={its}
          title={own.size > 1 ? `timesheets of ${connection}` : 'timesheets'}
        />
      ))}
    </>
  );
}

interface PollsProps {
  /** Of one connection, at least one, oldest first. */
  readonly polls: readonly CoveredPoll[];
  readonly title: string;
}

function Polls({ polls, title }: PollsProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const times = useMemo(() => polls.map(({ at }) => Date.parse(at)), [polls]);
  const { connection, at } = polls[0] as CoveredPoll;
  const zone = zoneOf(connection);
  return (
    <section>
      <div class="heading">
        <h2>Polls of {title}</h2>
        <p class="about">
          {polls.length === 1 ? 'The first, ' : `The latest ${polls.length}, since `}
          <Moment at={at} timeZone={zone} form="moment" />
        </p>
      </div>
      <div class="charts">
        {MEASURES.map((measure) => (
          <MeasureChart
            key={measure.label}
            {...{ polls, times, measure, pointed, zone }}
            onPoint={setPointed}
          />
        ))}
      </div>
      <PollTable polls={polls} zone={zone} />
    </section>
  );
}

interface MeasureChartProps {
  readonly polls: readonly CoveredPoll[];
  readonly times: readonly number[];
  readonly measure: Measure;
  readonly zone: string;
  readonly pointed: number | null;
  readonly onPoint: (place: number | null) => void;
}

/** A chart, and in words the value at its cursor or the latest one. */
function MeasureChart({ polls, times, measure, zone, pointed, onPoint }: MeasureChartProps) {
  const { label, read, format } = measure;
  const values = useMemo(() => polls.map(read), [polls, read]);
  const known = values.filter((value) => value !== null);
  const value = pointed === null ? known.at(-1) : values[pointed];
  const text = value == null ? 'none' : format(value);
  const at = pointed === null ? undefined : polls[pointed]?.at;
  const most = known.length === 0 ? null : `at most ${format(Math.max(...known))}`;
  const moment = at === undefined ? null : `at ${formatPolled(at, zone, polls)}`;
  return (
    <figure class="sparkline">
      <figcaption>
        <span class="label">{label}</span> <span class={value == null ? 'about' : 'number'}>{text}</span>{' '}
        <span class="label">{moment ?? most}</span>
      </figcaption>
      <Chart
        label={`${label}, poll by poll`}
        text={[text, moment ?? most].filter((part) => part !== null).join(', ')}
        group={`polls of ${polls[0]?.connection}`}
        {...{ times, values, pointed, onPoint }}
      />
    </figure>
  );
}

/** With the date where the polls are of several. */
function formatPolled(at: string, zone: string, polls: readonly CoveredPoll[]): string {
  const ends = [polls[0], polls.at(-1)].map((poll) => toDate(poll?.at ?? at, zone));
  return formatInstant(at, zone, ends[0] === ends[1] ? 'time' : 'moment');
}

interface PollTableProps {
  readonly polls: readonly CoveredPoll[];
  readonly zone: string;
}

/** The numbers of the charts, newest first, for whoever does not see them or wants them exact. */
function PollTable({ polls, zone }: PollTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <Table
          class="polls"
          columns={[{ name: 'Ended' }, ...MEASURES.map(({ label }) => ({ name: label, isNumber: true }))]}
          rows={polls.toReversed().map((poll) => ({
            key: poll.at,
            cells: [
              <Moment key="ended" at={poll.at} timeZone={zone} form="moment" />,
              ...MEASURES.map(({ read, format }) => {
                const value = read(poll);
                return value === null ? '–' : format(value);
              }),
            ],
          }))}
        />
      ) : null}
    </details>
  );
}

/** A number of each poll. */
interface Measure {
  readonly label: string;
  /** Null where nothing was published. */
  readonly read: (poll: CoveredPoll) => number | null;
  readonly format: (value: number) => string;
}

const MEASURES: readonly Measure[] = [
  { label: 'Requests', read: ({ requests }) => requests, format: String },
  { label: 'Throttled (429)', read: ({ throttled }) => throttled, format: String },
  { label: 'Changes', read: ({ changes }) => changes, format: String },
  { label: 'Seen to published', read: ({ lagMs }) => lagMs, format: formatLag },
];

function formatLag(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : formatDuration(milliseconds);
}
