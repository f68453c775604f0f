/** Ctrl-C, a supervisor, a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** The process must end within two seconds. */
const LIMIT_MS = 1_800;

/** A request from outside to end the run. */
export interface StopRequest {
  readonly signal: AbortSignal;
  /** Settles at the first signal. */
  readonly requested: Promise<void>;
}

/**
 * Listens for a stop request. After the first signal the process exits with `code` within two seconds in any case.
 * Further signals are ignored: npm forwards a signal that the terminal already sent to every process.
 */
export function listenForStop(code: number): StopRequest {
  const aborter = new AbortController();
  const requested = new Promise<void>((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (aborter.signal.aborted) return;
        aborter.abort();
        setTimeout(() => process.exit(code), LIMIT_MS).unref();
        resolve();
      });
    }
  });
  return { signal: aborter.signal, requested };
}
