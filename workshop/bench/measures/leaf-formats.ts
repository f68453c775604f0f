import { constants, zstdCompressSync } from 'node:zlib';
import { packRows } from '#shared/adapters/dynamo/snapshot/packing/column-writer.ts';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import type { Json } from '#shared/core/records/fields.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { buildCountRow, type Row } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 16;
const DATE = '2026-11-16';
/** Each size is the mean of this many leaves. */
const LEAVES = 20;
const PER_DATE = 50_000;
const IDS_OF_A_KIND = 200_000;
/** The best level of zstd that takes reasonable time. */
const COMPRESSION_LEVEL = 19;

/** Bytes of the rows of a leaf, beside general compression of the same rows (ADR 15). */
export function measureLeafFormats(): Row[] {
  const dictionary = toColumnText(createRows(16, SEED - 1));
  return [16, 24, 32].map((count) => {
    const leaves = Array.from({ length: LEAVES }, (_, leaf) => createRows(count, SEED + leaf));
    return buildCountRow({
      topic: 'storage',
      metric: `bytes of ${count} timesheets in a leaf`,
      baseline: 'columns as JSON, zstd 19 with a dictionary of 16 of them',
      value: computeMeanBytes(leaves, (rows) => compressColumns(rows, dictionary)),
      ours: computeMeanBytes(leaves, (rows) => packRows(rows, Date.parse(DATE))),
      seed: SEED,
    });
  });
}

function computeMeanBytes(
  leaves: readonly (readonly Json[][])[],
  compress: (rows: readonly Json[][]) => Uint8Array,
): number {
  return Math.round(leaves.reduce((sum, rows) => sum + compress(rows).length, 0) / leaves.length);
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

function compressColumns(rows: readonly Json[], dictionary: Buffer): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL };
  return zstdCompressSync(toColumnText(rows), { params, dictionary });
}

/** Values of the same column are adjacent, in nested lists, too. */
function toColumnText(rows: readonly Json[]): Buffer {
  return Buffer.from(JSON.stringify(toColumns(rows)));
}

function toColumns(values: readonly Json[]): Json {
  const lists = values.filter((value) => Array.isArray(value)) as (readonly Json[])[];
  const length = lists[0]?.length ?? 0;
  if (length === 0 || lists.some((list) => list.length !== length)) return values;
  const columns = Array.from({ length }, (_, place) => toColumns(lists.map((list) => list[place] ?? null)));
  return lists.length === values.length
    ? columns
    : [values.map((value) => (Array.isArray(value) ? 1 : value)), columns];
}
