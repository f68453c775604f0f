/**
 * Median CPU time of `work` in microseconds, over several runs after a warm-up. It is the time of all threads of this
 * process: work outside the main thread counts, waiting does not.
 */
export async function measureMedianCpu(
  work: () => Promise<unknown>,
  { repeats = 40, runs = 7 } = {},
): Promise<number> {
  for (let index = 0; index < repeats; index += 1) await work();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage();
    for (let index = 0; index < repeats; index += 1) await work();
    times.push(microseconds(process.cpuUsage(before)) / repeats);
  }
  return median(times);
}

/** CPU time of `work` in microseconds, over all threads. */
export async function measureCpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return microseconds(process.cpuUsage(before));
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}
