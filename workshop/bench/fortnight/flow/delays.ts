import { findPercentile } from '#shared/core/events/detection-delay.ts';
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

/** The value that this share of all values does not exceed: `percentile(values, 0.5)` is the median. NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  return findPercentile(values, share) ?? Number.NaN;
}

export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Milliseconds from each change until it was published or seen, grouped by kind of change. */
export class Delays {
  readonly all: number[] = [];
  readonly #byGroup = new Map<ChangeGroup, number[]>();

  add(delayMs: number, type: ChangeType): void {
    this.all.push(delayMs);
    const group = GROUPS[type];
    const list = this.#byGroup.get(group);
    if (list === undefined) this.#byGroup.set(group, [delayMs]);
    else list.push(delayMs);
  }

  of(group: ChangeGroup): readonly number[] {
    return this.#byGroup.get(group) ?? [];
  }
}
