/** The IPC messages between the host of a function and its process. */
import type { VirtualClock } from './virtual-clock.ts';

/** Environment variable with the virtual clock as JSON; absent for real time. */
export const VIRTUAL_CLOCK_VARIABLE = 'LOCAL_VIRTUAL_CLOCK';

/** Host to process: run the handler once. */
export interface Invocation {
  readonly requestId: string;
  readonly event: unknown;
  readonly timeoutMs: number;
  /** Clock of the function; `null` for real time. It may have been moved since the last invocation. */
  readonly clock: VirtualClock | null;
}

/** Process to host: the result or the error. */
export type InvocationOutcome =
  | { readonly requestId: string; readonly result: unknown }
  | { readonly requestId: string; readonly error: { readonly type: string; readonly message: string } };
