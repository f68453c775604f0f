import './browser-language.ts';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { CoveredPoll } from '../../routes/coverage.ts';
import { formatDuration } from '../parts/clock.ts';
import { formatInstant, Moment, toDate, zoneOf } from '../parts/moment.tsx';
import { Table } from '../parts/table.tsx';

/** What the latest polls of each connection took. */
export function PollCharts({ polls }: { readonly polls: readonly CoveredPoll[] | null }) {
  const own = useMemo(() => Map.groupBy(polls ?? [], ({ connection }) => connection), [polls]);
  if (polls === null || own.size === 0)
    return (
      <section>
        <h2>Polls of timesheets</h2>
        <p class="fact">
          {polls === null
            ? 'Requests, throttling and lag of each poll are in its log line, `poll.completed`; this console reads the table alone.'
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

/** The numbers of the charts, newest first, for whoever does not see them or wants them exact. */
function PollTable({ polls, zone }: { readonly polls: readonly CoveredPoll[]; readonly zone: string }) {
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

interface ChartProps {
  readonly label: string;
  /** Milliseconds since 1970, in ascending order. */
  readonly times: readonly number[];
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  /** Charts of one group have one cursor. */
  readonly group: string;
  /** Where the cursor is; null where it is not. */
  readonly pointed: number | null;
  /** What is read at the cursor, or at the end. */
  readonly text: string;
  readonly onPoint: (place: number | null) => void;
}

/** A line of values that is read with the pointer, a finger or the arrow keys. */
function Chart({ label, times, values, group, pointed, text, onPoint }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = usePlot(box, { group, onPoint });
  useEffect(() => {
    if (plot.current !== null) showData(plot.current, [[...times], [...values]]);
  }, [times, values]);
  const last = times.length - 1;
  const moveTo = (place: number | null) => {
    const at = place === null ? undefined : times[Math.min(last, Math.max(0, place))];
    for (const each of uPlot.sync(group).plots)
      each.setCursor(at === undefined ? NOWHERE : { left: each.valToPos(at, 'x'), top: 0 });
  };
  const press = (event: KeyboardEvent) => {
    const place = findPressed(event.key, { place: pointed ?? last, last });
    if (place === undefined) return;
    event.preventDefault();
    moveTo(place);
  };
  const slide = (event: PointerEvent) => {
    // Of a mouse uPlot hears by itself.
    if (event.pointerType === 'mouse' || plot.current === null) return;
    moveTo(plot.current.posToIdx(event.clientX - plot.current.rect.left));
  };
  return (
    <div
      ref={box}
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={times.length}
      aria-valuenow={(pointed ?? last) + 1}
      aria-valuetext={text}
      onKeyDown={press}
      onPointerMove={slide}
      onBlur={() => moveTo(null)}
    />
  );
}

/** Newer polls move the others: the cursor stays at its own. */
function showData(plot: uPlot, data: uPlot.AlignedData): void {
  const at = plot.data[0]?.[plot.cursor.idx ?? -1];
  plot.batch(() => plot.setData(data));
  if (at != null) plot.setCursor({ left: plot.valToPos(at, 'x'), top: 0 });
}

const NOWHERE = { left: -10, top: -10 };

/** Where a key moves the cursor; undefined for any other key. */
function findPressed(
  key: string,
  { place, last }: { readonly place: number; readonly last: number },
): number | null | undefined {
  switch (key) {
    case 'ArrowLeft':
      return place - 1;
    case 'ArrowRight':
      return place + 1;
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}

type PlotOptions = Pick<ChartProps, 'group' | 'onPoint'>;

/** The drawing in a box: as large as the box, in the colours of the theme, gone with the box. */
function usePlot(
  box: RefObject<HTMLDivElement | null>,
  { group, onPoint }: PlotOptions,
): RefObject<uPlot | null> {
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const place = box.current;
    if (place === null) return;
    const readSize = () => ({ width: place.clientWidth, height: place.clientHeight });
    const readColors = () => readTheme(place);
    const made = new uPlot(
      { ...buildChartOptions({ group, onPoint, readColors }), ...readSize() },
      [[], []],
      place,
    );
    plot.current = made;
    const resizing = new ResizeObserver(() => made.setSize(readSize()));
    resizing.observe(place);
    const theme = window.matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => made.redraw(false);
    theme.addEventListener('change', redraw);
    return () => {
      theme.removeEventListener('change', redraw);
      resizing.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [group, onPoint]);
  return plot;
}

/** A canvas knows no variables of the style sheet. */
function readTheme(element: HTMLElement): ChartColors {
  const style = window.getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return { line: read('--accent'), area: read('--accent-area') };
}

interface ChartColors {
  readonly line: string;
  readonly area: string;
}

interface ChartSetup {
  /** Charts of one group have one cursor. */
  readonly group: string;
  /** Called with the place of the value at the cursor; with null when it leaves. */
  readonly onPoint: (place: number | null) => void;
  readonly readColors: () => ChartColors;
}

/** In CSS pixels: room for half a point at each end. */
const MARGIN = 4;
const POINT_SIZE = 6;
const HALF_A_SECOND_MS = 500;

/** A line from zero to the largest value, with a point at its end, and a cursor that goes from value to value. */
function buildChartOptions({
  group,
  onPoint,
  readColors,
}: ChartSetup): Omit<uPlot.Options, 'width' | 'height'> {
  const line = () => readColors().line;
  return {
    ms: 1,
    padding: [MARGIN, MARGIN, MARGIN, MARGIN],
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: { x: { range: widen }, y: { range: (_, __, most) => [0, Math.max(1, most ?? 0)] } },
    series: [
      {},
      {
        width: 1.5,
        stroke: line,
        fill: () => readColors().area,
        spanGaps: true,
        points: { show: true, filter: findEnd, size: POINT_SIZE, fill: line, width: 0 },
      },
    ],
    cursor: {
      y: false,
      move: snap,
      points: { size: POINT_SIZE + 2, width: 0, fill: line, stroke: line },
      bind: { mousedown: () => null, dblclick: () => null },
      // Of several charts, the cursor is at one time, and at the height of each.
      sync: { key: group, scales: ['x', null], setSeries: false },
    },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}

/** A single time is in the middle. */
function widen({ data }: uPlot, from: number | null, to: number | null): uPlot.Range.MinMax {
  const [at, second] = data[0] ?? [];
  return at != null && second === undefined ? [at - HALF_A_SECOND_MS, at + HALF_A_SECOND_MS] : [from, to];
}

/** The last value that there is. */
function findEnd({ data }: uPlot): number[] {
  const values = Array.from(data[1] ?? []);
  const place = values.findLastIndex((value) => value !== null);
  return place < 0 ? [] : [place];
}

/** The cursor is at the nearest value, whether there is one at that time or not. */
function snap(plot: uPlot, left: number, top: number): uPlot.Cursor.LeftTop {
  const at = left < 0 ? undefined : plot.data[0]?.[plot.posToIdx(left)];
  return at == null ? [left, top] : [plot.valToPos(at, 'x'), top];
}
