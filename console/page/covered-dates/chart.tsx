import './browser-language.ts';

import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { buildChartOptions, type ChartColors } from './chart-options.ts';

export interface ChartProps {
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
export function Chart({ label, times, values, group, pointed, text, onPoint }: ChartProps) {
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
