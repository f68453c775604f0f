import { EXAMPLE_EVENTS } from '#kit/testing.ts';
import {
  EVENT_TOPIC_NAMES,
  type EventTopicName,
  FORMER_ATTRIBUTES,
  MESSAGE_ATTRIBUTES,
  SENT_AGAIN_ATTRIBUTE,
} from '#shared/config/names.ts';
import { EVENT_CONTRACTS } from '#shared/core/definitions/event-schemas.ts';
import {
  EVENT_CATALOGUE,
  SHORT_EVENT_TYPES,
  type ShortEventType,
  toEventType,
} from '#shared/core/event-types.ts';
import { buildEventParts } from './event-schemas.ts';
import type { JsonSchema, SchemaSetting } from './json-schema.ts';
import { nameEvent } from './schema-names.ts';

/** JSON Schema of AsyncAPI 3.0 is of this draft. */
const SETTING: SchemaSetting = { target: 'draft-7', root: '#/components/schemas/', nullable: 'part' };
const VERSION = '1.0.0';
const CONTENT_TYPE = 'application/cloudevents+json';
/** Of every event: hours and ids of employees are personal data, what the watching met says when nobody is watched. */
const CONFIDENTIAL = {
  name: 'confidential',
  description: 'Data classification. An event has ids of employees, times and hours, and never a name.',
};
const TOPIC_HEADERS = 'topicHeaders';
const WEBHOOK_HEADERS = 'webhookHeaders';

/** What is published where, as an AsyncAPI 3.0 document. */
export function asyncapi(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Workforce Change Notifier',
      version: VERSION,
      description:
        'What changed in a workforce-management service: CloudEvents 1.0 on SNS topics, and to webhooks, signed after the Standard Webhooks specification. At least once, each with an id to drop repeats by, and an epoch and a sequence to order the events of a record by.',
      license: { name: 'MIT' },
    },
    defaultContentType: CONTENT_TYPE,
    channels: {
      ...Object.fromEntries(EVENT_TOPIC_NAMES.map((topic) => [topic, topicChannel(topic)])),
      webhook: webhookChannel(),
    },
    operations: Object.fromEntries(
      [...EVENT_TOPIC_NAMES, 'webhook'].map((channel) => [`send-${channel}`, operation(channel)]),
    ),
    components: {
      messageTraits: {
        [TOPIC_HEADERS]: { headers: topicHeaders() },
        [WEBHOOK_HEADERS]: { headers: webhookHeaders() },
      },
      schemas: buildEventParts(SHORT_EVENT_TYPES, SETTING),
    },
  };
}

function topicChannel(topic: EventTopicName): object {
  return {
    address: `{stack}-${topic}`,
    description: `SNS topic. Its ARN is the SSM parameter /{stack}/topics/${topic}/arn.`,
    parameters: { stack: { description: 'Name of the stack.', default: 'workforce-notifier' } },
    messages: messages(
      SHORT_EVENT_TYPES.filter((type) => EVENT_CATALOGUE[type] === topic),
      TOPIC_HEADERS,
    ),
    bindings: { sns: { name: `{stack}-${topic}`, ordering: { type: 'standard' }, bindingVersion: '0.1.0' } },
  };
}

function webhookChannel(): object {
  return {
    address: null,
    description:
      'POST to the address of a webhook in the config. Any 2xx: accepted. 410: send no more. Anything else is retried for three days.',
    messages: messages(SHORT_EVENT_TYPES, WEBHOOK_HEADERS),
  };
}

function operation(channel: string): object {
  const http = { http: { method: 'POST', bindingVersion: '0.3.0' } };
  return {
    action: 'send',
    channel: { $ref: `#/channels/${channel}` },
    ...(channel === 'webhook' ? { bindings: http } : {}),
  };
}

function messages(types: readonly ShortEventType[], headers: string): object {
  return Object.fromEntries(
    types.map((type) => [
      type,
      {
        name: toEventType(type),
        title: toEventType(type),
        summary: EVENT_CONTRACTS[type].meaning,
        contentType: CONTENT_TYPE,
        tags: [CONFIDENTIAL],
        traits: [{ $ref: `#/components/messageTraits/${headers}` }],
        payload: { $ref: `${SETTING.root}${nameEvent(type)}` },
        examples: [{ name: 'sample', payload: EXAMPLE_EVENTS[toEventType(type)] }],
      },
    ]),
  );
}

function topicHeaders(): JsonSchema {
  const text = (description: string) => ({ type: 'string', description });
  return {
    type: 'object',
    description: 'Message attributes of SNS, for filter policies.',
    properties: {
      [MESSAGE_ATTRIBUTES.type]: text('Full name of the type.'),
      [MESSAGE_ATTRIBUTES.connection]: text('Name of the connection.'),
      [MESSAGE_ATTRIBUTES.organisationId]: text('Organisation where the work was done; timesheets only.'),
      [MESSAGE_ATTRIBUTES.departmentId]: text('Of timesheets that have one.'),
      [FORMER_ATTRIBUTES.organisationId]: text('Organisation that a timesheet left with this event.'),
      [FORMER_ATTRIBUTES.departmentId]: text('Department that a timesheet left with this event.'),
      [MESSAGE_ATTRIBUTES.late]: {
        enum: ['true', 'false'],
        description: 'Whether it came after approval, processing or close; not on operations.',
      },
      [SENT_AGAIN_ATTRIBUTE]: { const: 'true', description: 'It was published before.' },
    },
    required: [MESSAGE_ATTRIBUTES.type, MESSAGE_ATTRIBUTES.connection],
  };
}

function webhookHeaders(): JsonSchema {
  return {
    type: 'object',
    description: 'Headers after the Standard Webhooks specification.',
    properties: {
      'webhook-id': { type: 'string', description: 'The id of the event, the same in every attempt.' },
      'webhook-timestamp': {
        type: 'string',
        pattern: '^\\d+$',
        description: 'Seconds since 1970 of this attempt.',
      },
      'webhook-signature': {
        type: 'string',
        description: 'Signatures separated by a space: two while one secret replaces the other.',
      },
      traceparent: {
        type: 'string',
        description: 'The trace that the event begins, as in its body. Not covered by the signature.',
      },
      'webhook-sent-again': {
        const: 'true',
        description: 'It was sent before, and somebody has sent it again. Not covered by the signature.',
      },
    },
    required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  };
}
