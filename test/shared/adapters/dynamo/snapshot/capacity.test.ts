import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { Json } from '#shared/core/records/fields.ts';
import type { Leaf, LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  creation,
  freshFeed,
  NOON,
  sampleBatch,
  sampleDigests,
  sampleStateWrite,
  sampleStep,
  successor,
} from '#test/contracts/snapshot-samples.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const GENERATION = '1-0123456789abcdef01234567';

let dynamo: EmbeddedDynamo;
let store: SnapshotStore;
const spent: Capacity[] = [];

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  store = createDynamoSnapshotStore({
    ...dynamo,
    sleep: async () => {},
    random: () => 0,
    onCapacity: (capacity) => spent.push(capacity),
  });
});

afterAll(async () => {
  await dynamo.stop();
});

describe('a single change', () => {
  test.each([
    ['7 write units with digests in the head', 96, 6],
    ['9 with digests on pages', 3_572, 8],
  ])('costs %s', async (_name, leafCount, units) => {
    const feed = freshFeed();
    const first = creation({ leafCount, generation: GENERATION });
    await store.commit(sampleStep(feed, [first]));
    const next = successor(first.head, { digests: sampleDigests(leafCount, 3) }, [5]);
    const events = sampleBatch([sampleEvent()]);
    spent.length = 0;

    await store.commit(sampleStep(feed, [next], { leaves: [realisticLeaf(14)], events }));
    expect(unitsOf('commit')).toBe(units);

    await store.clearOutbox(feed, [{ slice: first.head.slice, pointer: toBatchPointer(events) }]);
    expect(unitsOf('clearOutbox')).toBe(1);
  });
});

test('the heads of 700,000 records on 14 dates cost at most 110 read units', async () => {
  const feed = freshFeed();
  for (let day = 1; day <= 14; day += 1) {
    const slice = `2026-03-${String(day).padStart(2, '0')}`;
    const write = creation({ slice, leafCount: 3_572, generation: GENERATION });
    await store.commit(sampleStep(feed, [write]));
  }
  spent.length = 0;

  expect(await store.loadHeads(feed, '2026-03-01')).toHaveLength(14);
  expect(unitsOf('loadHeads')).toBeLessThanOrEqual(110);
});

test('the items with which a poll begins are read in one request, a unit each; one alone as it is', async () => {
  const feed = freshFeed();
  const other = { ...feed, feed: 'pay-periods' } as const;
  const fence = creation({ slice: INSERT_FENCE });
  await store.commit(sampleStep(feed, [fence, creation({ slice: '2026-03-01' })]));
  await store.saveFeedState(sampleStateWrite(feed, 1));
  await store.saveChangeRates?.(feed, 'rates');
  spent.length = 0;

  const read = await Promise.all([
    store.isLeaseHeld?.(feed, { owner: 'a', now: NOON }),
    store.loadFeedState(feed),
    store.loadFeedState(other),
    store.loadFeedState(other),
    store.loadChangeRates?.(feed, NOON),
    store.loadInsertFence?.(feed),
  ]);
  expect(read).toMatchObject([
    false,
    { outbox: [] },
    null,
    null,
    'rates',
    { slice: INSERT_FENCE, revision: 1 },
  ]);
  expect(spent).toEqual([{ operation: 'isLeaseHeld', kind: 'read', units: 5 }]);
  expect(await store.loadInsertFence?.(freshFeed())).toBeNull();
  expect(spent.slice(1)).toEqual([{ operation: 'loadInsertFence', kind: 'read', units: 1 }]);
});

test('a poll that finds nothing new reads at once what it begins with, then the heads, and saves its state', async () => {
  const stage = new PollHarness({ store, startAt: '2026-03-05T01:00:00Z' });
  stage.put(timesheet());
  stage.payPeriods = () => [payPeriod()];
  const pollBoth = async () => {
    stage.nextMinute();
    spent.length = 0;
    for (const feed of ['timesheets', 'pay-periods'] as const) await stage.poll({ feed, scope: 'due' });
  };
  // The first one is the baseline.
  for (let minutes = 0; minutes < 3; minutes += 1) await pollBoth();
  const saved = { operation: 'saveFeedState', kind: 'write', units: 1 };
  expect(spent).toEqual([
    { operation: 'isLeaseHeld', kind: 'read', units: 4 },
    { operation: 'loadHeads', kind: 'read', units: 2 },
    saved,
    { operation: 'isLeaseHeld', kind: 'read', units: 3 },
    { operation: 'loadHeads', kind: 'read', units: 1 },
    saved,
  ]);
});

