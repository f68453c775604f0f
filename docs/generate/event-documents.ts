import { eventType, type ShortEventType } from '#shared/core/event-types.ts';
import { dataSchema, SHORT_EVENT_TYPES } from '#shared/core/events/event-schemas.ts';
import { dataSchemaOf } from '#shared/core/events/events.ts';
import { asyncapi } from './asyncapi.ts';
import { EVENT_MEANINGS } from './event-meanings.ts';
import { eventsPage } from './events-page.ts';
import { jsonSchemaOf } from './json-schema.ts';

/** A file that is generated: path from the root, and contents. */
export interface GeneratedDocument {
  readonly path: string;
  readonly text: string;
}

/** Everything that is generated from the catalogue and its schemas. */
export function eventDocuments(): GeneratedDocument[] {
  return [
    { path: 'docs/events.md', text: eventsPage() },
    { path: 'docs/asyncapi.json', text: textOf(asyncapi()) },
    ...SHORT_EVENT_TYPES.map(schemaDocument),
  ];
}

function schemaDocument(type: ShortEventType): GeneratedDocument {
  const schema = {
    $id: dataSchemaOf(type),
    title: eventType(type),
    description: EVENT_MEANINGS[type],
    ...jsonSchemaOf(dataSchema(type), 'draft-2020-12'),
  };
  return { path: `docs/schemas/${type}.json`, text: textOf(schema) };
}

function textOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
