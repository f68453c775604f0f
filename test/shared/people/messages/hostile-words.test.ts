import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exampleEvents } from '#kit/testing/example-event.ts';
import { cleanText, fitLine } from '#shared/people/messages/clean-text.ts';
import { NAMED_KINDS, type Names } from '#shared/people/names/names.ts';
import { readableEventSchema, toSentence } from '#shared/people/words/sentences.ts';
import { CODE_POINT } from '#test/support/code-point.ts';

/** Names, ids and other texts from outside that want to be more than texts. */

/** Breaks a line, turns it round, or is not seen. */
const FORBIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u2800\u3164\uffa0]|\u034f|\ufe0f|\p{M}{4}/u;

const hostile = fc.oneof(
  fc.string({ unit: CODE_POINT, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' \n ',
    '\u202egnirts desrever',
    'Ana\u0000\u0007\r\nBcc: all@acme.example',
    'A\u200b\u200c\u200d\u2060\ufeffna',
    'a\u2028b\u2029c\u0085d',
    `Z${'\u0301'.repeat(200)}`,
    '\ud800',
    '\u{e0041}\u{e0042}',
    'x'.repeat(200),
    '😀'.repeat(100),
    '__proto__',
  ),
);
const SAMPLES = exampleEvents().map((event) => JSON.stringify(event));

describe('a text from outside', () => {
  test.each([
    ['Ana Lee', 'Ana Lee'],
    ['  Ana \t\n Lee ', 'Ana Lee'],
    ['Ana\u00a0Lee', 'Ana Lee'],
    ['A\u200bna\u202e Lee\u2066', 'Ana Lee'],
    ['Zoë Müller-Łoś', 'Zoë Müller-Łoś'],
    ['José', 'José'],
    ['山田 太郎', '山田 太郎'],
    ['a\ud800b', 'a b'],
    ['a\uffffb\ufffec\u{1ffff}', 'a b c'],
    ['\u3164\u2800', ''],
    ['👩‍🍳 Cook', '👩🍳 Cook'],
    ['Log in at https://evil.example/x now', 'Log in at https: //evil. example/x now'],
    ['www.evil.example', 'www. evil. example'],
    ['evil\u3002example', 'evil\u3002 example'],
    ['pay@evil.example', 'pay@ evil. example'],
    ['mailto:a@b.nz', 'mailto:a@ b. nz'],
    ['J.R. Smith, 2.5 h at 9:30', 'J.R. Smith, 2.5 h at 9:30'],
    ['x'.repeat(81), `${'x'.repeat(77)}...`],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['😀'.repeat(41), `${'😀'.repeat(38)}...`],
  ])('%j is reported as %j', (text, plain) => {
    expect(cleanText(text)).toBe(plain);
  });

  test('is one line of at most 80 characters in which everything is seen, whatever it is', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const plain = cleanText(text);
        expect(plain).not.toMatch(FORBIDDEN);
        expect(plain.length).toBeLessThanOrEqual(80);
        expect(plain).toBe(cleanText(plain));
      }),
      { seed: 31, numRuns: 5_000 },
    );
  });

  test('a line that is too long is cut before its ending', () => {
    const line = fitLine('x'.repeat(1_000), ', after approval.');
    expect(line).toHaveLength(600);
    expect(line.endsWith('xxx..., after approval.')).toBe(true);
  });
});

test('a sentence with such texts in it is one line of at most 600 characters, the same every time', () => {
  const mostCharacters: number[] = [];
  fc.assert(
    fc.property(
      fc.constantFrom(...SAMPLES),
      fc.array(hostile, { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      (sample, texts, shown) => {
        const event = readableEventSchema.parse(replaced(JSON.parse(sample), texts));
        const audience = {
          timeZone: 'Pacific/Auckland',
          names: shown ? namesWith(event, texts) : namesWith({}, []),
        };
        const line = toSentence(event, audience);
        expect(line).not.toMatch(FORBIDDEN);
        expect(line.length).toBeLessThanOrEqual(600);
        expect(line).toMatch(/^[A-Z0-9].*\.$/u);
        expect(line).not.toContain('undefined');
        expect(toSentence(event, audience)).toBe(line);
        mostCharacters.push(line.length);
      },
    ),
    { seed: 32, numRuns: 3_000 },
  );
  expect(Math.max(...mostCharacters)).toBeGreaterThan(400);
});

/** Texts in the data whose values nothing else depends on. */
const FREE =
  /^(?:timesheetId|employeeId|departmentId|organisationId|calendar|reason|webhook|eventId|eventType|slice|recordId|approvedPayroll|approvedHours|processed|closed|payRollProvider|payRollCompanyId|roleId|localTime|activity|date|startDate|startTime|from|issues|changed|occurredAt)$/;

function replaced(value: unknown, texts: readonly string[], name = ''): unknown {
  if (name === 'missing' || name === 'asOf') return value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, texts, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each, texts, key)]));
  }
  return typeof value === 'string' && FREE.test(name) ? (texts[name.length % texts.length] ?? value) : value;
}

function namesWith(event: object, texts: readonly string[]): Names {
  const ids = JSON.stringify(event).match(/"(?:\\.|[^"\\])*"/g) ?? [];
  const names = new Map(
    ids.map((id, index) => [JSON.parse(id) as string, texts[index % texts.length] ?? '']),
  );
  return Object.fromEntries(NAMED_KINDS.map((kind) => [kind, names])) as unknown as Names;
}
