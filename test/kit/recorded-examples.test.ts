import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordExamples } from './record-examples.ts';

it('the examples are what the notifier publishes of the sample company', async () => {
  const stored = JSON.parse(readFileSync('kit/testing/example-events.json', 'utf8'));
  expect(stored, 'run `npm run docs`').toEqual(await recordExamples());
}, 60_000);
