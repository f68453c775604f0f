import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStartStore } from '#shared/adapters/dynamo/deliveries/start-store.ts';
import type { ReceiverStart, StartKey } from '#shared/core/replay/receiver-start.ts';
import { describeStartStore } from '#test/contracts/start-store.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

/** What the first version with starts stored. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/5-start/start.json';
const KEY: StartKey = { receiver: 'subscription-payroll', generation: 2, connection: 'acme' };
const START: ReceiverStart = {
  revision: 1,
  after: { selection: 1, slice: '2026-03-05', generation: '1-run', leaf: 3, id: '1001_7' },
  sent: 120,
  ownedUntil: Date.parse('2026-03-05T12:00:00.000Z'),
  doneAt: null,
};

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

const open = () => createStartStore({ ...dynamo, sleep: async () => {}, random: () => 0 });

describe('stored starts', () => {
  test('are written in the form of the first version', async () => {
    await open().save(KEY, START);
    expect(await readItems(dynamo)).toEqual(readFixture());
  });

  test('of the first version are read as they were', async () => {
    await putItems(dynamo, readFixture());
    expect(await open().load(KEY)).toEqual(START);
  });
});

describeStartStore('DynamoDB as a store of starts', open);

function readFixture(): StoredItem[] {
  return JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[];
}
