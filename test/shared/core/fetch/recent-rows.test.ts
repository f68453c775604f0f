import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RecentRows } from '#shared/core/fetch/scan.ts';
import { makeJsonWellFormed } from '#shared/core/records/notation.ts';
import { digestWellFormed } from '#shared/core/snapshot/snapshot.ts';

describe('rows seen lately', () => {
  test('are digested as if they had not been, whatever came before', () => {
    const seen = fc.record({
      id: fc.constantFrom('1_7', '2_7', '3_7', '4_7'),
      json: fc.constantFrom('["a"]', '["b"]', '["a\\ud83d"]', '["2026-03-05T08:30:00+01:00"]'),
    });
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (rows, maxRows) => {
        const recent = new RecentRows(maxRows);
        for (const { id, json } of rows) {
          const rowText = makeJsonWellFormed(json);
          expect(recent.digested(id, json)).toMatchObject({ rowText, digest: digestWellFormed(id, rowText) });
        }
      }),
    );
  });

  test('are not digested again while they come again', () => {
    const recent = new RecentRows(2);
    const first = recent.digested('1_7', '[1]');
    recent.digested('2_7', '[2]');
    recent.digested('3_7', '[3]');
    expect(recent.digested('1_7', '[1]')).toBe(first);
    recent.digested('4_7', '[4]');
    expect(recent.digested('1_7', '[1]')).toBe(first);
  });

  test('are forgotten when others took their place', () => {
    const recent = new RecentRows(2);
    const first = recent.digested('1_7', '[1]');
    for (const id of ['2_7', '3_7', '4_7', '5_7']) recent.digested(id, '[1]');
    expect(recent.digested('1_7', '[1]')).not.toBe(first);
  });
});
