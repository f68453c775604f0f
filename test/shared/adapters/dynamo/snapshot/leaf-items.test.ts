import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compressed } from '#shared/adapters/dynamo/compression.ts';
import { compressLeaf, readLeafItem, toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import type { Leaf, LeafRow, Tombstone } from '#shared/core/snapshot/snapshot.ts';
import { NOON, sampleLeaf } from '#test/contracts/snapshot-samples.ts';
import { PERIODS } from '#test/fixtures/stored-formats/samples.ts';

const FEED = { connection: 'main', feed: 'timesheets' } as const;

describe('a leaf', () => {
  test('is read as it was written, with any rows and tombstones', () => {
    const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });
    const unlisted = fc.record({ asks: fc.nat(), askedAt: instant });
    const rows = fc.array(
      fc.record(
        { epoch: instant, unlisted, seenAt: instant, remindedAt: instant },
        { requiredKeys: ['epoch'] },
      ),
    );
    const graves = fc.array(fc.record({ epoch: instant }));
    fc.assert(
      fc.property(rows, graves, fc.constantFrom('2026-03-05', 'all'), (of, buried, slice) => {
        const leaf: Leaf = {
          ...sampleLeaf({ slice }, []),
          rows: of.map((each, id): LeafRow => ({ id: `${id}`, state: [id], sequence: 1, sent: {}, ...each })),
          tombstones: buried.map(
            (each, id): Tombstone => ({ id: `t${id}`, sequence: 1, removedAt: 1, ...each }),
          ),
        };
        expect(readLeafItem(toLeafItem(FEED, leaf), leaf)).toEqual(leaf);
      }),
    );
  });

  test('keeps what a pay period remembers of its statements, and the closing of a removed one', () => {
    expect(readLeafItem(toLeafItem(PERIODS.feed, PERIODS.leaf), PERIODS.leaf)).toEqual(PERIODS.leaf);
  });

  test('takes few bytes for epochs', () => {
    const leaf = sampleLeaf(
      {},
      Array.from({ length: 16 }, (_, index) => `${index}_1`),
    );
    const sizeOf = (epoch: (index: number) => object) => {
      const rows = leaf.rows.map((row, index) => ({ ...row, ...epoch(index) }));
      return toLeafItem(FEED, { ...leaf, rows }).d?.B?.length ?? 0;
    };
    const without = sizeOf(() => ({}));

    expect(sizeOf(() => ({ epoch: NOON })) - without).toBeLessThanOrEqual(12);
    expect(sizeOf((index) => ({ epoch: NOON - 86_400_000 * (index % 3) })) - without).toBeLessThanOrEqual(40);
  });
});

describe('bytes that are no leaf', () => {
  const leaf = sampleLeaf({}, ['1_7', '2_7']);
  const item = toLeafItem(FEED, leaf);
  const bytes = item.d?.B ?? new Uint8Array();
  const textOf = (value: unknown) => compressLeaf(JSON.stringify(value));

  test.each([
    ['cut off', bytes.subarray(0, -3)],
    ['none', new Uint8Array()],
    ['of another compression', compressed('[0,null,0,null]')],
    ['no JSON', compressLeaf('[0,null')],
    ['another shape', textOf({ rows: [] })],
    ['rows that are none', textOf([2, [1, 2], 0, null])],
    ['fewer rows than announced', textOf([3, [], 0, null])],
    ['far too many rows', textOf([2 ** 40, null, 0, null])],
    ['instants far outside the calendar', textOf([1, { m: [1, true, 'Z'], d: [1e300] }, 0, null])],
    [
      'lists within lists without an end',
      compressLeaf(`[1,${'{"n":1,"a":'.repeat(20_000)}1${'}'.repeat(20_000)},0,null]`),
    ],
    ['a text of 100 MB', compressLeaf(`[0,"${' '.repeat(100 * 2 ** 20)}",0,null]`)],
  ])('are an error that names the item: %s', (_name, body) => {
    expect(() => readLeafItem({ ...item, d: { B: body } }, leaf)).toThrow(
      expect.objectContaining({
        code: 'store_item_unreadable',
        message: expect.stringMatching(/^item main#timesheets#.* cannot be read \(its rows cannot be read\)/),
      }),
    );
  });

  test('whichever byte was changed, end in that error or in rows', () => {
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const body = Uint8Array.from(bytes, (byte, index) => (index === place ? byte ^ change : byte));
        try {
          expect(readLeafItem({ ...item, d: { B: body } }, leaf).rows).toBeInstanceOf(Array);
        } catch (error) {
          expect(error).toMatchObject({ code: 'store_item_unreadable' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
