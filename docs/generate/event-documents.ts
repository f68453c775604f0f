import { type ShortEventType, toEventType } from '#shared/core/event-types.ts';
import { dataSchema, SHORT_EVENT_TYPES } from '#shared/core/events/event-schemas.ts';
import { toDataSchemaUri } from '#shared/core/events/events.ts';
import { renderAlertsPage } from './alerts-page.ts';
import { asyncapi } from './asyncapi.ts';
import { EVENT_MEANINGS } from './event-meanings.ts';
import { renderEventsPage } from './events-page.ts';
import { toJsonSchema } from './json-schema.ts';

/** A file that is generated: path from the root, and contents. */
export interface GeneratedDocument {
  readonly path: string;
  readonly text: string;
}

/** Everything that is generated from the catalogue and its schemas. */
export function generateEventDocuments(): GeneratedDocument[] {
  return [
    { path: 'docs/events.md', text: renderEventsPage() },
    { path: 'docs/alerts.md', text: renderAlertsPage() },
    { path: 'docs/asyncapi.json', text: toJsonText(asyncapi()) },
    ...SHORT_EVENT_TYPES.map(generateSchemaDocument),
  ];
}

function generateSchemaDocument(type: ShortEventType): GeneratedDocument {
  const schema = {
    $id: toDataSchemaUri(type),
    title: toEventType(type),
    description: EVENT_MEANINGS[type],
    ...toJsonSchema(dataSchema(type), 'draft-2020-12'),
  };
  return { path: `docs/schemas/${type}.json`, text: toJsonText(schema) };
}

function toJsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
