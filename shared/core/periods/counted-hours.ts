import { hash } from 'node:crypto';

/** Hours are added up in 1/10,000 hour, as whole numbers: their sums are exact in any order. */
const UNITS_PER_HOUR = 10_000;
const NAME_DIGITS = 20;

/** A timesheet of a period as it was told: its id, and its units; null where it was not ready. */
export type CountedHours = readonly [id: string, ready: number | null];

export function toUnits(hours: number): number {
  return Math.round(hours * UNITS_PER_HOUR);
}

export function toHours(units: number): number {
  return units / UNITS_PER_HOUR + 0;
}

/** The same for the same entries: a stored count is never overwritten by another one. */
export function nameCount(entries: readonly CountedHours[]): string {
  return hash('sha256', JSON.stringify(entries), 'hex').slice(0, NAME_DIGITS);
}
