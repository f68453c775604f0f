import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEAF_DICTIONARY } from '#shared/adapters/dynamo/snapshot/leaf-dictionary.ts';
import { checkFeeds } from '#shared/operator/doctor/state-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import {
  listReads,
  putItems,
  readItems,
  readSamples,
  type StoredFormats,
  type StoredItem,
  writeSamples,
} from '#test/fixtures/stored-formats/stored.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const FOLDER = 'test/fixtures/stored-formats';
/** One file for each format, in order. Files are added, never changed. */
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const LATEST = 'format-1.json';

let dynamo: EmbeddedDynamo;

beforeEach(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterEach(() => dynamo.stop());

test('there is a fixture for every format', () => {
  expect(FILES).toEqual([LATEST]);
});

describe.each(FILES)('what is stored in %s', (file) => {
  test('is read as it was written', async () => {
    const { items, texts, read } = fixture(file);
    await putItems(dynamo, items);

    expect(items.length).toBeGreaterThan(25);
    expect(await readSamples(dynamo, texts)).toEqual(read);
  });
});

describe('this version', () => {
  test('stores the attributes of the latest fixture, and reads the same of them', async () => {
    const texts = await writeSamples(dynamo);

    const { items, read } = fixture(LATEST);
    const shapes = (stored: readonly StoredItem[]) => stored.map((item) => [item.pk, item.sk, shapeOf(item)]);
    expect(shapes(await readItems(dynamo))).toEqual(shapes(items));
    expect(await readSamples(dynamo, texts)).toEqual(read);
  });

  test('has the dictionary with which all leaves of format 1 were written', () => {
    expect(hash('sha256', LEAF_DICTIONARY)).toBe(
      'eb887519ba8476517a34d4d7bfdefacc6719cdb17a249a6079a43246d0c0bc44',
    );
  });

  test.each([
    ['no format', { v: { N: '1' } }, /the table was not written by this program: deploy a new stack/],
    ['a later format', { f: { N: '2' } }, /it is of format 2: deploy the version again that wrote it/],
  ])(
    'refuses a table of %s, whatever it reads of it first, and says what to do',
    async (_, format, message) => {
      const items = fixture(LATEST).items.map(({ f: __, ...item }) => ({ ...item, ...format }) as StoredItem);
      await putItems(dynamo, items);

      const reads = Object.entries({ ...listReads(dynamo), doctor: () => checkFeeds(target()) });
      expect(reads.length).toBeGreaterThanOrEqual(15);
      for (const [name, read] of reads) {
        const failure: unknown = await read().catch((error: unknown) => error);
        expect([name, failure]).toMatchObject([
          name,
          { code: 'store_format_unknown', message: expect.stringMatching(message) },
        ]);
      }
    },
  );
});

/** The table as the doctor looks at it, as far as it does. */
function target(): Target {
  const system = { now: () => 0, sleep: async () => {}, random: () => 0 };
  const { client: dynamoDb, tableName } = dynamo;
  const config = { poll: { directory: false }, people: { names: [] } };
  return { dynamoDb, tableName, system, config, connections: [{ name: 'acme' }] } as unknown as Target;
}

function fixture(file: string): StoredFormats {
  return JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as StoredFormats;
}

/** Names of attributes and their types. */
function shapeOf(item: StoredItem) {
  return Object.entries(item).map(([name, value]) => `${name}:${Object.keys(value).join()}`);
}
