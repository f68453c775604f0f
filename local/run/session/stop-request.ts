/** Signals that ask for an end: Ctrl-C, a supervisor, a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Who asks may wait two seconds. */
const LIMIT_MS = 1_800;

/** A request from outside to end the run. */
export interface StopRequest {
  readonly signal: AbortSignal;
  /** Settles when it was asked for. */
  readonly requested: Promise<void>;
}

/**
 * Listens for the request. Once it came, the process ends in any case within two seconds, with `code`. Asking again
 * changes nothing: npm passes a signal on that the terminal has already sent to everybody.
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
