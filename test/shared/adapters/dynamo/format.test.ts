import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { TABLE } from '#shared/config/table.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { fullHead, fullRow, fullState, hostileRow, NOON, SLICE } from '#test/contracts/store-samples.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import stored from './format-1.json' with { type: 'json' };

const CONNECTION = 'format-1';
const COUNT = { connection: CONNECTION, payPeriodId: '9_7', name: 'a' };

let dynamo: EmbeddedDynamo;
let store: Store;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  store = createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
});

afterAll(() => dynamo.stop());

/** Reads what the items of a connection hold. */
const READINGS: Readonly<Record<string, () => Promise<unknown>>> = {
  state: () => store.loadState(CONNECTION),
  heads: () => store.loadHeads(CONNECTION),
  'timesheets#2026-03-05': () => store.readBuckets(CONNECTION, [{ ...SLICE, from: 255 }]),
  log: () => Array.fromAsync(store.readLog(CONNECTION, '')),
  counts: () => store.loadCount(COUNT),
  answers: () => store.loadAnswers(CONNECTION, '9_7'),
};
const EXPECTED: Readonly<Record<string, unknown>> = {
  state: { ...fullState(NOON), token: 1, clock: NOON },
  heads: [fullHead(SLICE, NOON, 2)],
  'timesheets#2026-03-05': [[fullRow('1_1'), { ...fullRow('2_1'), text: null }, hostileRow('3_1')]],
  log: [
    {
      ...{ key: '1772712000000.0000', topic: 'timesheets', committedAt: NOON },
      texts: ['{"a":"ä"}', '{"b":2}'],
    },
  ],
  counts: [
    ['7_1', 75_000],
    ['8_1', null],
  ],
  answers: new Map([
    ['1_1', [NOON, 'all']],
    ['2_1', [NOON, { own: ['7_1'], others: ['8_1'] }]],
  ]),
};

const KINDS = stored.map((item) => [item.pk.S.slice(CONNECTION.length + 1), item as StoredItem] as const);

test.each(KINDS)('format 1 of %s is this', async (kind, item) => {
  await put(item);
  expect(await READINGS[kind]?.()).toEqual(EXPECTED[kind]);
});

test('there is an item of each kind', () => {
  expect(KINDS.map(([kind]) => kind).sort()).toEqual(Object.keys(READINGS).sort());
});

test.each([
  ['2', /is of format 2: deploy the version again/],
  ['', /deploy a new stack/],
])('an item of format "%s" is refused', async (format, message) => {
  for (const [kind, item] of KINDS) {
    await put({ ...item, f: format === '' ? { S: '' } : { N: format } });
    await expectRefusal(kind, { code: 'store_format_unknown', message: expect.stringMatching(message) });
  }
});

const DAMAGED = { S: 'secret {' };
test.each(['heads n', 'timesheets#2026-03-05 d', 'log t', 'counts d', 'state t', 'state k'])(
  'an item whose member is damaged says which it is, and nothing of its contents: %s',
  async (place) => {
    const [kind = '', member = ''] = place.split(' ');
    const [, item] = KINDS.find(([name]) => name === kind) ?? [];
    await put({ ...item, [member]: DAMAGED });
    const message = expect.stringMatching(new RegExp(`^item ${item?.pk?.S} / (?!.*secret)`));
    await expectRefusal(kind, { code: 'store_item_unreadable', message });
  },
);

async function expectRefusal(kind: string, error: object): Promise<void> {
  await expect(READINGS[kind]?.()).rejects.toEqual(expect.objectContaining(error));
}

/** Bytes are in base64. */
type StoredItem = Readonly<Record<string, { readonly S?: string; readonly N?: string; readonly B?: string }>>;

async function put(item: StoredItem): Promise<void> {
  const toValue = ({ S, N, B }: StoredItem[string]): AttributeValue => {
    if (B !== undefined) return { B: Buffer.from(B, 'base64') };
    return S === undefined ? { N: N ?? '' } : { S };
  };
  const Item = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toValue(value)]));
  expect(Object.keys(Item)).toContain(TABLE.partitionKey);
  await dynamo.client.send(new PutItemCommand({ TableName: dynamo.tableName, Item }));
}
