import type { RawRecord } from '../world/truth.ts';

/** Ways to break the schema of a record. */
export const POISONS = [
  'text for a number',
  'missing member',
  'not a date',
  'endless text',
  'no id',
] as const;
export type Poison = (typeof POISONS)[number];

export function poisoned(record: RawRecord, poison: Poison): RawRecord {
  const isTimesheet = Object.hasOwn(record, 'hoursToPay');
  const ofDirectory = ['contractedHours', 'manager'].find((member) => Object.hasOwn(record, member));
  if (ofDirectory !== undefined && poison !== 'no id') return { ...record, [ofDirectory]: 8 };
  switch (poison) {
    case 'text for a number':
      return isTimesheet ? { ...record, hoursToPay: 'eight' } : { ...record, calendar: 8 };
    case 'missing member': {
      const { processed, closed, ...rest } = record;
      return rest;
    }
    case 'not a date':
      return isTimesheet ? { ...record, date: '2026-02-30' } : { ...record, startDate: 'soon' };
    case 'endless text':
      return { ...record, employeeId: 'x'.repeat(500), payRollCompanyId: 'x'.repeat(500) };
    case 'no id': {
      const { id, ...rest } = record;
      return rest;
    }
  }
}
