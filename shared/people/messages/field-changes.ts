import type { EventState } from '../event-state.ts';
import { cleanCode } from './clean-text.ts';

/** How a field appears in a line. */
export interface FieldWords {
  readonly label: string;
  /** A value in words; null when it has none, and only the label is given. */
  readonly valueText: (value: unknown) => string | null;
}

/** Words for a field; undefined for one that this version does not know, null for one that others say already. */
export type FieldsInWords = (field: string) => FieldWords | null | undefined;

export interface FieldChanges {
  readonly changed: readonly string[];
  readonly previous: EventState;
  readonly current: EventState;
}

/** `start 09:00 to 09:30`, `breaks changed`, a field each. An unknown field appears under its own name. */
export function listChanges({ changed, previous, current }: FieldChanges, wordsOf: FieldsInWords): string[] {
  return changed.flatMap((field): string[] => {
    const words = wordsOf(field);
    if (words === null) return [];
    if (words === undefined) return [`${cleanCode(field) || 'a field'} changed`];
    const [before, after] = [previous?.[field], current?.[field]].map((value) => describeSide(value, words));
    return before == null || after == null || before === after
      ? [`${words.label} changed`]
      : [`${words.label} ${before} to ${after}`];
  });
}

function describeSide(value: unknown, { valueText }: FieldWords): string | null {
  if (value === undefined) return null;
  return value === null || value === '' ? 'none' : valueText(value);
}
