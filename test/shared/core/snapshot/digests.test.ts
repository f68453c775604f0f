import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeLeafIndex,
  createDigests,
  digestRecord,
  hasDigest,
  isEmptyDigest,
  isSameDigest,
  isSameRecord,
  type RecordDigest,
  setDigest,
  toggleDigest,
} from '#shared/core/snapshot/snapshot.ts';
import { holds } from '#test/shared/core/properties.ts';

const LEAVES = 7;
const records = fc.uniqueArray(fc.record({ id: fc.string(), text: fc.string() }), {
  selector: ({ id }) => id,
  maxLength: 60,
});

describe('the digest of a record', () => {
  test('never changes between versions: the first bytes of SHA-256, as two little-endian numbers', () => {
    // `printf '1001_7\n[1]' | sha256sum` begins with 8f415d1a 01fbd20d.
    expect(digestRecord('1001_7', '[1]')).toEqual({ high: 0x1a5d418f, low: 0x0dd2fb01 });
    expect(digestRecord('ä_1', '["é"]')).toEqual({ high: -1_837_276_858, low: 1_541_042_179 });
  });

  test('differs with its id, with its contents, and with where the id ends', () => {
    const digests = [
      digestRecord('1_7', '[1]'),
      digestRecord('2_7', '[1]'),
      digestRecord('1_7', '[2]'),
      digestRecord('1_', '7[1]'),
      digestRecord('1_7[', '1]'),
      digestRecord('1_7[1]', ''),
      digestRecord('', '1_7[1]'),
    ];
    expect(new Set(digests.map(textOf)).size).toBe(digests.length);
    expect(new Set(digests.map(({ high }) => high)).size).toBe(digests.length);
    expect(new Set(digests.map(({ low }) => low)).size).toBe(digests.length);
  });

  test('meets no other among many that are nearly alike, in either half', () => {
    const digests = Array.from({ length: 20_000 }, (_, n) => digestRecord(`${n % 200}_7`, `[${n}]`));
    expect(new Set(digests.map(textOf)).size).toBe(digests.length);
    for (const half of ['high', 'low'] as const) {
      expect(new Set(digests.map((digest) => digest[half])).size).toBeGreaterThan(digests.length - 5);
    }
  });

  test('changes about half of its bits when one character does', () => {
    const flips = Array.from({ length: 500 }, (_, n) => {
      const [a, b] = [digestRecord(`${n}_7`, '[7.5]'), digestRecord(`${n}_7`, '[7.6]')];
      return bitsOf(a.high ^ b.high) + bitsOf(a.low ^ b.low);
    });
    const mean = flips.reduce((sum, bits) => sum + bits, 0) / flips.length;
    expect(mean).toBeGreaterThan(30);
    expect(mean).toBeLessThan(34);
  });
});

