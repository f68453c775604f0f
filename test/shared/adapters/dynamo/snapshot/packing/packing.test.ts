import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unpackRows } from '#shared/adapters/dynamo/snapshot/packing/column-reader.ts';
import { packRows } from '#shared/adapters/dynamo/snapshot/packing/column-writer.ts';
import { patternWriter, splitText } from '#shared/adapters/dynamo/snapshot/packing/texts.ts';
import type { Json } from '#shared/core/records/fields.ts';

const ORIGIN = Date.parse('2026-03-05');

describe('rows in columns', () => {
  test('come back as they were, whatever JSON they are', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (rows) => {
        // JSON has one zero.
        const values = JSON.parse(JSON.stringify(rows)) as Json[];
        expect(unpackRows(packRows(values, ORIGIN), ORIGIN)).toEqual(values);
      }),
      { numRuns: 300 },
    );
  });

  test('come back as they were when they look like records', () => {
    fc.assert(
      fc.property(fc.array(likeRecord(), { maxLength: 30 }), (rows) => {
        const values = JSON.parse(JSON.stringify(rows)) as Json[];
        expect(unpackRows(packRows(values, ORIGIN), ORIGIN)).toEqual(values);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    [
      'numbers at the edge of what is exact',
      [2 ** 50, -(2 ** 50), 2 ** 50 - 1, 1 - 2 ** 50, 2 ** 53, 0.1 + 0.2],
    ],
    ['numbers of every size', [1e21, -1e-7, 5e-324, Number.MAX_VALUE, 99.99, -0.01, 12.345]],
    ['ids longer than a number', ['123456789012345678901234567890_4711', '000123', '0', '00']],
    [
      'texts that are nearly moments',
      ['2026-02-30T10:00:00.000Z', '2026-03-05T24:00:00Z', '0000-01-01T00:00:00Z'],
    ],
    ['offsets', ['2026-03-05T10:00:00.123+13:00', '2026-03-05T10:00:00-00:00', '2026-03-05T10:00:00.1Z']],
    ['lists of different kinds', [[], [[]], [1, [2]], [{ a: 1 }], null, 'x']],
    [
      'members with names of their own',
      [{ __proto__: null, constructor: 1 }, JSON.parse('{"__proto__":{"a":1}}')],
    ],
    ['lone surrogates are not JSON we get, others are', ['\u{1F600}', 'e\u0301', '\u0000']],
  ])('%s', (_name, values) => {
    expect(unpackRows(packRows(values as Json[], ORIGIN), ORIGIN)).toEqual(values);
  });

  test('bytes that end early, or announce too much, are an error', () => {
    const bytes = packRows([['1_1', 'a text', 5]], ORIGIN);

    expect(() => unpackRows(bytes.subarray(0, -2), ORIGIN)).toThrow('end before');
    expect(() => unpackRows(new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x70]), ORIGIN)).toThrow('announce');
    expect(() => unpackRows(new Uint8Array(64).fill(0xff), ORIGIN)).toThrow('without an end');
  });
});

describe('a text taken apart', () => {
  test.each([
    ['2429_1', '=0_0', [2429, 1]],
    ['PAYROLL-2026-01-05-11723_1', '=PAYROLL-4-2-2-5_0', [2026, 1, 5, 11_723, 1]],
    ['2026-03-05T08:30:00.000Z', '@m.Z', [29_544_990]],
    ['2026-03-05T08:30:01Z', '@sZ', [1_772_699_401]],
    ['2026-03-05T08:30:01.005', '@i.', [1_772_699_401_005]],
  ])('%s', (text, pattern, numbers) => {
    expect(splitText(text)).toEqual({ pattern, numbers });
  });

  test('put together again is the same text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-0-9:._TZ]{0,30}$/), nearlyMoment()), (text) => {
        const { pattern, numbers } = splitText(text);
        expect(patternWriter(pattern)(numbers)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** With months, days, hours and zones that there are, and some that there are not. */
function nearlyMoment() {
  const two = (most: number) =>
    fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
  const zone = fc.constantFrom('', 'Z', '+13:00', '-03:30', '+99:99');
  return fc
    .tuple(two(13), two(32), two(25), two(61), fc.constantFrom('', '.000', '.123', '.5'), zone)
    .map(
      ([month, day, hour, minute, fraction, end]) =>
        `2026-${month}-${day}T${hour}:${minute}:00${fraction}${end}`,
    );
}

function likeRecord() {
  const id = fc.integer({ min: 1, max: 99_999 }).map((number) => `${number}_4711`);
  const stamp = fc
    .date({ min: new Date('2026-03-01'), max: new Date('2026-03-09'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const clock = fc.option(fc.tuple(id, stamp, fc.integer({ min: -30, max: 30 }), fc.boolean()));
  const hours = fc.integer({ min: 0, max: 2_400 }).map((value) => value / 100);
  return fc.tuple(id, fc.option(id), stamp, clock, hours, fc.array(fc.tuple(id, stamp, hours)));
}
