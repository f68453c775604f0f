import type { FaultKind } from './faults.ts';

/** What a violation is about, as far as it can be left out of account. */
export type Check =
  | 'protocol'
  | 'time'
  | 'late'
  | 'lost'
  | 'skipped'
  | 'baseline'
  | 'drained'
  | 'bounded'
  | 'backoff';

/** What is said too late, or never: nothing else that is wrong counts against an engine that is only late. */
export const LIVENESS_CHECKS: ReadonlySet<Check> = new Set<Check>([
  'late',
  'lost',
  'skipped',
  'baseline',
  'drained',
  'bounded',
  'backoff',
]);

/**
 * What the engine does not do yet: such violations are reported and do not count. Checks stand for themselves;
 * faults excuse what comes late, or never, in histories in which they struck.
 */
const NOT_YET: ReadonlySet<Check | FaultKind> = new Set<Check | FaultKind>([]);

export function isNotYet(check: Check, faults: ReadonlyMap<FaultKind, number>): boolean {
  if (!LIVENESS_CHECKS.has(check)) return false;
  return NOT_YET.has(check) || [...faults.keys()].some((kind) => NOT_YET.has(kind));
}
