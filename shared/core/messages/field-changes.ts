import { cleanText } from './clean-text.ts';
import type { EventState } from './record-events.ts';

/** How a field is told: what it is called, and a value of it in words; null when the value cannot be told. */
export interface FieldWords {
  readonly label: string;
  readonly valueText: (value: unknown) => string | null;
}

const NOTHING = 'none';

/** Changes of one record. */
export interface FieldChanges {
  readonly changed: readonly string[];
  readonly previous: EventState;
  readonly current: EventState;
}

/** `hours 7.5 h -> 8 h, start 09:00 -> 09:30`. A field that is not known here is told by its name. */
export function describeChanges(
  { changed, previous, current }: FieldChanges,
  wordsOf: (field: string) => FieldWords | undefined,
): string {
  const told = changed.map((field) => {
    const words = wordsOf(field);
    if (words === undefined) return `${cleanText(field) || 'a field'} altered`;
    const { label } = words;
    const [before, after] = [previous?.[field], current?.[field]].map((value) => describeSide(value, words));
    return before == null || after == null || before === after
      ? `${label} altered`
      : `${label} ${before} -> ${after}`;
  });
  return told.length === 0 ? 'altered' : told.join(', ');
}

function describeSide(value: unknown, { valueText }: FieldWords): string | null {
  if (value === undefined) return null;
  return value === null || value === '' ? NOTHING : valueText(value);
}
