import { readFileSync } from 'node:fs';
import specification from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' };
import { Ajv, type Options } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { toEventMessage } from '#shared/adapters/sns/message.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { EVENT_CATALOGUE, SHORT_EVENT_TYPES, toEventType } from '#shared/core/event-types.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { nameEvent } from '#workshop/documents/schema-names.ts';

const document = JSON.parse(readFileSync('docs/asyncapi.json', 'utf8'));
const schemas = validator().addSchema(document, 'asyncapi');
const SAMPLES = new Map(SHORT_EVENT_TYPES.map((type) => [type, exampleEvent(toEventType(type))]));

describe('the AsyncAPI document', () => {
  it('is valid by the specification, version 3.0', () => {
    // The specification includes the meta schema of its draft.
    const check = validator({ meta: false, validateSchema: false }).compile(specification);
    expect(check(document), JSON.stringify(check.errors, null, 2)).toBe(true);
    expect(check({ ...document, channels: { timesheets: { messages: { a: { payload: 7 } } } } })).toBe(false);
  });

  it('has every type in the channel of its topic, and all types in the channel of webhooks', () => {
    const documented = Object.entries<{ messages: object }>(document.channels).map(([name, { messages }]) => [
      name,
      Object.keys(messages),
    ]);
    const topics = EVENT_TOPIC_NAMES.map((topic) => [
      topic,
      SHORT_EVENT_TYPES.filter((type) => EVENT_CATALOGUE[type] === topic),
    ]);
    expect(documented).toEqual([...topics, ['webhook', SHORT_EVENT_TYPES]]);
  });

  it.each(SHORT_EVENT_TYPES)('describes %s as it is sent, and no other type', (type) => {
    const check = schemas.getSchema(`asyncapi#/components/schemas/${nameEvent(type)}`);
    const event = exampleEvent(toEventType(type));
    expect(check?.(event), JSON.stringify(check?.errors)).toBe(true);
    const others = SHORT_EVENT_TYPES.filter((other) => check?.(SAMPLES.get(other)));
    expect(others).toEqual([type]);
  });

  it.each(SHORT_EVENT_TYPES)('describes the message attributes of %s', (type) => {
    const headers = document.components.messageTraits.topicHeaders.headers;
    const check = validator().compile({ ...headers, additionalProperties: false });
    const attributes = Object.entries(
      toEventMessage(JSON.stringify(exampleEvent(toEventType(type))), 0)?.entry.MessageAttributes ?? {},
    );
    const values = Object.fromEntries(attributes.map(([name, { StringValue }]) => [name, StringValue]));
    expect(check(values), JSON.stringify(check.errors)).toBe(true);
    expect(check({ ...values, 'sent-again': 'true' })).toBe(true);
  });
});

function validator(options: Options = {}): Ajv {
  const ajv = new Ajv({ strict: false, ...options });
  formats.default(ajv);
  return ajv;
}
