import type uPlot from 'uplot';

export interface ChartColors {
  readonly line: string;
  readonly area: string;
}

export interface ChartSetup {
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
export function buildChartOptions({
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
