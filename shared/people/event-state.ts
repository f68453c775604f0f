/** Watched fields by name; a later version may add some. */
export type EventState = Readonly<Record<string, unknown>> | null;

/** A field's value when it is a text that is not empty, otherwise null. */
export function readText(values: EventState | undefined, field: string): string | null {
  const value = values?.[field];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A field's value when it is a finite number, otherwise null. */
export function readNumber(values: EventState | undefined, field: string): number | null {
  const value = values?.[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
