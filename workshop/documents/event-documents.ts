import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { asyncapi } from './asyncapi.ts';
import {
  buildAnyEventSchema,
  buildDataSchema,
  buildEventParts,
  buildEventSchema,
  DIALECT,
  listEvents,
  SETTING,
  URI,
} from './event-schemas.ts';
import { renderEventTypes } from './event-types.ts';
import { renderEventsPage } from './events-page.ts';
import type { JsonSchema } from './json-schema.ts';
import { ANY_EVENT } from './schema-names.ts';

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

const text = (description: string): JsonSchema => ({ type: 'string', description });
const moment = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

/** What a queue or an HTTPS endpoint of a topic gets without raw message delivery. The event is a text in it. */
function buildNotificationSchema(): JsonSchema {
  return envelope({
    name: 'SnsNotification',
    description: 'What SNS sends to a queue, an HTTPS endpoint or a Lambda without raw message delivery.',
    properties: {
      Type: { type: 'string', const: 'Notification' },
      MessageId: text('Of SNS: a repeated event has another one. Drop repeats by the id of the event.'),
      TopicArn: text('The topic.'),
      Message: {
        ...text('The event.'),
        contentMediaType: 'application/json',
        contentSchema: { $ref: `${URI}event:1` },
      },
      Timestamp: moment('When SNS took it.'),
      MessageAttributes: {
        type: 'object',
        description: 'The message attributes that filter policies read, by name.',
        additionalProperties: { $ref: `${SETTING.root}SnsAttribute` },
      },
    },
    optional: ['MessageAttributes'],
    parts: {
      SnsAttribute: {
        title: 'SnsAttribute',
        type: 'object',
        properties: { Type: { type: 'string' }, Value: { type: 'string' } },
        required: ['Type', 'Value'],
        additionalProperties: true,
      },
    },
  });
}

/** What a rule of EventBridge sends to its targets. */
function buildBusEventSchema(): JsonSchema {
  return envelope({
    name: 'EventBridgeEvent',
    description: 'What a rule of EventBridge sends to its targets.',
    properties: {
      version: text('Of the envelope.'),
      id: text('Of EventBridge: a repeated event has another one. Drop repeats by the id of the event.'),
      'detail-type': text('The `type` of the event.'),
      source: text('The `source` of the event.'),
      account: text('Number of the account.'),
      time: moment('The `time` of the event, to the second.'),
      region: text('Region of the bus.'),
      resources: {
        type: 'array',
        items: { type: 'string' },
        description: '`example` of an example, otherwise empty.',
      },
      detail: { $ref: `${SETTING.root}${ANY_EVENT}` },
    },
    optional: [],
    parts: {
      ...buildEventParts(SHORT_EVENT_TYPES, SETTING),
      [ANY_EVENT]: { title: ANY_EVENT, oneOf: listEvents() },
    },
  });
}

interface Envelope {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly optional: readonly string[];
  readonly parts: Readonly<Record<string, JsonSchema>>;
}

function envelope({ name, description, properties, optional, parts }: Envelope): JsonSchema {
  return {
    $schema: DIALECT,
    $id: `${URI}envelope:${name}:1`,
    title: name,
    description,
    type: 'object',
    properties,
    required: Object.keys(properties).filter((member) => !optional.includes(member)),
    additionalProperties: true,
    $defs: parts,
  };
}
