/** What the host of a function and the function's process say to each other over IPC. */

/** Environment variable with the virtual clock as JSON; absent when time is real. */
export const VIRTUAL_CLOCK_VARIABLE = 'LOCAL_VIRTUAL_CLOCK';

/** Host to process: run the handler once. */
export interface Invocation {
  readonly requestId: string;
  readonly event: unknown;
  readonly timeoutMs: number;
  /** Virtual seconds per real second, by which the remaining time is told. */
  readonly speed: number;
}

/** Process to host: how it went. */
export type InvocationOutcome =
  | { readonly requestId: string; readonly result: unknown }
  | { readonly requestId: string; readonly error: { readonly type: string; readonly message: string } };
