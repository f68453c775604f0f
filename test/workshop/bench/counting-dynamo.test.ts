import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import { poll } from '#shared/flow/poll.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { createCountingDynamo } from '#workshop/bench/counting-dynamo/counting-dynamo.ts';
import { applyUpdate, holds } from '#workshop/bench/counting-dynamo/expressions.ts';
import { sampleTimesheet } from '#workshop/bench/sample-records.ts';
import { describeSnapshotStore } from '../../contracts/snapshot-store.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '../../support/embedded-dynamo.ts';

const DATE = '2026-11-16';
const START = Date.parse(`${DATE}T09:00:00Z`);

describe('the counted units', () => {
  let engine: EmbeddedDynamo;
  beforeAll(async () => {
    engine = await startEmbeddedDynamo();
  });
  afterAll(async () => {
    await engine.stop();
  });

  test('are those of an engine, request by request, over polls with every kind of change', async () => {
    const counted = await spentOn(createCountingDynamo().client, 'notifier');
    const real = await spentOn(engine.client, engine.tableName);

    expect(new Set(real.map(({ operation }) => operation))).toEqual(
      new Set([
        'isLeaseHeld',
        'acquireLease',
        'loadChangeRates',
        'loadFeedState',
        'loadHeads',
        'readLeaves',
        'writeGeneration',
        'deleteLeaves',
        'commit',
        'clearOutbox',
        'saveFeedState',
        'releaseLease',
      ]),
    );
    expect(counted).toEqual(real);
  });

  test('include those of a write that was refused', async () => {
    const { client, units } = createCountingDynamo();
    const store = createDynamoSnapshotStore({
      client,
      tableName: 'notifier',
      sleep: async () => {},
      random: () => 0,
    });
    const feed = { connection: 'main', feed: 'timesheets' } as const;
    await store.acquireLease(feed, { owner: 'a', now: 0, expiresAt: 10, takeOver: false });
    const before = units.write;
    expect(await store.acquireLease(feed, { owner: 'b', now: 5, expiresAt: 15, takeOver: false })).toBe(
      false,
    );
    expect(units.write).toBe(before + 1);
  });
});

/** The store of the product over this table keeps what it promises. */
describeSnapshotStore('the store over the counting table', async () =>
  createDynamoSnapshotStore({
    client: createCountingDynamo().client,
    tableName: 'notifier',
    sleep: async () => {},
    random: () => 0,
  }),
);

describe('expressions', () => {
  const item = { pk: { S: 'a' }, count: { N: '7' }, marks: { SS: ['x', 'y'] } };

  test.each([
    ['attribute_exists(pk) AND NOT attribute_exists(other)', true],
    ['attribute_not_exists(pk) OR (#n = :seven AND begins_with(pk, :a))', true],
    ['count > :seven', false],
    ['count BETWEEN :one AND :seven', true],
    ['contains(marks, :a)', false],
    ['missing < :seven', false],
  ])('%s: %s', (expression, result) => {
    const terms = {
      ExpressionAttributeNames: { '#n': 'count' },
      ExpressionAttributeValues: { ':seven': { N: '7' }, ':one': { N: '1' }, ':a': { S: 'a' } },
    };
    expect(holds(expression, item, terms)).toBe(result);
  });

  test('what is not known is refused and not guessed', () => {
    expect(() => holds('size(pk) > :one', item, {})).toThrow('size is not supported');
    expect(() => applyUpdate('SET #a = if_not_exists(#a, :one)', item, {})).toThrow('is not supported');
  });

  test('an update sets, removes, adds and takes out', () => {
    const terms = {
      ExpressionAttributeNames: { '#c': 'count' },
      ExpressionAttributeValues: { ':n': { N: '8' }, ':more': { SS: ['z'] }, ':less': { SS: ['x'] } },
    };
    expect(applyUpdate('SET #c = :n ADD marks :more', item, terms)).toEqual({
      ...item,
      count: { N: '8' },
      marks: { SS: ['x', 'y', 'z'] },
    });
    expect(applyUpdate('REMOVE #c DELETE marks :less', item, terms)).toEqual({
      pk: item.pk,
      marks: { SS: ['y'] },
    });
  });
});

/** What polls over a growing, changing and shrinking date cost, request by request. */
async function spentOn(client: DynamoDBClient, tableName: string): Promise<Capacity[]> {
  const spent: Capacity[] = [];
  const store = createDynamoSnapshotStore({
    client,
    tableName,
    sleep: async () => {},
    random: () => 0,
    onCapacity: (capacity) => spent.push(capacity),
  });
  const random = createSeededRandom(4);
  const base = Array.from({ length: 300 }, (_, index) => sampleTimesheet(index, DATE, random));
  const approved = (share: number) =>
    base.map((record, index) =>
      index < share ? { ...record, approvedHours: `${DATE}T10:00:00.000Z` } : record,
    );
  const lists = [base.slice(0, 40), base, approved(1), approved(200), approved(200).slice(5)];
  const connection = connectionSchema.parse({
    name: 'bench',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'UTC',
    secretName: 'none',
    window: { backDays: 0, forwardDays: 0 },
  });
  for (const [index, list] of lists.entries()) {
    const now = START + index * 60_000;
    await poll(
      {
        feed: 'timesheets',
        request: { connection, scope: 'due' },
        runId: `run${index}`,
        deadline: now + 299_000,
      },
      {
        source: {
          counts: () => ({ requests: 0, throttled: 0 }),
          lookUp: async () => ({ outcome: 'gone', requestedAt: now, receivedAt: now }),
          pages: () =>
            walkPages(async () => ({ records: list, pagination: null, requestedAt: now, receivedAt: now })),
        },
        store,
        publisher: {
          publish: async (texts) => ({ published: texts.length, unpublished: [], requests: 0 }),
        },
        clock: { now: () => now },
        telemetry: { report: () => {} },
      },
    );
  }
  return spent;
}
