import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parseEvent } from '#kit/parse-event.ts';
import { SHORT_EVENT_TYPES, toEventType } from '#shared/core/event-types.ts';
import { inBusEnvelope } from '#test/support/bus-envelope.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { generateEventDocuments } from '#workshop/documents/event-documents.ts';

const DOCUMENTS = generateEventDocuments();
const SAMPLES = new Map(SHORT_EVENT_TYPES.map((type) => [type, exampleEvent(toEventType(type))]));

describe('the documents generated from the event catalogue', () => {
  it.each(DOCUMENTS.map(({ path, text }) => [path, text] as const))('%s is up to date', (path, text) => {
    expect(readFileSync(path, 'utf8'), 'run `npm run docs`').toBe(text);
  });

  it.each(['docs/schemas', 'docs/events'])('have nothing in %s of a type that no longer exists', (folder) => {
    const generated = DOCUMENTS.map(({ path }) => path);
    const present = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`);
    expect(present.filter((path) => !generated.includes(path))).toEqual([]);
    expect(present.length).toBeGreaterThanOrEqual(SHORT_EVENT_TYPES.length);
  });
});

describe('the JSON Schema', () => {
  it.each(SHORT_EVENT_TYPES)(
    'of %s accepts its data and further fields, but no missing or mistyped one',
    (type) => {
      const { data: example, dataschema } = exampleEvent(toEventType(type));
      const data: Readonly<Record<string, unknown>> = { ...example };
      const schema = JSON.parse(readFileSync(`docs/schemas/${type}.json`, 'utf8'));
      const check = validator().compile(schema);
      expect(check(data), JSON.stringify(check.errors)).toBe(true);
      expect(schema.$id).toBe(dataschema);

      expect(check({ ...data, additional: true })).toBe(true);
      const [first = ''] = Object.keys(data);
      const { [first]: _, ...less } = data;
      expect(check(less)).toBe(false);
      expect(check({ ...data, [first]: [] })).toBe(false);
    },
  );
});

describe('the JSON Schema of whole events', () => {
  it.each(SHORT_EVENT_TYPES)('of %s accepts it and further members, and no other type', (type) => {
    const schema = JSON.parse(readFileSync(`docs/schemas/events/${type}.json`, 'utf8'));
    const check = validator().compile(schema);
    const event = exampleEvent(toEventType(type));
    expect(check(event), JSON.stringify(check.errors)).toBe(true);
    expect(check({ ...event, additional: true, data: { ...event.data, additional: [] } })).toBe(true);
    expect(check({ ...event, sequence: '1' })).toBe(false);
    expect(check({ ...event, data: {} })).toBe(false);
    const others = SHORT_EVENT_TYPES.filter((other) => check(SAMPLES.get(other)));
    expect(others).toEqual([type]);
  });

  it('of any type accepts each, and nothing else', () => {
    const check = validator().compile(JSON.parse(readFileSync('docs/schemas/workforce-event.json', 'utf8')));
    for (const type of SHORT_EVENT_TYPES) {
      const event = exampleEvent(toEventType(type));
      expect(check(event), type).toBe(true);
      expect(check({ ...event, type: 'workforce.timesheet.praised' })).toBe(false);
    }
  });
});

describe('the JSON Schema of what AWS wraps around an event', () => {
  const event = exampleEvent('workforce.timesheet.approved');

  it('of SNS accepts its notification, with attributes and without', () => {
    const check = validator().compile(
      JSON.parse(readFileSync('docs/schemas/envelopes/sns-notification.json', 'utf8')),
    );
    const notification = {
      Type: 'Notification',
      MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      TopicArn: 'arn:aws:sns:ap-southeast-2:123456789012:workforce-notifier-timesheets',
      Message: JSON.stringify(event),
      Timestamp: '2026-11-12T21:16:01.004Z',
    };
    const MessageAttributes = { type: { Type: 'String', Value: event.type } };
    expect(check(notification), JSON.stringify(check.errors)).toBe(true);
    expect(check({ ...notification, MessageAttributes, UnsubscribeURL: 'https://sns.example' })).toBe(true);
    expect(check({ ...notification, Message: event })).toBe(false);
    expect(parseEvent(notification)).toMatchObject({ outcome: 'event' });
  });

  it('of EventBridge accepts an event of any type as its detail, and nothing else', () => {
    const check = validator().compile(
      JSON.parse(readFileSync('docs/schemas/envelopes/event-bridge-event.json', 'utf8')),
    );
    for (const type of SHORT_EVENT_TYPES) {
      const envelope = inBusEnvelope(exampleEvent(toEventType(type)));
      expect(check(envelope), `${type} ${JSON.stringify(check.errors)}`).toBe(true);
      expect(parseEvent(envelope)).toMatchObject({ outcome: 'event' });
    }
    expect(check(inBusEnvelope({ ...event, sequence: '1' }))).toBe(false);
  });
});

function validator(): Ajv2020 {
  const ajv = new Ajv2020();
  formats.default(ajv);
  return ajv;
}
