import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { createEventLog } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { TableOptions } from '#shared/adapters/dynamo/table.ts';
import { sampleAlert } from '#test/contracts/alert-store.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createGuardedClient } from './guarded-table.ts';
import { EVERYTHING, permissionsOf, type Synthesized, synthesize } from './synthesized.ts';

const AT = 1_795_000_000_000;
const LEASE = { owner: 'me', now: AT, expiresAt: AT, takeOver: false };
const DELIVERY = {
  eventId: 'e-1',
  destination: 'slack/payroll',
  outcome: 'delivered',
  at: AT,
  attempts: 1,
  detail: null,
} as const;

let dynamo: EmbeddedDynamo;
let built: Synthesized;

// The rules of CloudFormation are checked once, in notifier-stack.test.ts.
process.env.CDK_VALIDATION = 'false';

beforeAll(async () => {
  built = synthesize(EVERYTHING);
  dynamo = await startEmbeddedDynamo();
  const everything = { ...tableFor('PollTimesheets'), client: dynamo.client };
  await directoryOf(everything).save('main', 'departments', new Map([['1', 'Kitchen']]));
});

afterAll(() => dynamo.stop());

describe('with the permissions of its role', () => {
  test('collecting adds alerts, notes what is processed, and looks up names and the state of periods', async () => {
    const table = tableFor('People/Collect');
    const book = bookOf(table);
    expect(await book.add('payroll', [sampleAlert({ id: 'a-1' })], AT)).toBe(1);
    // The second time the mark is read.
    expect(await book.add('payroll', [sampleAlert({ id: 'a-1' })], AT)).toBe(0);
    const period = { connection: 'main', payPeriodId: '1', expectedRevision: null };
    expect(await book.loadProcessing('main', '1')).toBeNull();
    expect(await book.saveProcessing(period, { revision: 1, finished: true, times: 1 })).toBe('committed');
    const store = createDynamoSnapshotStore(table);
    expect(await store.loadFeedState({ connection: 'main', feed: 'pay-periods' })).toBeNull();
    expect(await store.loadHeads({ connection: 'main', feed: 'timesheets' }, '2026-11-01')).toEqual([]);
    const { departments } = await directoryOf(table).load('main', ['departments']);
    expect(departments.get('1')).toBe('Kitchen');
  });

  test('collecting changes neither names nor the state of what is watched', async () => {
    const table = tableFor('People/Collect');
    await expectDenied(directoryOf(table).save('main', 'departments', new Map([['1', 'Bar']])));
    const feed = { connection: 'main', feed: 'timesheets' } as const;
    await expectDenied(createDynamoSnapshotStore(table).acquireLease(feed, LEASE));
  });

  test('releasing takes alerts from waiting to delivered', async () => {
    const book = bookOf(tableFor('People/Release'));
    const { revision, waiting } = await book.open('payroll', 10);
    const sealed = { message: null, alertIds: waiting.map(({ id }) => id), ownedUntil: AT };
    expect(sealed.alertIds).toEqual(['a-1']);
    expect(await book.seal('payroll', revision, [sealed])).toBe('committed');
    expect(await book.claim('payroll', sealed, AT + 1)).toBe(true);
    await book.finish('payroll', sealed, { now: AT, expiresAt: AT });
    expect(await book.open('payroll', 10)).toMatchObject({ waiting: [], sealed: [] });
    await expectDenied(book.loadProcessing('main', '1'));
  });

  test('posting to Slack notes deliveries, and sees no alerts', async () => {
    const table = tableFor('People/Slack-payroll');
    const ledger = createDeliveryLedger(table);
    await ledger.save(DELIVERY, AT);
    expect(await ledger.load('e-1', 'slack/payroll')).toEqual(DELIVERY);
    await expectDenied(bookOf(table).open('payroll', 10));
    await expectDenied(ledger.loadByEvent('e-1'));
  });

  test('a webhook notes deliveries and what it knows of itself, and nothing of another', async () => {
    const table = tableFor('Webhook-system');
    await createDeliveryLedger(table).save({ ...DELIVERY, destination: 'webhook/system' }, AT);
    const book = createWebhookStateStore(table);
    const disabled = { url: 'https://a.example', at: AT, reason: '410', connection: 'main', told: false };
    await book.saveDisabledIfAbsent('system', disabled);
    await book.saveDisabled('system', { ...disabled, told: true });
    expect(await book.loadDisabled('system')).toEqual({ ...disabled, told: true });
    await book.saveDisabled('system', null);
    await book.advanceCursor('system', 'record', { sequence: 3, expiresAt: AT });
    expect(await book.loadCursor('system', 'record')).toBe(3);
    await expectDenied(book.loadDisabled('systems'));
    await expectDenied(book.saveDisabled('other', null));
    await expectDenied(createDeliveryLedger(table).loadByEvent('e-1'));
  });

  test('polling recognises its table; collecting has no part in it', async () => {
    expect(await createDynamoSnapshotStore(tableFor('PollTimesheets')).tableId?.()).toMatch(
      /^[0-9a-f-]{36}$/,
    );
    expect(await createDynamoSnapshotStore(tableFor('People/Collect')).tableId?.()).toBeNull();
  });

  test('refreshing names replaces them, in chunks of the directory alone', async () => {
    const store = directoryOf(tableFor('People/Names'));
    await store.save('main', 'departments', new Map([['1', 'Bar']]));
    await store.save('main', 'departments', new Map([['1', 'Cellar']]));
    expect((await store.load('main', ['departments'])).departments.get('1')).toBe('Cellar');
    await expectDenied(store.save('elsewhere', 'departments', new Map([['1', 'Bar']])));
  });

  test('replaying reads the log of all feeds, and nothing else', async () => {
    const table = tableFor('Replay');
    const log = createEventLog(table);
    for (const feed of ['timesheets', 'pay-periods'] as const) {
      const batches = log.read({ connection: 'main', feed }, { from: AT, to: AT + 1 });
      expect((await batches.next()).done).toBe(true);
    }
    const store = createDynamoSnapshotStore(table);
    await expectDenied(store.loadFeedState({ connection: 'main', feed: 'timesheets' }));
    await expectDenied(createDeliveryLedger(table).save(DELIVERY, AT));
  });
});

/** The table as a function sees it, with the permissions of its role in the template. */
function tableFor(path: string): TableOptions {
  const permissions = permissionsOf(built.at(`${path}/Role`));
  const client = createGuardedClient(dynamo, permissions);
  return { client, tableName: dynamo.tableName, sleep: async () => {}, random: () => 0 };
}

function directoryOf(table: TableOptions) {
  return createNameStore({ ...table, now: () => AT });
}

function bookOf(table: TableOptions) {
  return createAlertStore({ ...table, destinations: new Map([['payroll', 'slack/payroll']]) });
}

async function expectDenied(attempt: Promise<unknown>): Promise<void> {
  await expect(attempt).rejects.toThrow('AccessDenied');
}
