import type { RawRecord } from '#local/source/world/records.ts';
import type { Random } from '../random.ts';

/** How a source writes records: as another system would, or broken. */

/** What other systems write for nothing. */
const NOTHINGS = ['', '  ', 'N/A', 'null', '-'] as const;
const NO_STAMPS = [...NOTHINGS, '0001-01-01T00:00:00Z', '9999-12-31', '1900-01-01'] as const;
const INSTANTS = ['startTime', 'finishTime', 'approvedHours', 'processed', 'closed'] as const;
const REFERENCES = ['approvedPayroll', 'organisationWorkedId', 'payRollCompanyId'] as const;
const OFFSET_MS = 330 * 60_000;

/** The same record in another notation: each value means what it meant. */
export function rewrite(record: RawRecord, random: Random): RawRecord {
  const written: Record<string, unknown> = { ...record };
  for (const name of INSTANTS) if (name in record) written[name] = rewriteInstant(record[name], random);
  for (const name of REFERENCES)
    if (record[name] === null && random.chance(0.5)) written[name] = random.pick(NOTHINGS);
  if (typeof record.hoursToPay === 'number' && random.chance(0.5))
    written.hoursToPay = record.hoursToPay + 1e-9;
  return written;
}

function rewriteInstant(value: unknown, random: Random): unknown {
  if (value === null) return random.chance(0.5) ? random.pick(NO_STAMPS) : null;
  const text = String(value);
  if (!text.includes('T')) return value;
  const shifted = new Date(Date.parse(text) + OFFSET_MS).toISOString().slice(0, -1);
  return random.pick([text, text.replace('.000Z', 'Z'), text.replace('Z', '+00:00'), `${shifted}+05:30`]);
}

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
