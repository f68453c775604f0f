import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventSchema } from '#shared/core/event-schemas.ts';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { eventDocuments } from '../../docs/generate/event-documents.ts';
import { eventExamples } from '../../docs/generate/event-examples.ts';

describe('the documents generated from the catalogue', () => {
  it.each(eventDocuments().map(({ path, text }) => [path, text] as const))(
    '%s is up to date',
    (path, text) => {
      expect(readFileSync(path, 'utf8'), 'run `npm run docs`').toBe(text);
    },
  );

  it('leave no schema of a type that is gone', () => {
    const generated = eventDocuments().map(({ path }) => path);
    const present = readdirSync('docs/schemas').map((name) => `docs/schemas/${name}`);
    expect(present.filter((path) => !generated.includes(path))).toEqual([]);
  });

  it('show examples that fit their schemas', () => {
    const examples = eventExamples().map(({ event }) => event as { type: string });
    for (const event of examples) {
      const type = event.type.replace('workforce.', '') as ShortEventType;
      expect(eventSchema(type).safeParse(event).error?.issues).toBeUndefined();
    }
    expect(examples.length).toBeGreaterThan(3);
  });
});
