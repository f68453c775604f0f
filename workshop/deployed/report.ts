/** The steps of a run, each timed. */
export interface Report {
  /** Throws what `work` throws, once the step is printed. */
  run<T extends { readonly note: string }>(name: string, work: () => Promise<T>): Promise<T>;
  /** Prints how many there were. Returns whether every step was fine. */
  close(title: string): boolean;
}

const write = (line: string) => process.stdout.write(`${line}\n`);

export function createReport(): Report {
  const startedAt = performance.now();
  let passed = 0;
  let failed = 0;
  const secondsSince = (at: number) => `${((performance.now() - at) / 1_000).toFixed(1)} s`;
  return {
    run: async (name, work) => {
      const at = performance.now();
      const describe = (outcome: string, note: string) =>
        write(`${outcome.padEnd(6)}  ${name.padEnd(32)} ${secondsSince(at).padStart(8)}  ${note}`);
      try {
        const done = await work();
        passed += 1;
        describe('ok', done.note);
        return done;
      } catch (error) {
        failed += 1;
        describe('FAILED', error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    close: (title) => {
      write(`${title} in ${secondsSince(startedAt)}`);
      write(`${passed} passed, ${failed} failed`);
      return failed === 0 && passed > 0;
    },
  };
}
