import type { DateClass } from '#shared/core/snapshot/learned-state.ts';
import type { ChangeType } from '../trace/life.ts';

export type ChangeGroup = 'clockings' | 'approvals' | 'payroll' | 'roster';

const GROUPS: Readonly<Record<ChangeType, ChangeGroup>> = {
  'timesheet.created': 'roster',
  'timesheet.changed': 'roster',
  'timesheet.removed': 'roster',
  'timesheet.clocked_in': 'clockings',
  'timesheet.clock_in_corrected': 'approvals',
  'timesheet.clocked_out': 'clockings',
  'timesheet.approved': 'approvals',
  'timesheet.approval_revoked': 'approvals',
  'timesheet.payroll_approved': 'payroll',
  'timesheet.processed': 'payroll',
  'timesheet.processing_reverted': 'payroll',
};

export function groupOf(type: ChangeType): ChangeGroup {
  return GROUPS[type];
}

/**
 * The smallest value that at least `share` of all values do not exceed: `percentile(values, 0.5)` is the median. NaN
 * without values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Milliseconds from each change until it was seen, grouped by class of date and by kind of change. */
export class Delays {
  readonly all: number[] = [];
  readonly #byName = new Map<string, number[]>();

  add(delayMs: number, names: readonly (DateClass | ChangeGroup)[]): void {
    this.all.push(delayMs);
    for (const name of names) {
      const list = this.#byName.get(name);
      if (list === undefined) this.#byName.set(name, [delayMs]);
      else list.push(delayMs);
    }
  }

  of(name: DateClass | ChangeGroup): readonly number[] {
    return this.#byName.get(name) ?? [];
  }
}