describe('the digests of leaves', () => {
  test('are equal for equal contents, whatever the order', () => {
    const shuffled = records.chain((some) =>
      fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
    );
    holds(
      fc.property(shuffled, ([some, others]) => {
        expect(digestsOf(others)).toEqual(digestsOf(some));
      }),
    );
  });

  test('show any record that is more, less or another', () => {
    holds(
      fc.property(records, fc.nat(), (some, nth) => {
        const one = some[nth % Math.max(1, some.length)];
        if (one === undefined) return;
        const rest = some.filter((record) => record !== one);
        expect(digestsOf(rest)).not.toEqual(digestsOf(some));
        expect(digestsOf([...rest, { ...one, text: `${one.text} ` }])).not.toEqual(digestsOf(some));
      }),
    );
  });

  test('are as they were when a record is put in and taken out again', () => {
    holds(
      fc.property(records, fc.string(), fc.string(), (some, id, text) => {
        const digests = digestsOf(some);
        toggleDigest(digests, computeLeafIndex(id, LEAVES), digestRecord(id, text));
        toggleDigest(digests, computeLeafIndex(id, LEAVES), digestRecord(id, text));
        expect(digests).toEqual(digestsOf(some));
      }),
    );
  });

  test('change only where the record is', () => {
    const digests = createDigests(3);
    toggleDigest(digests, 1, { high: -1, low: 5 });
    expect([...digests]).toEqual([0, 0, -1, 5, 0, 0]);
    expect([0, 1, 2].map((index) => isEmptyDigest(digests, index))).toEqual([true, false, true]);
    expect([0, 1, 2].map((index) => isSameDigest(digests, createDigests(3), index))).toEqual([
      true,
      false,
      true,
    ]);
  });

  test.each<[string, RecordDigest]>([
    ['high', { high: 3, low: 0 }],
    ['low', { high: 0, low: 3 }],
  ])('are distinguished by their %s half alone', (_, digest) => {
    const digests = createDigests(1);
    toggleDigest(digests, 0, digest);
    expect(isSameDigest(digests, createDigests(1), 0)).toBe(false);
    expect(isEmptyDigest(digests, 0)).toBe(false);
    expect(hasDigest(digests, 0, digest)).toBe(true);
    expect(hasDigest(digests, 0, { high: 0, low: 0 })).toBe(false);
    expect(isSameRecord(digest, { ...digest })).toBe(true);
    expect(isSameRecord(digest, { high: 0, low: 0 })).toBe(false);
  });

  test('are replaced one by one, and compared one by one', () => {
    const [some, others] = [createDigests(3), createDigests(3)];
    for (const index of [0, 1, 2]) setDigest(some, index, { high: 10 + index, low: 20 + index });
    setDigest(others, 1, { high: 11, low: 21 });
    setDigest(others, 0, { high: 13, low: 23 });

    expect([...some]).toEqual([10, 20, 11, 21, 12, 22]);
    expect([0, 1, 2].map((index) => isSameDigest(some, others, index))).toEqual([false, true, false]);
    expect([0, 1, 2].map((index) => isEmptyDigest(others, index))).toEqual([false, false, true]);
    expect(hasDigest(some, 1, { high: 11, low: 21 })).toBe(true);
    expect(hasDigest(some, 2, { high: 11, low: 21 })).toBe(false);
  });
});

describe('the leaf of a record', () => {
  test('never changes between versions', () => {
    const ids = ['1001_7', '1002_7', '910001_4711', '', 'ä_1'];
    expect(ids.map((id) => computeLeafIndex(id, 144))).toEqual([128, 26, 79, 60, 55]);
  });

  test('is one of those there are', () => {
    holds(
      fc.property(fc.string(), fc.integer({ min: 1, max: 2_000 }), (id, leafCount) => {
        const index = computeLeafIndex(id, leafCount);
        expect(Number.isInteger(index) && index >= 0 && index < leafCount).toBe(true);
      }),
    );
  });

  test.each([
    [1_400, 100, 1],
    [1_400, 100, 10],
    [2_016, 144, 1],
    [560, 40, 1],
    [140, 10, 2],
    [1_792, 128, 1],
    [28, 2, 1],
  ])('is spread evenly: %i sequential ids over %i leaves, step %i', (count, leafCount, step) => {
    for (const first of [1, 1_000, 910_001, 12_345_678]) {
      const sizes = new Array<number>(leafCount).fill(0);
      for (let n = 0; n < count; n += 1) {
        const index = computeLeafIndex(`${first + n * step}_4711`, leafCount);
        sizes[index] = (sizes[index] ?? 0) + 1;
      }
      const expected = count / leafCount;
      const chiSquare = sizes.reduce((sum, size) => sum + (size - expected) ** 2 / expected, 0);
      // Mean and deviation of chi-square are those of its degrees of freedom; five deviations are a lot.
      const freedom = leafCount - 1;
      expect(chiSquare).toBeLessThan(freedom + 5 * Math.sqrt(2 * freedom));
    }
  });
});

function digestsOf(some: readonly { readonly id: string; readonly text: string }[]) {
  const digests = createDigests(LEAVES);
  for (const { id, text } of some)
    toggleDigest(digests, computeLeafIndex(id, LEAVES), digestRecord(id, text));
  return digests;
}

function textOf({ high, low }: RecordDigest): string {
  return `${high}/${low}`;
}

function bitsOf(value: number): number {
  return (value >>> 0).toString(2).replaceAll('0', '').length;
}
