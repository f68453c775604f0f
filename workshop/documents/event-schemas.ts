import { dataSchema, EVENT_CONTRACTS, eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, type ShortEventType } from '#shared/core/event-types.ts';
import {
  type JsonSchema,
  mergeParts,
  type NamedSchema,
  type SchemaSetting,
  toNamedSchema,
} from './json-schema.ts';
import { ANY_EVENT, nameData, nameEvent } from './schema-names.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
export const SETTING: SchemaSetting = { target: 'draft-2020-12', root: '#/$defs/', nullable: 'union' };
const URI = 'urn:workforce-change-notifier:schema:';

/** The schema of an event of a type, complete in itself. */
export function buildEventSchema(type: ShortEventType): JsonSchema {
  const { [nameEvent(type)]: event, ...$defs } = buildEventParts([type], SETTING);
  return { $schema: DIALECT, $id: `${URI}event:${type}:1`, ...event, $defs };
}

/** The schema of any event: one of all types. */
export function buildAnyEventSchema(): JsonSchema {
  return {
    $schema: DIALECT,
    $id: `${URI}event:1`,
    title: ANY_EVENT,
    description: 'Any event, told apart by its type.',
    oneOf: SHORT_EVENT_TYPES.map((type) => ({ $ref: `${SETTING.root}${nameEvent(type)}` })),
    $defs: buildEventParts(SHORT_EVENT_TYPES, SETTING),
  };
}

/** The named schemas of events of these types, with all that they refer to. */
export function buildEventParts(
  types: readonly ShortEventType[],
  setting: SchemaSetting,
): Record<string, JsonSchema> {
  return mergeParts(types.map((type) => collectEventParts(type, setting)));
}

function collectEventParts(type: ShortEventType, setting: SchemaSetting): ReadonlyMap<string, JsonSchema> {
  const data: NamedSchema = toNamedSchema(nameData(type), dataSchema(type), setting);
  const envelope = toNamedSchema(nameEvent(type), eventSchema(type).omit({ data: true }), setting);
  const { properties, required } = envelope.schema;
  const event = {
    title: nameEvent(type),
    description: EVENT_CONTRACTS[type].meaning,
    ...envelope.schema,
    properties: { ...(properties as object), data: { $ref: `${setting.root}${nameData(type)}` } },
    required: [...(required as string[]), 'data'],
  };
  return new Map([
    ...data.parts,
    [nameData(type), { title: nameData(type), ...data.schema }],
    [nameEvent(type), event],
  ]);
}
