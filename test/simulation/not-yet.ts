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
const NOT_YET: ReadonlySet<Check | FaultKind> = new Set<Check | FaultKind>([
  'late',
  'lost',
  'date:source_failed',
  'date:source_forbidden',
  'date:source_bad_response',
  'date:source_unreachable',
  'by_id:source_failed',
  'by_id:source_forbidden',
  'hidden_record',
  'topic_refused',
  'clock_a_day_off',
]);

export function isNotYet(check: Check, faults: ReadonlyMap<FaultKind, number>): boolean {
  if (!LIVENESS_CHECKS.has(check)) return false;
  return NOT_YET.has(check) || [...faults.keys()].some((kind) => NOT_YET.has(kind));
}
