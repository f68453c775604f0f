import { cleanText } from './clean-text.ts';
import type { EventState } from './record-events.ts';

/** How a field appears in a sentence. */
export interface FieldWords {
  readonly label: string;
  /** A value in words; null when it has none, and only the label is given. */
  readonly valueText: (value: unknown) => string | null;
}

const NOTHING = 'none';

export interface FieldChanges {
  readonly changed: readonly string[];
  readonly previous: EventState;
  readonly current: EventState;
}

/** `hours 7.5 h -> 8 h, start 09:00 -> 09:30`. An unknown field appears under its own name. */
export function describeChanges(
  { changed, previous, current }: FieldChanges,
  wordsOf: (field: string) => FieldWords | undefined,
): string {
  const parts = changed.map((field) => {
    const words = wordsOf(field);
    if (words === undefined) return `${cleanText(field) || 'a field'} changed`;
    const { label } = words;
    const [before, after] = [previous?.[field], current?.[field]].map((value) => describeSide(value, words));
    return before == null || after == null || before === after
      ? `${label} changed`
      : `${label} ${before} -> ${after}`;
  });
  return parts.length === 0 ? 'changed' : parts.join(', ');
}

function describeSide(value: unknown, { valueText }: FieldWords): string | null {
  if (value === undefined) return null;
  return value === null || value === '' ? NOTHING : valueText(value);
}
