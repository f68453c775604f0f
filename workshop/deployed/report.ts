/** One line of the table. */
interface Step {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly note: string;
}

/** `work` returns what is said of the step in the table. */
type Run = (name: string, work: () => Promise<string>) => Promise<void>;

/** Steps of a run, each timed. */
export interface Report {
  /** A step that the following ones need: if it fails, none of them is run. */
  readonly run: Run;
  /** A step that no other one needs. */
  readonly check: Run;
  /** Prints the table, and what it does not show. Returns whether every step was fine. */
  print(title: string, notShown: readonly string[]): boolean;
}

const write = (line: string) => process.stdout.write(`${line}\n`);

/** `only`: words in the names of the checks that are run; null for all. */
export function createReport(only: string | null = null): Report {
  const steps: Step[] = [];
  let stopped = false;
  const runStep: Run = async (name, work) => {
    if (stopped) return;
    const startedAt = performance.now();
    const finish = (ok: boolean, note: string) => {
      const step = { name, ok, seconds: (performance.now() - startedAt) / 1_000, note };
      steps.push(step);
      write(describe(step));
    };
    try {
      finish(true, await work());
    } catch (error) {
      finish(false, error instanceof Error ? error.message : String(error));
    }
  };
  return {
    check: async (name, work) => {
      if (only === null || name.includes(only)) await runStep(name, work);
    },
    run: async (name, work) => {
      await runStep(name, work);
      stopped ||= steps.at(-1)?.ok === false;
    },
    print: (title, notShown) => {
      write(`\n${title}`);
      for (const step of steps) write(describe({ ...step, note: step.note.split('\n')[0] ?? '' }));
      for (const line of notShown) write(`not shown  ${line}`);
      const failed = steps.filter(({ ok }) => !ok).length;
      write(`${steps.length - failed} passed, ${failed} failed`);
      return failed === 0 && steps.length > 0;
    },
  };
}

function describe({ name, ok, seconds, note }: Step): string {
  return `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(38)} ${seconds.toFixed(1).padStart(6)} s  ${note}`;
}
