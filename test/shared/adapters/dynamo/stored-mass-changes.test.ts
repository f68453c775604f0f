import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FeedKey } from '#shared/core/feeds.ts';
import { createHead, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { useEmbeddedStore } from '#test/support/embedded-store.ts';

/** What the first version stored whose heads name confirmed mass changes. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/7-mass-changes/items.json';
const FEED: FeedKey = { connection: 'acme', feed: 'timesheets' };
const AT = Date.parse('2026-03-09T10:00:00.000Z');
const HEAD: SliceHead = {
  ...createHead('2026-03-09', '1-run'),
  revision: 1,
  recordCount: 30,
  baselinedAt: AT,
  observedAt: AT,
  confirmedLosses: [{ field: 'approvedHours', records: 20, known: 30, since: AT, at: AT + 60_000 }],
};

const used = useEmbeddedStore();

describe('confirmed mass changes of a date', () => {
  test('of the first version are read as they were', async () => {
    await putItems(used.dynamo, readFixture());
    expect(await used.store.loadHeads(FEED, '')).toEqual([HEAD]);
  });

  test('are written in that form, and removed with their last one', async () => {
    await write({ ...HEAD, revision: 2 }, 1);
    await write(HEAD, 2);
    expect(await readItems(used.dynamo)).toEqual(readFixture());
    const { confirmedLosses: _, ...plain } = HEAD;
    await write(plain, 1);
    expect(await used.store.loadHeads(FEED, '')).toEqual([plain]);
  });

  test('are stored with what is published of them, and other losses beside them', async () => {
    const confirmedLosses = HEAD.confirmedLosses?.map((loss) => ({ ...loss, published: 12 })) ?? [];
    const recentLosses = [{ field: 'processed', records: 3, at: AT }];
    const head = { ...HEAD, revision: 3, confirmedLosses, recentLosses };
    await write(head, 1);
    expect(await used.store.loadHeads(FEED, '')).toEqual([head]);
  });
});

function readFixture(): StoredItem[] {
  return JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[];
}

async function write(head: SliceHead, expectedRevision: number | null): Promise<void> {
  const outcome = await used.store.commit({
    feed: FEED,
    token: `token-${head.revision}-${expectedRevision}`,
    heads: [{ head, expectedRevision, changedLeaves: [] }],
    leaves: [],
    events: null,
    eventsExpireAt: AT,
  });
  expect(outcome).toBe('committed');
}
