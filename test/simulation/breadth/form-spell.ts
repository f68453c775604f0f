import type { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import { lasts } from '../spells.ts';
import type { RawRecord } from '../world/truth.ts';
import { isAmong } from './share.ts';

/** Other forms of a field, none of which it may have. */
export const FORMS = {
  'number as text': { field: 'hoursToPay', kind: 'string' },
  'list as null': { field: 'details', kind: 'null' },
  'flag as number': { field: 'overnight', kind: 'number' },
  'date in another notation': { field: 'date', kind: 'string' },
} as const;
type Form = keyof typeof FORMS;

/** The source sends most timesheets in another form from one instant until another. */
export interface FormSpell {
  readonly form: Form;
  readonly from: number;
  readonly to: number;
  /** Of the timesheets, the share that has it. */
  readonly share: number;
}

export function drawFormSpell({ ticks, quietFrom }: Settings, random: Random): FormSpell {
  const from = random.pick(ticks) - random.between(1, MINUTE_MS);
  const to = Math.min(quietFrom - 1, from + random.between(1, random.chance(0.5) ? 60 : 12 * 60) * MINUTE_MS);
  const form = random.pick(Object.keys(FORMS) as Form[]);
  return { form, from, to, share: random.pick([0.7, 1]) };
}

/** A timesheet as the source sends it then; null when it sends it as ever. */
export function reformed(record: RawRecord, spell: FormSpell | null, at: number): RawRecord | null {
  if (spell === null || !Object.hasOwn(record, 'hoursToPay') || !lasts(spell, at)) return null;
  return isAmong(String(record.id), spell.share, spell.from) ? inForm(record, spell.form) : null;
}

function inForm(record: RawRecord, form: Form): RawRecord {
  switch (form) {
    case 'number as text':
      return { ...record, hoursToPay: String(record.hoursToPay) };
    case 'list as null':
      return { ...record, details: null };
    case 'flag as number':
      return { ...record, overnight: record.overnight === true ? 1 : 0 };
    case 'date in another notation':
      return { ...record, date: String(record.date).split('-').toReversed().join('/') };
  }
}

/** Whether it can still be told on which date a record stands. */
export function shapeIn({ form }: FormSpell): 'bad' | 'unplaced' {
  return form === 'date in another notation' ? 'unplaced' : 'bad';
}
