import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packColumn, unpackColumn } from '#shared/adapters/dynamo/snapshot/columns.ts';
import type { Json } from '#shared/core/records/fields.ts';
import { CODE_POINT } from '#test/support/code-point.ts';

const ORIGIN = Date.parse('2026-03-05');

describe('rows in columns', () => {
  test('come back as they were, whatever JSON they are', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (rows) => {
        // JSON has one zero.
        const values = JSON.parse(JSON.stringify(rows)) as Json[];
        expect(packedAndBack(values)).toEqual(values);
      }),
      { numRuns: 300 },
    );
  });

  test('come back as they were when they look like records', () => {
    fc.assert(
      fc.property(fc.array(likeRecord(), { maxLength: 30 }), (rows) => {
        const values = JSON.parse(JSON.stringify(rows)) as Json[];
        expect(packedAndBack(values)).toEqual(values);
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
    expect(packedAndBack(values as Json[])).toEqual(values);
  });

  test('of texts come back as they were, whatever they look like', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: CODE_POINT }),
      fc.stringMatching(/^[-0-9:._TZ]{0,30}$/),
      nearlyMoment(),
    );
    fc.assert(
      fc.property(fc.array(fc.option(text), { maxLength: 4 }), (values) => {
        expect(packedAndBack(values)).toEqual(values);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['one value for all', ['1_7', '1_7'], '1_7'],
    ['ids', ['2429_1', null, '2430_1', '2400_1'], { i: '_1', d: [2429, null, 1, -30] }],
    ['ids of two kinds', ['2429_1', '2430_2'], ['2429_1', '2430_2']],
    [
      'moments',
      ['2026-03-05T08:30:00.000Z', null, '2026-03-04T23:00:00.000Z'],
      { m: [60_000, true, 'Z'], d: [510, null, -60] },
    ],
    ['local times', ['2026-03-05T08:30:00', '2026-03-05T00:00:01'], { m: [1000, false, ''], d: [30_600, 1] }],
    ['instants', [ORIGIN, ORIGIN + 5, null], { w: [0, 5, null] }],
    [
      'lists of one length',
      [
        ['a', 1],
        ['b', 1],
      ],
      { n: 2, p: [['a', 'b'], 1] },
    ],
    ['lists beside none', [['a'], null, ['b', 2]], { n: [1, null, 2], p: [['a', 'b'], 2] }],
    ['lists of lists', [[['a', 1]], [], [['b', 1]]], { n: [1, 0, 1], a: { n: 2, p: [['a', 'b'], 1] } }],
  ])('%s', (_name, values, packed) => {
    expect(packColumn(values as Json[], ORIGIN)).toEqual(packed);
    expect(unpackColumn(packed, values.length, ORIGIN)).toEqual(values);
  });

  test.each([
    ['fewer values than announced', [1, 2], 3],
    ['a number of values that is none', [1], 0.5],
    ['more values than a leaf can hold', null, 2 ** 20 + 1],
    ['more values than a leaf can hold, in lists of one', { n: 2 ** 19, a: null }, 4],
    ['lists of no length', { n: 'many', p: [] }, 2],
    ['lists without their columns', { n: 2, p: [1] }, 2],
    ['steps that are no numbers', { i: '_1', d: ['1', 2] }, 2],
    ['moments without a unit', { m: null, d: [1, 2] }, 2],
    ['an object of another form', { z: 1 }, 2],
  ])('%s are an error', (_name, packed, count) => {
    expect(() => unpackColumn(packed, count, ORIGIN)).toThrow('do not hold the values that they announce');
  });
});

function packedAndBack(values: readonly Json[]): Json[] {
  const packed: unknown = JSON.parse(JSON.stringify(packColumn(values, ORIGIN)));
  return unpackColumn(packed, values.length, ORIGIN);
}

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
