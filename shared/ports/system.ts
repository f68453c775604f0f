/** Milliseconds since 1970 UTC. */
export interface Clock {
  now(): number;
}

/** One wide line per outcome of a stage, with ids, counts and `_ms`; nothing personal, no pay, no token. */
export type OutcomeLine = { readonly outcome: string } & Readonly<
  Record<string, string | number | boolean | null>
>;

export interface Telemetry {
  report(line: OutcomeLine): void;
}
