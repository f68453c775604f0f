import * as z from 'zod';
import { EVENT_TYPES } from '../event-types.ts';
import { toDataSchemaUri } from '../events/events.ts';
import { envelope } from './record-events.ts';

const PREFIX = 'workforce.';

const anyEventSchema = z.object({ ...envelope, type: z.string().startsWith(PREFIX), dataschema: z.string() });
/** What names the schema of the data of a type of ours, whatever its version. */
const KNOWN_SCHEMAS: ReadonlySet<string> = new Set(
  EVENT_TYPES.map((type) =>
    toDataSchemaUri(type.slice(PREFIX.length) as Parameters<typeof toDataSchemaUri>[0]),
  ),
);

/**
 * Whether something is an event of ours of a type, or of a version of one, that this version does not know: a later one
 * published it before this one was deployed again.
 */
export function isOfLaterVersion(value: unknown): boolean {
  const event = anyEventSchema.safeParse(value);
  return event.success && !KNOWN_SCHEMAS.has(event.data.dataschema);
}
