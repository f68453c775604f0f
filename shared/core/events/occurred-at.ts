import { isDate, parseInstant, toIso } from '../dates.ts';
import type { Marker, State } from '../records/feed-definition.ts';
import type { Json } from '../records/fields.ts';
import type { Transition } from './transitions.ts';

/** An instant or a date; null when the source does not say when: a stamp may also be neither. */
export function findOccurredAt(
  { kind, marker }: Transition,
  after: State | null,
  timeZone: string,
): string | null {
  if (marker?.occurredAt === undefined || after === null || kind === 'reversal') return null;
  const text = readMarkerTime(marker, after[marker.field] ?? null);
  if (typeof text !== 'string') return null;
  const instant = parseInstant(text, timeZone);
  if (instant !== null) return toIso(instant);
  return isDate(text) ? text : null;
}

function readMarkerTime(marker: Marker, value: Json): Json {
  if (marker.occurredAt !== 'localTime') return value;
  return typeof value === 'object' && value !== null && 'localTime' in value ? value.localTime : null;
}
