import * as z from 'zod';
import { SHORT_EVENT_TYPES } from '../core/event-types.ts';
import { toDataSchemaUri } from '../core/events/envelope.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import { type EnvelopedEvent, envelope, envelopeSchema, readableEventSchema } from './read-events.ts';

/** What a queue brought. */
export type Received =
  | { readonly outcome: 'event'; readonly event: EnvelopedEvent }
  /** Only its envelope can be read. */
  | { readonly outcome: 'unreadable'; readonly event: EnvelopedEvent }
  /** A type, or a version of one, that a later version of this product publishes. */
  | { readonly outcome: 'unknown' }
  /** Not an event of this product. */
  | { readonly outcome: 'strange' };

export function receive(text: string): Received {
  const value = parseJsonOrNull(text);
  const event = envelopeSchema.safeParse(value).data;
  if (event !== undefined && readableEventSchema.safeParse(value).success) return { outcome: 'event', event };
  if (isOfLaterVersion(value)) return { outcome: 'unknown' };
  return event === undefined ? { outcome: 'strange' } : { outcome: 'unreadable', event };
}

const anyEventSchema = z.object({
  ...envelope,
  type: z.string().startsWith('workforce.'),
  dataschema: z.string(),
});
/** URIs of the data schemas that this version publishes; a new version of a type has a new one. */
const KNOWN_SCHEMAS: ReadonlySet<string> = new Set(SHORT_EVENT_TYPES.map(toDataSchemaUri));

/** Whether a later version published it before a rollback. */
function isOfLaterVersion(value: unknown): boolean {
  const event = anyEventSchema.safeParse(value);
  return event.success && !KNOWN_SCHEMAS.has(event.data.dataschema);
}
