import { setTimeout as delay } from 'node:timers/promises';

/** Something that runs again and again until it is stopped. */
export interface Repetition {
  /** Settles after `stop()`, or with the error that `run` threw. */
  readonly ended: Promise<void>;
  /** No further run begins; the one under way goes on. */
  stop(): void;
}

/**
 * Runs at once and then every interval, counted from start to start. Never twice at the same time: a run that takes
 * longer is followed by the next one directly.
 */
export function repeat(intervalMs: number, run: () => Promise<void>): Repetition {
  const aborter = new AbortController();
  const { signal } = aborter;
  const loop = async () => {
    while (!signal.aborted) {
      const startedAt = performance.now();
      await run();
      const rest = Math.max(0, startedAt + intervalMs - performance.now());
      await delay(rest, undefined, { signal }).catch(ignoreAbort);
    }
  };
  return { ended: loop(), stop: () => aborter.abort() };
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
