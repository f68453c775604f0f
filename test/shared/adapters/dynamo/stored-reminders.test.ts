import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { Alert } from '#shared/core/alerts/alert.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { Leaf } from '#shared/core/snapshot/snapshot.ts';
import { ALERT, EXPIRES_AT } from '#test/fixtures/stored-formats/samples.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

/** What the first version with reminders stored. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/5-reminders/items.json';
const FEED: FeedKey = { connection: 'acme', feed: 'pay-periods' };
const AT = Date.parse('2026-03-09T10:00:00.000Z');
const PLACE = { slice: 'all', generation: '0-run-1', index: 0 };
const ROW = {
  id: '3_7',
  state: ['Weekly', '2026-03-02', '2026-03-08', null, null, 'PaySys'],
  sequence: 4,
  sent: {},
  epoch: AT - 86_400_000,
};
const LEAF: Leaf = {
  ...PLACE,
  rows: [
    { ...ROW, remindedAt: AT },
    { ...ROW, id: '4_7' },
  ],
  tombstones: [{ id: '5_7', sequence: 2, removedAt: AT }],
};
const STATE: FeedState = { ...EMPTY_FEED_STATE, revision: 1, remindedUntil: AT + 412 };
const TOLD: Alert = {
  ...ALERT,
  id: 'e-reminder',
  type: 'workforce.pay_period.readiness',
  details: [
    { text: 'Kitchen: 3 of 212 not approved, 22 h', isInner: false },
    { text: 'Ana Lee: Fri 13 Nov 8 h', isInner: true, url: 'https://acme.example/1_7' },
  ],
};

/** What the first version stored that words an alert a second time, for later. Never written again. */
const HELD_FIXTURE = 'test/fixtures/stored-formats/7-held/items.json';
const HELD: Alert = {
  ...TOLD,
  id: 'e-held',
  line: 'It closes at 12:00 (in 4 h).',
  closing: { at: AT, name: 'Weekly 2026-03-02' },
  held: { line: 'It closes on Tue 10 Mar at 12:00.', headline: 'It closes', strong: ['closes'] },
};

const DESTINATIONS = new Map(['payroll', 'kitchen'].map((name) => [name, `slack/${name}`]));

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

describe('stored reminders', () => {
  test('of the first version are read as they were', async () => {
    await putItems(dynamo, JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[]);
    const { store, alerts } = createStores();
    expect(await store.readLeaves(FEED, [PLACE])).toEqual([LEAF]);
    expect((await store.loadFeedState(FEED))?.state).toEqual(STATE);
    expect((await alerts.open('payroll', 10)).waiting).toEqual([TOLD]);
  });

  test('are written in that form', async () => {
    const { store, alerts } = createStores();
    await store.writeGeneration(FEED, [LEAF]);
    await store.saveFeedState({
      feed: FEED,
      token: 't',
      state: STATE,
      expectedRevision: 1,
      events: null,
      eventsExpireAt: EXPIRES_AT,
    });
    await alerts.add('payroll', [TOLD], EXPIRES_AT);
    expect(await readItems(dynamo)).toEqual(JSON.parse(readFileSync(FIXTURE, 'utf8')));
  });
});

describe('stored alerts with words for later', () => {
  test('of the first version are read as they were, and written in that form', async () => {
    const written = JSON.parse(readFileSync(HELD_FIXTURE, 'utf8')) as StoredItem[];
    const { alerts } = createStores();
    await alerts.add('kitchen', [HELD], EXPIRES_AT);
    const ofKitchen = ({ pk }: StoredItem) => JSON.stringify(pk).includes('alerts#kitchen');
    expect((await readItems(dynamo)).filter(ofKitchen)).toEqual(written);
    await putItems(dynamo, written);
    expect((await alerts.open('kitchen', 10)).waiting).toEqual([HELD]);
  });
});

function createStores() {
  const table = { ...dynamo, sleep: async () => {}, random: () => 0 };
  return {
    store: createDynamoSnapshotStore(table),
    alerts: createAlertStore({ ...table, destinations: DESTINATIONS }),
  };
}
