import { readFileSync } from 'node:fs';
import specification from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' };
import { Ajv, type Options } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { toEventMessage } from '#shared/adapters/sns/message.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { EVENT_CATALOGUE, SHORT_EVENT_TYPES, toEventType } from '#shared/core/event-types.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import type { JsonSchema } from '#workshop/documents/json-schema.ts';
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

  it('names every object, so that generators of code do not number them', () => {
    const found = Object.entries<JsonSchema>(document.components.schemas);
    for (const [name, schema] of found) {
      expect(schema.title).toBe(name);
      expect(findAnonymous(schema), name).toEqual([]);
    }
    expect(found.length).toBeGreaterThan(SHORT_EVENT_TYPES.length + 20);
    expect(findAnonymous({ properties: { a: { anyOf: [{ properties: {} }, { type: 'null' }] } } })).toEqual([
      '/properties/a/anyOf',
      '/properties/a/anyOf/0',
    ]);
  });

  it('has no reference without a target', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/(?<path>[^"]+)"/g)];
    for (const { groups } of references) {
      const found = groups?.path?.split('/').reduce((value, name) => value?.[name], document);
      expect(found, groups?.path).toBeTypeOf('object');
    }
    expect(references.length).toBeGreaterThan(SHORT_EVENT_TYPES.length * 3);
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

/** Where a schema has an object, or a choice, that is not a reference: a generator invents a name for its type. */
function findAnonymous(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = path !== '' && ('properties' in schema || 'anyOf' in schema);
  const at = 'anyOf' in schema ? `${path}/anyOf` : path;
  const inner = Object.entries(schema).flatMap(([name, value]) => findAnonymous(value, `${path}/${name}`));
  return /\/properties$/.test(path) ? inner : [...(own ? [at] : []), ...inner];
}

function validator(options: Options = {}): Ajv {
  const ajv = new Ajv({ strict: false, ...options });
  formats.default(ajv);
  return ajv;
}
