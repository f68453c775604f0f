import type { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import { lasts } from '../spells.ts';
import type { RawRecord } from '../world/truth.ts';
import { isAmong } from './share.ts';

/** Invalid forms of fields. */
export const FORMS = {
  'number as text': { field: 'hoursToPay', kind: 'string' },
  'list as null': { field: 'details', kind: 'null' },
  'flag as number': { field: 'overnight', kind: 'number' },
  'date in another notation': { field: 'date', kind: 'string' },
} as const;
type Form = keyof typeof FORMS;

/** The source sends most timesheets in another form for a time. */
export interface FormSpell {
  readonly form: Form;
  readonly from: number;
  readonly to: number;
  /** Share of the timesheets in that form. */
  readonly share: number;
}

export function drawFormSpell({ ticks, quietFrom }: Settings, random: Random): FormSpell {
  const from = random.pick(ticks) - random.between(1, MINUTE_MS);
  const to = Math.min(quietFrom - 1, from + random.between(1, random.chance(0.5) ? 60 : 12 * 60) * MINUTE_MS);
  const form = random.pick(Object.keys(FORMS) as Form[]);
  return { form, from, to, share: random.pick([0.7, 1]) };
}

/** A timesheet in the other form; null when the source sends it unchanged. */
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

/** `unplaced` when the date of a record cannot be read. */
export function shapeIn({ form }: FormSpell): 'bad' | 'unplaced' {
  return form === 'date in another notation' ? 'unplaced' : 'bad';
}
