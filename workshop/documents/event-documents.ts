import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { asyncapi } from './asyncapi.ts';
import { renderEventPage } from './event-page.ts';
import { buildAnyEventSchema, buildEventSchema } from './event-schemas.ts';
import { renderEventTypes } from './event-types.ts';
import { renderEventsPage } from './events-page.ts';

/** A file that is generated: path from the root, and contents. */
export interface GeneratedDocument {
  readonly path: string;
  readonly text: string;
}

/** Everything that is generated from the catalogue and its schemas. */
export function generateEventDocuments(): GeneratedDocument[] {
  return [
    { path: 'kit/event-data.ts', text: renderEventTypes() },
    { path: 'docs/events.md', text: renderEventsPage() },
    { path: 'docs/asyncapi.json', text: toJsonText(asyncapi()) },
    { path: 'docs/schemas/workforce-event.json', text: toJsonText(buildAnyEventSchema()) },
    ...SHORT_EVENT_TYPES.flatMap((type) => [
      { path: `docs/events/${type}.md`, text: renderEventPage(type) },
      { path: `docs/schemas/${type}.json`, text: toJsonText(buildEventSchema(type)) },
    ]),
  ];
}

function toJsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
