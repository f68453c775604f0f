import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { renderAlertsPage } from './alerts-page.ts';
import { asyncapi } from './asyncapi.ts';
import { buildBusEventSchema, buildNotificationSchema } from './envelope-schemas.ts';
import { buildAnyEventSchema, buildDataSchema, buildEventSchema } from './event-schemas.ts';
import { renderEventsPage } from './events-page.ts';

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
    { path: 'docs/schemas/workforce-event.json', text: toJsonText(buildAnyEventSchema()) },
    { path: 'docs/schemas/envelopes/sns-notification.json', text: toJsonText(buildNotificationSchema()) },
    { path: 'docs/schemas/envelopes/event-bridge-event.json', text: toJsonText(buildBusEventSchema()) },
    ...SHORT_EVENT_TYPES.flatMap((type) => [
      { path: `docs/schemas/${type}.json`, text: toJsonText(buildDataSchema(type)) },
      { path: `docs/schemas/events/${type}.json`, text: toJsonText(buildEventSchema(type)) },
    ]),
  ];
}

function toJsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
