import { cleanCode } from './clean-text.ts';
import type { EventState } from './record-events.ts';

/** How the fields of a record appear in sentences; undefined for one that this version does not know. */
export interface FieldsInWords {
  readonly wordsOf: (field: string) => FieldWords | undefined;
}

/** How a field appears in a sentence. */
export interface FieldWords {
  readonly label: string;
  /** A value in words; null when it has none, and only the label is given. */
  readonly valueText: (value: unknown) => string | null;
  /** Another changed field says it already. */
  readonly implied?: boolean;
}

export interface FieldChanges {
  readonly changed: readonly string[];
  readonly previous: EventState;
  readonly current: EventState;
}

/** A changed field. `before` and `after` are null when only its label can be given. */
interface LabelledChange {
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** An unknown field appears under its own name. */
export function listChanges(
  { changed, previous, current }: FieldChanges,
  { wordsOf }: FieldsInWords,
): LabelledChange[] {
  return changed.flatMap((field): LabelledChange[] => {
    const words = wordsOf(field);
    if (words === undefined) return [{ label: cleanCode(field) || 'a field', before: null, after: null }];
    const { label, implied } = words;
    if (implied === true) return [];
    const [before, after] = [previous?.[field], current?.[field]].map((value) => describeSide(value, words));
    return before == null || after == null || before === after
      ? [{ label, before: null, after: null }]
      : [{ label, before, after }];
  });
}

/** `hours 7.5 h -> 8 h, start 09:00 -> 09:30`. */
export function describeChanges(changes: FieldChanges, words: FieldsInWords): string {
  const clauses = listChanges(changes, words).map(({ label, before, after }) =>
    before === null || after === null ? `${label} changed` : `${label} ${before} -> ${after}`,
  );
  return clauses.length === 0 ? 'changed' : clauses.join(', ');
}

function describeSide(value: unknown, { valueText }: FieldWords): string | null {
  if (value === undefined) return null;
  return value === null || value === '' ? 'none' : valueText(value);
}
