const WIDTH = 100;
const HEIGHT = 40;
/** Room for the width of the line. */
const MARGIN = 3;

/** A value at its place in a drawing of 100 by 40. */
export interface Point {
  readonly x: number;
  readonly y: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number;
}

/** Places values by their time, from zero to the largest. Values that are not known are left out. */
export function toPoints(values: readonly { readonly at: number; readonly value: number | null }[]): Point[] {
  const known = values.flatMap(({ at, value }) => (value === null ? [] : [{ at, value }]));
  const first = known[0]?.at ?? 0;
  const span = Math.max(1, (known.at(-1)?.at ?? 0) - first);
  const most = known.reduce((highest, { value }) => Math.max(highest, value), 1);
  return known.map(({ at, value }) => ({
    at,
    value,
    x: round(MARGIN + ((at - first) / span) * (WIDTH - 2 * MARGIN)),
    y: round(HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN)),
  }));
}

export function toLine(points: readonly Point[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

/** The line, closed along the bottom. */
export function toArea(points: readonly Point[]): string {
  const [first, last] = [points[0], points.at(-1)];
  return first === undefined || last === undefined
    ? ''
    : `${toLine(points)}L${last.x} ${HEIGHT}L${first.x} ${HEIGHT}Z`;
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
