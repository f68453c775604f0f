import { setTimeout as delay } from 'node:timers/promises';

/** A task that is repeated until it is stopped. */
export interface Repetition {
  /** Settles after `stop()`, or with the error that `run` threw. */
  readonly ended: Promise<void>;
  /** Starts no further run; the current one is completed. */
  stop(): void;
}

/**
 * Runs at once and then every interval, measured from start to start. Runs never overlap: one that takes longer than
 * the interval is followed by the next at once.
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
