import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readLeafItem, toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import { unpackRows } from '#shared/adapters/dynamo/snapshot/packing/column-reader.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { LedgerEntry } from '#shared/core/events/statement/ledger.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import { type Leaf, type LeafRow, layOutGeneration } from '#shared/core/snapshot/snapshot.ts';
import type { StatementMemory } from '#shared/core/snapshot/statement-memory.ts';
import type { LedgerKey, SnapshotStore } from '#shared/flow/poll/ports.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { payPeriod } from '#test/support/builders.ts';
import { startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { useEmbeddedStore } from '#test/support/embedded-store.ts';

/** What the first version with statements stored. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/5-statement/rows.json';
const AT = Date.parse('2026-03-09T12:00:00.000Z');
const EXPIRES_AT = Date.parse('2026-06-17T12:00:00.000Z');
const FEED: FeedKey = { connection: 'acme', feed: 'pay-periods' };
const KEY: LedgerKey = { connection: 'acme', payPeriodId: '3_7', name: '0123456789abcdef0123' };
const LEDGER: readonly LedgerEntry[] = [
  ['1_7', 75_000],
  ['2_7', 95_000, 20_000],
  ['3_7', null, 0, -80_000],
];
const MEMORY: StatementMemory = {
  closings: 2,
  closedHours: 976.5,
  last: { hours: 978.5, employees: 31, timesheets: 154, unapproved: 0, unprocessed: 3 },
  count: { hours: 978.5, basis: 'own', ledger: KEY.name, exact: true },
  moved: { late: 2, reopened: 0, recounted: 0 },
  awaits: 'final',
  closedAt: AT,
};
const ROW: LeafRow = {
  id: '3_7',
  state: readRow(feedDefinition('pay-periods'), payPeriod({ closed: '2026-03-09' })),
  sequence: 4,
  sent: { closed: 3 },
  epoch: AT,
};
const OTHER: LeafRow = { ...ROW, id: '4_7', epoch: AT + 1 };

const used = useEmbeddedStore();

describe('what a pay period remembers of its statements', () => {
  test('is read as the first version wrote it', async () => {
    await putItems(used.dynamo, fixture());
    const [head] = await used.store.loadHeads(FEED, '');
    expect(head).toMatchObject({ slice: 'all', recordCount: 2, awaitingCount: 1 });
    const [leaf] = await used.store.readLeaves(FEED, [{ slice: 'all', generation: '1-run', index: 0 }]);
    expect(leaf?.rows).toEqual([{ ...ROW, statement: MEMORY }, OTHER]);
    expect(await used.store.loadLedger?.(KEY)).toEqual(LEDGER);
  });

  test('is written in that form', async () => {
    const fresh = await startEmbeddedDynamo();
    try {
      await write(createDynamoSnapshotStore({ ...fresh, sleep: async () => {}, random: () => 0 }));
      expect(await readItems(fresh)).toEqual(fixture());
    } finally {
      await fresh.stop();
    }
  });

  test('is kept with the closing of one that was removed', () => {
    const [tombstone, closed] = [{ id: '5_7', sequence: 6, removedAt: AT }, '2026-03-09'];
    const leaf: Leaf = {
      ...{ slice: 'all', generation: '1-run', index: 0, rows: [{ ...ROW, statement: MEMORY }] },
      tombstones: [
        { ...tombstone, epoch: AT, closing: { closed, statement: MEMORY } },
        { ...tombstone, id: '6_7', closing: { closed } },
        { ...tombstone, id: '7_7' },
      ],
    };
    expect(readLeafItem(toLeafItem(FEED, leaf), leaf)).toEqual(leaf);
  });

  test('is a column that the version before does not look at', () => {
    const { m } = fixture().find((item) => item.m !== undefined) ?? {};
    const bytes = Buffer.from((m as { readonly B: string }).B, 'base64');
    const columns = unpackRows(bytes, 0).map((row) => (row as unknown[]).slice(0, 4));
    expect(columns).toEqual([
      [AT, null, null, null],
      [AT + 1, null, null, null],
    ]);
  });
});

describe('a ledger', () => {
  test('of 100,000 timesheets is read as it was written', async () => {
    const key = { ...KEY, connection: 'large' };
    const ledger = Array.from(
      { length: 100_000 },
      (_, index): LedgerEntry => [`${9_000_000 + index}_4711`, 75_000 + (index % 97)],
    );
    await used.store.saveLedger?.(key, ledger, EXPIRES_AT);
    expect(await used.store.loadLedger?.(key)).toEqual(ledger);
  });

  test('without one of its chunks counts as missing', async () => {
    expect(await used.store.loadLedger?.({ ...KEY, name: 'another' })).toBeNull();
    const [chunk] = fixture().filter(({ pk }) => JSON.stringify(pk).includes('#ledgers'));
    const partition = { S: 'torn#pay-periods#ledgers' };
    await putItems(used.dynamo, [{ ...chunk, pk: partition, l: { N: '2' } } as StoredItem]);
    expect(await used.store.loadLedger?.({ ...KEY, connection: 'torn' })).toBeNull();
  });
});

function fixture(): StoredItem[] {
  return JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[];
}

async function write(into: SnapshotStore): Promise<void> {
  const { head, leaves } = layOutGeneration(
    feedDefinition('pay-periods'),
    { slice: 'all', revision: 1, generation: '1-run', baselinedAt: AT, observedAt: AT, outbox: [] },
    { rows: [{ ...ROW, statement: MEMORY }, OTHER], tombstones: [] },
  );
  await into.commit({
    feed: FEED,
    token: 'token-of-the-step',
    heads: [{ head, expectedRevision: null, changedLeaves: null }],
    leaves,
    events: null,
    eventsExpireAt: EXPIRES_AT,
  });
  await into.saveLedger?.(KEY, LEDGER, EXPIRES_AT);
}
