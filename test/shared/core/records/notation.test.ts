import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import {
  canonicalizeJson,
  isSameValue,
  isWellFormed,
  makeJsonWellFormed,
  makeWellFormed,
} from '#shared/core/records/notation.ts';
import { digestRecord } from '#shared/core/snapshot/snapshot.ts';
import { detail, payPeriod, timesheet } from '#test/support/builders.ts';
import { holds } from '../properties.ts';

const ZONE = 'Pacific/Auckland';

describe('date-times that need no time zone to be the same', () => {
  test.each([
    ['2026-03-05T10:00:00.000Z', '2026-03-05T10:00:00Z'],
    ['2026-03-05T10:00:00.000Z', '2026-03-05T10:00Z'],
    ['2026-03-05T10:00:00.500Z', '2026-03-05T10:00:00.5Z'],
    ['2026-03-05T10:00:00.000Z', '2026-03-05T10:00:00.0000000Z'],
    ['2026-03-05T10:00:00.000Z', '2026-03-05T10:00:00+00:00'],
    ['2026-03-05T10:00:00.000Z', '2026-03-05T10:00:00.000-00:00'],
    ['2026-03-05T10:00:00.000Z', '2026-03-05T10:00:00z'],
    ['2026-03-05T10:00:00.000Z', '2026-03-05T23:00:00+13:00'],
    ['2026-03-05T10:00:00.1234567Z', '2026-03-05T23:00:00.1234567+13:00'],
    ['2026-03-05T10:00:00.000', '2026-03-05T10:00:00'],
    ['2026-03-05T10:00:00', '2026-03-05T10:00'],
  ])('%s and %s', (left, right) => {
    expect(isSameValue(left, right)).toBe(true);
    expect(digestRecord('1_7', JSON.stringify([left, 1]))).toEqual(
      digestRecord('1_7', JSON.stringify([right, 1])),
    );
  });
});

describe('date-times that only a time zone shows to be the same', () => {
  test.each([
    ['2026-03-05T10:00:00.000Z', '2026-03-05T23:00:00'],
    ['2026-03-05T23:00:00+13:00', '2026-03-05T23:00'],
    ['2026-07-05T23:00:00.250', '2026-07-05T11:00:00.25Z'],
  ])('%s and %s', (left, right) => {
    expect(isSameValue(left, right, ZONE)).toBe(true);
    expect(isSameValue([1, [left]], [1, [right]], ZONE)).toBe(true);
    expect(isSameValue(left, right)).toBe(false);
    expect(isSameValue(left, right, 'Europe/Berlin')).toBe(false);
  });
});

describe('values that are not the same', () => {
  test.each([
    ['another second', '2026-03-05T10:00:00Z', '2026-03-05T10:00:01Z'],
    ['a fraction', '2026-03-05T10:00:00Z', '2026-03-05T10:00:00.001Z'],
    ['a fraction of a millisecond', '2026-03-05T10:00:00.0001Z', '2026-03-05T10:00:00Z'],
    ['another offset', '2026-03-05T10:00:00+01:00', '2026-03-05T10:00:00+02:00'],
    ['a day that is none', '2026-02-30T10:00:00Z', '2026-03-02T10:00:00Z'],
    ['more than a date-time', 'at 2026-03-05T10:00:00.000Z', 'at 2026-03-05T10:00:00Z'],
    ['a date-time after a quote', '"2026-03-05T10:00:00.000Z', '"2026-03-05T10:00:00Z'],
    ['a date', '2026-03-05', '2026-03-05T00:00:00Z'],
    ['nothing', null, ''],
    ['a number and its text', 1, '1'],
    ['a longer list', [1], [1, 2]],
    ['a list and an object', [], {}],
    ['another member', { a: 1 }, { b: 1 }],
  ])('%s', (_, left, right) => {
    for (const zone of [undefined, ZONE]) expect(isSameValue(left, right, zone)).toBe(false);
    expect(canonicalizeJson(JSON.stringify([left]))).not.toBe(canonicalizeJson(JSON.stringify([right])));
  });
});

test('what the digest takes for the same, the comparison does, and the other way round', () => {
  const part = fc.constantFrom(
    '2026-03-05T10:00',
    '2026-02-30T24:00',
    ':00',
    ':30',
    '.5',
    '.500',
    '.000',
    'Z',
  );
  const text = fc.array(fc.oneof(part, fc.constantFrom('+00:00', '-13:00', '"', '\\', '\n', '\ud83d', 'T')));
  const value = text.map((parts) => parts.join(''));
  holds(
    fc.property(value, value, (left, right) => {
      const [a, b] = [left, right].map((each) => canonicalizeJson(JSON.stringify([each, { c: null }])));
      expect(isSameValue([left, { c: null }], [right, { c: null }])).toBe(a === b);
      expect(canonicalizeJson(a ?? '')).toBe(a);
      expect(() => JSON.parse(a ?? '')).not.toThrow();
    }),
  );
});

test('details that share an id stand in one order in every notation', () => {
  const details = ['T20:00:00Z', 'T20:00:00.5Z'].map((time) => detail({ startTime: `2026-03-04${time}` }));
  const longer = ['T20:00:00.000Z', 'T20:00:00.500Z'].map((time) =>
    detail({ startTime: `2026-03-04${time}` }),
  );
  const rows = [details, longer, [...longer].reverse()].map((each) => rowOf({ details: each }));
  for (const row of rows) expect(isSameValue(row, rows[0])).toBe(true);
});

describe('texts that no queue takes, or no leaf can hold', () => {
  test.each([
    ['half an emoji', 'PaySys \ud83d', 'PaySys \ufffd'],
    ['its other half', '\ude00', '\ufffd'],
    ['halves in the wrong order', '\ude00\ud83d', '\ufffd\ufffd'],
    ['a null byte', 'a\u0000b', 'a\ufffdb'],
    ['the end of a line', 'a\nb', 'a\ufffdb'],
    ['an old control character', 'a\u007fb\u0085c\u009f', 'a\ufffdb\ufffdc\ufffd'],
    ['what is no character', '\ufffe\uffff', '\ufffd\ufffd'],
    ['one between others that stay', '"\\n\\" \u001f é 😀', '"\\n\\" \ufffd é 😀'],
  ])('%s is replaced in rows, and the schema takes them', (_, text, expected) => {
    expect(isWellFormed(text)).toBe(false);
    expect(makeWellFormed(text)).toBe(expected);
    const row = readRow(feedDefinition('pay-periods'), payPeriod({ calendar: text }));
    expect(row[0]).toBe(expected);
    expect(isSameValue([text], [expected])).toBe(true);
  });

  test('all other texts stay as they are', () => {
    holds(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(isWellFormed(text));
        expect(makeWellFormed(text)).toBe(text);
        expect(makeJsonWellFormed(JSON.stringify([text, `${text}\\"`]))).toBe(
          JSON.stringify([text, `${text}\\"`]),
        );
      }),
    );
  });

  test('whatever comes, the row is well-formed, the same when read again, and survives UTF-8', () => {
    const any = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
    holds(
      fc.property(any, any, (a, b) => {
        const row = rowOf({ approvedPayroll: a, details: [detail({ id: b })] });
        const text = JSON.stringify(row);
        expect(Buffer.from(JSON.parse(text)[16] ?? '').toString()).toBe(row[16] ?? '');
        expect(isWellFormed(String(row[16]))).toBe(true);
        expect(makeJsonWellFormed(text)).toBe(text);
      }),
    );
  });
});

function rowOf(values: Parameters<typeof timesheet>[0]) {
  return readRow(feedDefinition('timesheets'), timesheet(values));
}
