import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toQueueSafeJson } from '#shared/core/queue-safe-json.ts';
import { CODE_POINT } from '#test/support/code-point.ts';

/** What SQS takes, after its documentation, without control characters and what is beyond the first plane. */
const TAKEN = /^[ -\uD7FF\uE000-\uFFFD]*$/;

test.each([
  ['plain', '{"name":"plain"}'],
  ['Zoë Müller', '{"name":"Zoë Müller"}'],
  ['a\uFFFFb\uFFFE', String.raw`{"name":"a\uffffb\ufffe"}`],
  ['😀', String.raw`{"name":"\ud83d\ude00"}`],
  ['\uD800', String.raw`{"name":"\ud800"}`],
])('%j becomes %s', (name, text) => {
  expect(toQueueSafeJson({ name })).toBe(text);
});

test('whatever is in a text, a queue takes it, and who reads it has the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: CODE_POINT }), (name) => {
      const text = toQueueSafeJson({ name, [name]: [name] });
      expect(text).toMatch(TAKEN);
      expect(JSON.parse(text)).toEqual({ name, [name]: [name] });
    }),
    { seed: 5, numRuns: 1_000 },
  );
});
