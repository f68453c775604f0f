export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface BatchResult {
  /** Ids of the messages that the queue must deliver again. */
  readonly failed: readonly string[];
}

/** Milliseconds since 1970 UTC. */
export interface Clock {
  now(): number;
}

/** One line of the log per outcome of a stage: ids, counts, durations in `_ms`. No personal data, pay or token. */
export type OutcomeLine = { readonly outcome: string } & Readonly<
  Record<string, string | number | boolean | null>
>;

export interface Telemetry {
  report(line: OutcomeLine): void;
}
