import type { AbsencePeriod, AbsenceRules } from '../records/absences.ts';
import type { FeedState } from '../snapshot/feed-state.ts';

/** The setting `absences` of a connection. */
export interface AbsenceSetting {
  readonly clockInMinutes?: number | undefined;
  readonly clockOutHours?: number | undefined;
}

/**
 * New thresholds count for what is planned from this time after a deployment on. It is longer than any poll lives: so
 * no poll that still judges by the old ones sees a clocking that the new ones are for.
 */
const DELAY_MS = 15 * 60_000;
/** More would be deployments every few days for a whole window. The oldest thresholds are forgotten first. */
const MAX_PERIODS = 50;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** By what clockings are judged; null while a connection never had thresholds. */
export function readAbsenceRules({ absences }: FeedState, timeZone: string): AbsenceRules | null {
  if (absences === undefined || absences.length === 0) return null;
  return { periods: absences, timeZone };
}

/**
 * The periods after a poll with this setting; undefined while there never was one. `at`: the newest epoch, since a poll
 * whose clock is behind those of earlier ones counts as one that ends with them: else its thresholds would hold for what
 * is judged already.
 */
export function updateAbsencePeriods(
  { absences: periods = [] }: Pick<FeedState, 'absences'>,
  setting: AbsenceSetting | undefined,
  at: number,
): readonly AbsencePeriod[] | undefined {
  const wanted = toThresholds(setting);
  // Nothing was judged yet by thresholds that are not in force: another deployment replaces them.
  const pending = periods.at(-1);
  if (pending !== undefined && isSame(pending, wanted)) return periods;
  const inForce = periods.filter(({ since }) => since <= at);
  const last = inForce.at(-1) ?? { since: at };
  const updated = isSame(last, wanted) ? inForce : [...inForce, { since: at + DELAY_MS, ...wanted }];
  return updated.length === 0 ? undefined : updated.slice(-MAX_PERIODS);
}

type Thresholds = Omit<AbsencePeriod, 'since'>;

function toThresholds({ clockInMinutes, clockOutHours }: AbsenceSetting = {}): Thresholds {
  return {
    ...(clockInMinutes === undefined ? {} : { clockInMs: clockInMinutes * MINUTE_MS }),
    ...(clockOutHours === undefined ? {} : { clockOutMs: Math.round(clockOutHours * HOUR_MS) }),
  };
}

function isSame(left: Thresholds, right: Thresholds): boolean {
  return left.clockInMs === right.clockInMs && left.clockOutMs === right.clockOutMs;
}
