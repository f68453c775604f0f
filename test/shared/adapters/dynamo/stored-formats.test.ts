import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { compressed, decompressed } from '#shared/adapters/dynamo/compression.ts';
import { FEED } from '#test/fixtures/stored-formats/samples.ts';
import {
  putItems,
  readItems,
  readSamples,
  type StoredFormats,
  type StoredItem,
  writeSamples,
} from '#test/fixtures/stored-formats/stored.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const FOLDER = 'test/fixtures/stored-formats';
/** One file for each version that stored something new, in order. Files are added, never changed. */
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const LATEST = '4-answers.json';
/** Attributes that the first format does not have. */
const ADDED = ['m'];

let dynamo: EmbeddedDynamo;

beforeEach(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterEach(() => dynamo.stop());

test('there is a fixture for every version', () => {
  expect(FILES).toEqual(['1-first.json', '2-epochs.json', '3-progress.json', LATEST]);
});

describe.each(FILES)('what the version of %s stored', (file) => {
  test('is read as that version read it', async () => {
    const { items, texts, read } = fixture(file);
    await putItems(dynamo, items);

    expect(items.length).toBeGreaterThan(15);
    const { state, ...rest } = await readSamples(dynamo, texts);
    const { state: before, ...others } = read;
    expect(rest).toEqual(others);
    // Later members have their initial values.
    expect(state).toMatchObject(before as object);
  });
});

test('this version stores the attributes of its fixture: an addition needs a new fixture', async () => {
  await writeSamples(dynamo);

  const shapes = (items: readonly StoredItem[]) => items.map((item) => [item.pk, item.sk, shapeOf(item)]);
  expect(shapes(await readItems(dynamo))).toEqual(shapes(fixture(LATEST).items));
});

test('a version of the first format reads what this one stores, without the additions', async () => {
  const texts = await writeSamples(dynamo);
  const items = await readItems(dynamo);
  const older = items.map((item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !ADDED.includes(name))),
  );
  expect(older).not.toEqual(items);
  expect(() => firstState.parse(stateOf(items))).not.toThrow();

  await dynamo.stop();
  dynamo = await startEmbeddedDynamo();
  await putItems(dynamo, older);
  const read = await readSamples(dynamo, texts);
  const { state: __, ...due } = fixture('1-first.json').read;
  expect(read).toMatchObject(due);
  expect(JSON.stringify(read.leaves)).toBe(JSON.stringify(due.leaves));
});

test('a state that such a version wrote later is read as one without epochs', async () => {
  const { items, texts } = fixture(LATEST);
  const written = compressed(JSON.stringify({ ...stateOf(items), revision: 2 }));
  const body = { B: Buffer.from(written).toString('base64') };
  const mixed = items.map((item) => (isState(item) ? { ...item, d: body, r: { N: '2' } } : item));
  await putItems(dynamo, mixed);

  const { state } = (await readSamples(dynamo, texts)) as Record<string, { state: object }>;
  expect(state).toMatchObject({ epochsLost: true, state: { tableId: expect.any(String), sequence: 12 } });
});

/** The state as the first format had it: a strict reader, as it was in that version. */
const firstState = z.strictObject({
  revision: z.int(),
  sequence: z.int(),
  baseline: z
    .strictObject({
      from: z.string(),
      to: z.string(),
      startedAt: z.number(),
      completedAt: z.number().nullable(),
    })
    .nullable(),
  coverage: z.record(
    z.string(),
    z.strictObject({
      at: z.number(),
      revision: z.int(),
      unseen: z.record(z.string(), z.number().nullable()).optional(),
    }),
  ),
  failedPolls: z.int(),
  unreachableSince: z.number().nullable(),
  failingSince: z.number().nullable(),
  completedAt: z.number().nullable(),
  stalledSince: z.number().nullable(),
  quarantined: z.strictObject({ day: z.string(), marks: z.array(z.string()) }),
  shrunk: z.record(z.string(), z.strictObject({ since: z.number() })),
  payPeriods: z.array(z.object({ id: z.string(), closed: z.boolean() })),
  pulls: z.record(z.string(), z.strictObject({ totals: z.string(), at: z.number() })),
  loadFrom: z.string().nullable(),
  extendedAt: z.number().optional(),
});

function fixture(file: string): StoredFormats {
  return JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as StoredFormats;
}

/** Names of attributes and their types. */
function shapeOf(item: StoredItem) {
  return Object.entries(item).map(([name, value]) => `${name}:${Object.keys(value).join()}`);
}

/** The state of the feed in the first format. */
function stateOf(items: readonly StoredItem[]): object {
  const body = items.find(isState)?.d ?? {};
  const base64 = 'B' in body ? (body.B ?? '') : '';
  return JSON.parse(decompressed(Buffer.from(base64, 'base64'))) as object;
}

function isState({ pk, sk }: StoredItem): boolean {
  return (
    JSON.stringify([pk, sk]) === JSON.stringify([{ S: `${FEED.connection}#${FEED.feed}` }, { S: 'state' }])
  );
}
