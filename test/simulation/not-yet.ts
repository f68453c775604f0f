import type { FaultKind } from './faults.ts';

/** Kinds of violations. */
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

/** Events that come too late or never. Only these count against an engine that is merely late. */
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
 * Known gaps of the engine: their violations are reported and do not fail. A check excuses its violations, a fault
 * those of liveness in histories in which it struck. None at present.
 */
const NOT_YET: ReadonlySet<Check | FaultKind> = new Set<Check | FaultKind>([]);

export function isNotYet(check: Check, faults: ReadonlyMap<FaultKind, number>): boolean {
  if (!LIVENESS_CHECKS.has(check)) return false;
  return NOT_YET.has(check) || [...faults.keys()].some((kind) => NOT_YET.has(kind));
}
