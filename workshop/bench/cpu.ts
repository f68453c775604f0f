type Work = () => Promise<unknown>;

/**
 * CPU time of a work in microseconds, over all threads of this process: waiting does not count. What ran before leaves it
 * no garbage to collect.
 */
export async function measureCpu(work: Work): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Median CPU time of each work. They run in turn, so that what else the machine does troubles all alike. */
export async function measureInTurn(
  works: readonly Work[],
  { repeats, runs, warmUps }: Readonly<Record<'repeats' | 'runs' | 'warmUps', number>>,
): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let run = 0; run < warmUps + runs; run += 1)
    for (const [place, work] of works.entries()) {
      const time = await measureCpu(async () => {
        for (let index = 0; index < repeats; index += 1) await work();
      });
      if (run >= warmUps) times[place]?.push(time / repeats);
    }
  return times.map(median);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
