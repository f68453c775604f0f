import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feedDefinition, readRecordText } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { openDoor } from '#shared/core/records/values.ts';
import { isWellFormed, makeJsonWellFormed } from '#shared/core/records/well-formed.ts';
import { clocking, detail, payPeriod, textOf, timesheet } from '#test/support/builders.ts';
import { holds } from '../properties.ts';

const ZONE = 'Pacific/Auckland';
const AT = Date.parse('2026-07-06T00:00:00Z');

function read(values: SourceRecord, timeZone = ZONE): string {
  return readRecordText(feedDefinition('timesheets'), timesheet(values), openDoor(timeZone, AT));
}

describe('what another notation of the same is read as', () => {
  test.each([
    ['2026-03-05T10:00:00Z', '2026-03-05T10:00:00.000Z'],
    ['2026-03-05T10:00Z', '2026-03-05T10:00:00.000Z'],
    ['2026-03-05T10:00:00.5Z', '2026-03-05T10:00:00.500Z'],
    ['2026-03-05T10:00:00.0000000Z', '2026-03-05T10:00:00.000Z'],
    ['2026-03-05T10:00:00.1234567Z', '2026-03-05T10:00:00.123Z'],
    ['2026-03-05T10:00:00+00:00', '2026-03-05T10:00:00.000Z'],
    ['2026-03-05T10:00:00z', '2026-03-05T10:00:00.000Z'],
    ['2026-03-05T23:00:00+13:00', '2026-03-05T10:00:00.000Z'],
    ['2026-03-05T23:00:00+1300', '2026-03-05T10:00:00.000Z'],
    ['2026-03-05T23:00', '2026-03-05T10:00:00.000Z'],
    ['2026-07-05T23:00:00.25', '2026-07-05T11:00:00.250Z'],
    ['2026-03-05', '2026-03-05'],
  ])('the stamp %s is %s', (written, canonical) => {
    expect(read({ approvedHours: written, startTime: written })).toContain(`"${canonical}"`);
    expect(read({ approvedHours: written })).toBe(read({ approvedHours: canonical }));
  });

  test.each([
    ['2026-03-05T09:01:30', '2026-03-05T09:01:30.000'],
    ['2026-03-05T09:01', '2026-03-05T09:01:00.000'],
    ['2026-03-05T09:01:30.5', '2026-03-05T09:01:30.500'],
    ['2026-03-05T09:01:30+13:00', '2026-03-04T20:01:30.000Z'],
  ])('the clock time %s is %s, in every zone', (localTime, canonical) => {
    for (const zone of [ZONE, 'Europe/Berlin'])
      expect(read({ clockIn: clocking({ localTime }) }, zone)).toContain(`"${canonical}"`);
  });
});

test.each([
  ['another second', '2026-03-05T10:00:00Z', '2026-03-05T10:00:01Z'],
  ['a fraction', '2026-03-05T10:00:00Z', '2026-03-05T10:00:00.001Z'],
  ['another offset', '2026-03-05T10:00:00+01:00', '2026-03-05T10:00:00+02:00'],
  ['a day that is none', '2026-02-30T10:00:00Z', '2026-03-02T10:00:00Z'],
  ['more than a date-time', 'at 2026-03-05T10:00:00.000Z', 'at 2026-03-05T10:00:00Z'],
  ['a date', '2026-03-05', '2026-03-05T00:00:00Z'],
])('%s is another value', (_, left, right) => {
  expect(read({ approvedHours: left })).not.toBe(read({ approvedHours: right }));
});

describe('texts that no queue takes, or no bucket can hold', () => {
  test.each([
    ['half an emoji', 'PaySys \ud83d', 'PaySys \ufffd'],
    ['its other half', '\ude00', '\ufffd'],
    ['halves in the wrong order', '\ude00\ud83d', '\ufffd\ufffd'],
    ['a null byte', 'a\u0000b', 'a\ufffdb'],
    ['the end of a line', 'a\nb', 'a\ufffdb'],
    ['an old control character', 'a\u007fb\u0085c\u009f', 'a\ufffdb\ufffdc\ufffd'],
    ['what is no character', '\ufffe\uffff', '\ufffd\ufffd'],
    ['one between others that stay', '"\\n\\" \u001f é 😀', '"\\n\\" \ufffd é 😀'],
  ])('%s is replaced in rows', (_, text, expected) => {
    expect(isWellFormed(text)).toBe(false);
    expect(JSON.parse(textOf(payPeriod({ calendar: text })))[0]).toBe(expected);
  });

  test('all other texts stay as they are', () => {
    holds(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(isWellFormed(text));
        const json = JSON.stringify([text, `${text}\\"`]);
        expect(makeJsonWellFormed(json)).toBe(json);
      }),
    );
  });

  test('whatever comes, the row is well-formed, the same when read again, and survives UTF-8', () => {
    const any = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
    holds(
      fc.property(any, any, (a, b) => {
        const text = read({ approvedPayroll: a, details: [detail({ id: b })] });
        const reference = JSON.parse(text)[16] ?? '';
        expect(Buffer.from(text).toString()).toBe(text);
        expect(isWellFormed(String(reference))).toBe(true);
        expect(makeJsonWellFormed(text)).toBe(text);
      }),
    );
  });
});