test('when changes come is read once in a half hour, and again once it was saved', async () => {
  const feed = freshFeed();
  const load = (minute: number) => store.loadChangeRates?.(feed, NOON + minute * 60_000);
  spent.length = 0;
  expect([await load(0), await load(29)]).toEqual([null, null]);
  await store.saveChangeRates?.(feed, 'rates');
  expect([await load(29), await load(29), await load(30)]).toEqual(['rates', 'rates', 'rates']);
  expect(await store.loadChangeRates?.(freshFeed(), NOON + 30 * 60_000)).toBeNull();
  expect(unitsOf('loadChangeRates')).toBe(4);
});

test('a record of 650 bytes and more takes at most 61 in its leaf, key included', () => {
  const leaf = realisticLeaf(14);
  const feed: FeedKey = { connection: 'acme-northern', feed: 'timesheets' };
  const bytes = Object.entries(toLeafItem(feed, leaf)).reduce(
    (sum, [name, { S, N, B }]) => sum + name.length + (S ?? N ?? B ?? '').length,
    0,
  );

  expect(JSON.stringify(leaf.rows[0]?.state).length).toBeGreaterThan(500);
  expect(bytes / leaf.rows.length).toBeLessThanOrEqual(61);
});

function unitsOf(operation: string): number {
  return spent.filter((each) => each.operation === operation).reduce((sum, { units }) => sum + units, 0);
}

/** Fourteen timesheets of one date, clocked and approved, of a company of 50,000. */
function realisticLeaf(records: number): Leaf {
  let seed = 4711;
  const draw = (most: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * most);
  };
  const rows = Array.from({ length: records }, () => realisticRow(draw));
  return { slice: '2026-03-05', generation: GENERATION, index: 5, rows, tombstones: [] };
}

function realisticRow(draw: (most: number) => number): LeafRow {
  const start = 6 + draw(4);
  const at = (hours: number) => new Date(Date.parse('2026-03-05') + hours * 3_600_000).toISOString();
  const seconds = (hours: number) => at(hours + draw(1_200) / 3_600).slice(0, 19);
  const id = (from: number, most: number) => `${from + draw(most)}_4711`;
  const clock = (hours: number): Json => [
    id(600_000, 50_000),
    `${seconds(hours)}.000`,
    draw(30) - 9,
    draw(10) < 7,
    draw(10) < 2,
  ];
  const detail = 2_000_000 + draw(90_000);
  const segment = (index: number, from: number, to: number): Json => [
    `${detail + index}_4711`,
    index === 1 ? '503_4711' : '501_4711',
    null,
    null,
    at(from),
    at(to),
    to - from,
    index === 1,
    false,
  ];
  const state: Json[] = [
    '2026-03-05',
    id(1_000, 50_000),
    id(200, 80),
    id(3_000, 240),
    id(400, 5),
    id(10, 20),
    '11_4711',
    at(start),
    at(start + 8),
    7.5,
    false,
    false,
    false,
    clock(start),
    clock(start + 8),
    `${seconds(start + 20)}.000Z`,
    null,
    null,
    [segment(0, start, start + 4), segment(1, start + 4, start + 4.5), segment(2, start + 4.5, start + 8)],
  ];
  return {
    id: id(100_000, 50_000),
    state,
    epoch: NOON,
    sequence: 3,
    sent: { clockIn: 1, clockOut: 2, approvedHours: 3 },
  };
}

/** As long as a typical event. */
function sampleEvent(): string {
  return JSON.stringify({
    specversion: '1.0',
    id: '0123456789abcdef0123456789abcdef',
    source: '/connections/acme-northern/timesheets',
    type: 'workforce.timesheet.approved',
    time: new Date(NOON).toISOString(),
    dataschema: 'urn:workforce-change-notifier:schema:timesheet.approved:1',
    sequence: 3,
    data: { current: realisticLeaf(1).rows[0]?.state, previous: { approvedHours: null } },
  });
}
