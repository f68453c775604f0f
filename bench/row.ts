/** One line of the table that `npm run bench` prints. */
export interface Row {
  /** Of the list of figures in `docs/figures.md`. */
  readonly id: string;
  readonly metric: string;
  /** What was run beside it. */
  readonly baseline: string;
  readonly baselineValue: string;
  readonly ours: string;
  readonly ratio: string;
  readonly seed: number | null;
  /** Counts are exact and must not get worse; times are told and never fail. */
  readonly limit?: { readonly value: number; readonly atMost: number };
}

/** Median time of a piece of work in microseconds, over several runs after a warm-up. */
export function medianMicroseconds(work: () => void, { repeats = 60, runs = 9 } = {}): number {
  for (let index = 0; index < repeats; index += 1) work();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = process.hrtime.bigint();
    for (let index = 0; index < repeats; index += 1) work();
    times.push(Number(process.hrtime.bigint() - start) / repeats / 1_000);
  }
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
}

export function ratio(ours: number, baseline: number): string {
  const value = ours / baseline;
  return value < 0.01 ? value.toExponential(1) : value.toFixed(2);
}
