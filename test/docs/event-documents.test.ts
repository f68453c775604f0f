import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { SHORT_EVENT_TYPES, toEventType } from '#shared/core/event-types.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
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

it.each(FEED_NAMES)('the pages of events name every watched field of %s as a cause', (feed) => {
  const { fields, facts, changedBy = {}, changed } = feedDefinition(feed);
  const untold = fields
    .filter(({ silent, hidden }) => silent !== true && hidden !== true)
    .filter(({ name }) => {
      const type = facts.find(({ field }) => field === name)?.forward ?? changedBy[name] ?? changed;
      const [cause] = /It comes .*/.exec(readFileSync(`docs/events/${type}.md`, 'utf8')) ?? [];
      return cause?.includes(`\`${name}\``) !== true;
    });
  expect(untold.map(({ name }) => name)).toEqual([]);
});

describe('the JSON Schema', () => {
  it.each(SHORT_EVENT_TYPES)('of %s accepts it and further members, none less, and no other type', (type) => {
    const schema = JSON.parse(readFileSync(`docs/schemas/${type}.json`, 'utf8'));
    const check = validator().compile(schema);
    const event = exampleEvent(toEventType(type));
    expect(check(event), JSON.stringify(check.errors)).toBe(true);
    expect(check({ ...event, additional: true, data: { ...event.data, additional: [] } })).toBe(true);
    expect(check({ ...event, sequence: '1' })).toBe(false);
    const [first = ''] = Object.keys(event.data);
    const { [first]: _, ...less }: Readonly<Record<string, unknown>> = { ...event.data };
    expect(check({ ...event, data: less })).toBe(false);
    expect(check({ ...event, data: { ...event.data, [first]: [] } })).toBe(false);
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

function validator(): Ajv2020 {
  const ajv = new Ajv2020();
  formats.default(ajv);
  return ajv;
}
