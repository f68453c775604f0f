import * as z from 'zod';
import { EVENT_TYPES } from '../../core/event-types.ts';
import { toDataSchemaUri } from '../../core/events/envelope.ts';
import { envelope } from './record-events.ts';

const PREFIX = 'workforce.';

const anyEventSchema = z.object({ ...envelope, type: z.string().startsWith(PREFIX), dataschema: z.string() });
/** URIs of the data schemas that this version publishes; a new version of a type has a new one. */
const KNOWN_SCHEMAS: ReadonlySet<string> = new Set(
  EVENT_TYPES.map((type) =>
    toDataSchemaUri(type.slice(PREFIX.length) as Parameters<typeof toDataSchemaUri>[0]),
  ),
);

/**
 * Whether a value is an event of this product whose type, or whose version of a type, this version does not know: a
 * later version published it before a rollback.
 */
export function isOfLaterVersion(value: unknown): boolean {
  const event = anyEventSchema.safeParse(value);
  return event.success && !KNOWN_SCHEMAS.has(event.data.dataschema);
}
