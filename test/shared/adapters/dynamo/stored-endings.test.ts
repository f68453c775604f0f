import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { Alert } from '#shared/core/alerts/alert.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { ALERT, EXPIRES_AT } from '#test/fixtures/stored-formats/samples.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

/** What the first version stored that tells how troubles end, and what stands out in alerts. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/6-endings/items.json';
const FEED: FeedKey = { connection: 'acme', feed: 'timesheets' };
const AT = Date.parse('2026-03-09T10:00:00.000Z');
const STATE: FeedState = {
  ...EMPTY_FEED_STATE,
  revision: 1,
  awaited: { '1001_7': { since: AT, badAt: AT + 60_000 } },
};
const DISABLED = {
  url: 'https://payroll.acme.example/hook',
  at: AT,
  reason: '410',
  connection: 'acme',
  told: true,
  enabledAt: AT + 60_000,
};
const DELIVERY: Delivery = {
  eventId: 'e-1',
  destination: 'webhook/payroll',
  outcome: 'failed',
  at: AT,
  attempts: 10,
  detail: '503',
  failedAt: AT,
};
const TOLD: Alert = {
  ...ALERT,
  strong: ['Käthe'],
  details: [{ text: 'Kitchen: 3 of 212 not approved, 22 h', isInner: false, strong: ['Kitchen'] }],
};

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

describe('stored troubles that end', () => {
  test('of the first version are read as they were', async () => {
    await putItems(dynamo, JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[]);
    const { store, webhooks, ledger, alerts } = createStores();
    expect((await store.loadFeedState(FEED))?.state).toEqual(STATE);
    expect(await webhooks.loadDisabled('payroll')).toEqual(DISABLED);
    expect(await ledger.load('e-1', 'webhook/payroll')).toEqual(DELIVERY);
    expect((await alerts.open('payroll', 10)).waiting).toEqual([TOLD]);
  });

  test('are written in that form', async () => {
    const { store, webhooks, ledger, alerts } = createStores();
    await store.saveFeedState({
      feed: FEED,
      token: 't',
      state: STATE,
      expectedRevision: 1,
      events: null,
      eventsExpireAt: EXPIRES_AT,
    });
    await webhooks.saveDisabled('payroll', DISABLED);
    await ledger.save(DELIVERY, EXPIRES_AT);
    await alerts.add('payroll', [TOLD], EXPIRES_AT);
    expect(await readItems(dynamo)).toEqual(JSON.parse(readFileSync(FIXTURE, 'utf8')));
  });
});

function createStores() {
  const table = { ...dynamo, sleep: async () => {}, random: () => 0 };
  return {
    store: createDynamoSnapshotStore(table),
    webhooks: createWebhookStateStore(table),
    ledger: createDeliveryLedger(table),
    alerts: createAlertStore({ ...table, destinations: new Map([['payroll', 'slack/payroll']]) }),
  };
}
