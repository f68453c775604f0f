/** Of rows that are measured but no longer listed, how many are remembered. */
const MAX_FORGOTTEN = 2_000;

/** Where the rows of a long list are, in CSS pixels: as high as they were when they were drawn, or as `estimate` says. */
export interface RowPlaces {
  /** Of all rows. */
  readonly height: number;
  /** The rows that there are now. Heights of those that were there before are kept. */
  list(rows: readonly Keyed[]): void;
  /** Remembers how high the rows from a place on are. Gives whether that is news. */
  measure(from: number, heights: readonly number[]): boolean;
  /** Where a row begins; of the number of rows, where the last one ends. */
  findTop(index: number): number;
  /** The row at a distance from the top: the first or last one when it is beyond them. */
  findRow(distance: number): number;
}

/** A browser may place the same row a fraction of a pixel higher or lower. */
const MIN_DIFFERENCE = 0.5;

interface Keyed {
  readonly key: string;
}

export function createRowPlaces(estimate: number): RowPlaces {
  const measured = new Map<string, number>();
  let rows: readonly Keyed[] = [];
  let tops = new Float64Array(1);
  const findTop = (index: number) => tops[Math.min(index, rows.length)] ?? 0;
  return {
    get height() {
      return findTop(rows.length);
    },
    list: (next) => {
      rows = next;
      if (measured.size > rows.length + MAX_FORGOTTEN) forgetOthers(measured, rows);
      tops = addUp(rows, (key) => measured.get(key) ?? estimate);
    },
    measure: (from, heights) => {
      const count = Math.min(heights.length, rows.length - from);
      const before = tops.slice(from, from + count + 1);
      let more = 0;
      let isNews = false;
      for (const [index, height] of heights.slice(0, count).entries()) {
        const known = (before[index + 1] ?? 0) - (before[index] ?? 0);
        if (Math.abs(height - known) >= MIN_DIFFERENCE) {
          measured.set(rows[from + index]?.key ?? '', height);
          more += height - known;
          isNews = true;
        }
        tops[from + index + 1] = (before[index + 1] ?? 0) + more;
      }
      if (isNews)
        for (let place = from + count + 1; place < tops.length; place += 1)
          tops[place] = (tops[place] ?? 0) + more;
      return isNews;
    },
    findTop,
    findRow: (distance) => {
      let [from, to] = [0, Math.max(0, rows.length - 1)];
      while (from < to) {
        const middle = Math.ceil((from + to) / 2);
        if (findTop(middle) <= distance) from = middle;
        else to = middle - 1;
      }
      return from;
    },
  };
}

function addUp(rows: readonly Keyed[], heightOf: (key: string) => number): Float64Array<ArrayBuffer> {
  const tops = new Float64Array(rows.length + 1);
  let top = 0;
  for (const [index, { key }] of rows.entries()) {
    top += heightOf(key);
    tops[index + 1] = top;
  }
  return tops;
}

function forgetOthers(measured: Map<string, number>, rows: readonly Keyed[]): void {
  const listed = new Set(rows.map(({ key }) => key));
  for (const key of measured.keys()) if (!listed.has(key)) measured.delete(key);
}
