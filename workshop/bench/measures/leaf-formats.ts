import { compressed } from '#shared/adapters/dynamo/compression.ts';
import { toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import type { Json } from '#shared/core/records/fields.ts';
import type { Leaf } from '#shared/core/snapshot/snapshot.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { buildCountRow, type Row } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 16;
const DATE = '2026-11-16';
const EPOCH = Date.parse('2026-11-01T03:04:05.678Z');
/** Each size is the mean of this many leaves. */
const LEAVES = 20;
const PER_DATE = 50_000;
const IDS_OF_A_KIND = 200_000;
const FEED = { connection: 'bench', feed: 'timesheets' } as const;

/** Bytes of a leaf of new timesheets, beside general compression of the same rows (ADR 31). */
export function measureLeafFormats(): Row[] {
  return [16, 24, 32].map((count) => {
    const leaves = Array.from({ length: LEAVES }, (_, leaf) => createLeafOf(createRows(count, SEED + leaf)));
    return buildCountRow({
      topic: 'storage',
      metric: `bytes of ${count} timesheets in a leaf`,
      baseline: 'rows as JSON, brotli',
      value: computeMeanBytes(leaves, ({ rows }) => compressed(JSON.stringify(rows))),
      ours: computeMeanBytes(leaves, (leaf) => toLeafItem(FEED, leaf).d?.B ?? new Uint8Array()),
      seed: SEED,
    });
  });
}

function computeMeanBytes(leaves: readonly Leaf[], compress: (leaf: Leaf) => Uint8Array): number {
  return Math.round(leaves.reduce((sum, leaf) => sum + compress(leaf).length, 0) / leaves.length);
}

function createLeafOf(rows: readonly Json[][]): Leaf {
  return {
    ...{ slice: DATE, generation: '0-bench', index: 0, tombstones: [] },
    rows: rows.map(([id, ...state]) => ({ id: String(id), state, sequence: 0, sent: {}, epoch: EPOCH })),
  };
}

/** Watched values of random timesheets of a date, since leaves are hash buckets of ids. */
function createRows(count: number, seed: number): Json[][] {
  const random = createSeededRandom(seed);
  return Array.from({ length: count }, () => {
    const record = sampleTimesheet(Math.floor(random() * PER_DATE), DATE, random);
    const row = [record.id, ...readRow(feedDefinition('timesheets'), record)] as Json[];
    return separateIds(row, random);
  });
}

/** Replaces ids by random ones: sample records number all their ids in step, which would favour compression. */
function separateIds(row: readonly Json[], random: () => number): Json[] {
  const text = JSON.stringify(row).replace(
    /"([2-9])\d{6}_4711"/g,
    (_, kind: string) => `"${kind}${String(Math.floor(random() * IDS_OF_A_KIND)).padStart(6, '0')}_4711"`,
  );
  return JSON.parse(text) as Json[];
}
