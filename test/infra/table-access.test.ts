import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChannelStore } from '#shared/adapters/dynamo/channels/channel-store.ts';
import { createThreadStore } from '#shared/adapters/dynamo/channels/thread-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import {
  createDeliveryIndex,
  createDeliveryStore,
} from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createInterestStore } from '#shared/adapters/dynamo/deliveries/interest-store.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import type { TableOptions } from '#shared/adapters/dynamo/table.ts';
import { createHead, describeBucket } from '#shared/core/snapshot/head.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { sampleEvent } from '#test/contracts/channel-store.ts';
import { EMPTY_COMMIT, hostileRow } from '#test/contracts/store-samples.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { findGrant, listTableAccesses } from '#workshop/deployed/permissions.ts';
import { EVERYTHING, permissionsOf, type Statement, synthesize } from './synthesized.ts';

const AT = 1_795_000_000_000;
const UNTIL = AT + 90_000;
const DELIVERY = {
  eventId: 'e-1',
  destination: 'slack/payroll',
  outcome: 'delivered',
  at: AT,
  attempts: 1,
  detail: null,
} as const;

/** Two channels with threads beside the others. */
const WITH_BOTS = {
  people: {
    ...EVERYTHING.people,
    channels: [
      ...(EVERYTHING.people?.channels ?? []),
      ...['bot', 'bots'].map((name) => ({
        ...{ name, kind: 'slack' as const, secretName: `slack/${name}`, channelId: 'C0123456789' },
      })),
    ],
  },
};

const { at } = synthesize({ ...EVERYTHING, ...WITH_BOTS });

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

describe('with the permissions of its role', () => {
  test.each(['Release', 'Collect'])('%s takes events from waiting to finished', async (name) => {
    await openChannels(tableFor('People/Collect')).add('payroll', [sampleEvent({ id: name })], AT);
    const channels = openChannels(tableFor(`People/${name}`));
    const { revision, waiting } = await channels.open('payroll', 10);
    const sealed = { message: null, eventIds: waiting.map(({ id }) => id), ownedUntil: AT };
    expect(sealed.eventIds).toEqual([name]);
    expect(await channels.seal('payroll', revision, [sealed])).toBe('committed');
    expect(await channels.claim('payroll', sealed, AT + 1)).toBe(true);
    await channels.finish('payroll', sealed, { now: AT, expiresAt: AT });
    expect(await channels.open('payroll', 10)).toMatchObject({ waiting: [], sealed: [] });
    // This call reads the mark of the first.
    expect(await channels.add('payroll', [sampleEvent({ id: name })], AT)).toBe(0);
  });

  test.each(['Release', 'Collect'])(
    '%s cannot read the state of connections, nor take their leases',
    async (name) => {
      const store = createDynamoStore(tableFor(`People/${name}`));
      await expectDenied(store.takeLease('main', UNTIL, AT));
      await expectDenied(store.loadState('main'));
    },
  );

  test('posting to Slack records its own deliveries, and reaches neither those of another receiver nor alerts', async () => {
    const table = tableFor('People/Slack-payroll');
    const deliveryStore = createDeliveryStore(table);
    await deliveryStore.save(DELIVERY, AT);
    expect(await deliveryStore.load('e-1', 'slack/payroll')).toEqual(DELIVERY);
    await expectDenied(openChannels(table).open('payroll', 10));
    await expectOthersDenied(table, ['slack/payrolls', 'teams/payroll', 'webhook/system']);
  });

  test('posting with a bot keeps the threads of its channel, and reaches neither its alerts nor those of another', async () => {
    const table = tableFor('People/Slack-bot');
    await createDeliveryStore(table).save({ ...DELIVERY, destination: 'slack/bot' }, AT);
    await expectOthersDenied(table, ['slack/bots', 'slack/payroll']);
    const save = (channel: string, of = table) =>
      createThreadStore({ ...of, channel }).save('main#9_7', '1.1', AT);
    await save('bot');
    expect(await createThreadStore({ ...table, channel: 'bot' }).load('main#9_7')).toBe('1.1');
    await expectDenied(save('bots'));
    await expectDenied(createThreadStore({ ...table, channel: 'bots' }).load('main#9_7'));
    await expectDenied(openChannels(table).open('bot', 10));
    await expectDenied(save('payroll', tableFor('People/Slack-payroll')));
  });

  test('a webhook records its own deliveries and state, and cannot read or write that of another', async () => {
    const table = tableFor('Webhook-system');
    await createDeliveryStore(table).save({ ...DELIVERY, destination: 'webhook/system' }, AT);
    const state = createWebhookStateStore(table);
    const disabled = { url: 'https://a.example', at: AT, reason: '410', connection: 'main', told: false };
    await state.saveDisabledIfAbsent('system', disabled);
    await state.saveDisabled('system', { ...disabled, told: true });
    expect(await state.loadDisabled('system')).toEqual({ ...disabled, told: true });
    await state.saveDisabled('system', null);
    await expectDenied(state.loadDisabled('systems'));
    await expectDenied(state.saveDisabled('other', null));
    await expectOthersDenied(table, ['webhook/systems', 'webhook/other', 'slack/payroll']);
  });

  test('polling does all that it does with its connections, and reaches nothing else', async () => {
    const table = tableFor('Poll');
    const store = createDynamoStore(table);
    const lease = await commitOnce(store, 'timesheets');
    await store.renewLease(lease, UNTIL);
    const slice = { feed: 'timesheets', slice: 'all' } as const;
    const write = { ...EMPTY_COMMIT, removedHeads: [slice], buckets: [{ ...slice, from: 0, rows: null }] };
    await store.commit(lease, write, { clock: AT + 1, until: UNTIL, expiresAt: AT });
    expect(await store.loadHeads('main')).toEqual([]);
    const count = { connection: 'main', payPeriodId: '9_7', name: 'n' };
    await store.saveCount(count, [], AT);
    expect(await store.loadCount(count)).toEqual([]);
    await store.saveAnswers(lease, '9_7', { answers: new Map(), until: UNTIL, expiresAt: AT });
    expect((await store.loadAnswers('main', '9_7')).size).toBe(0);
    await store.giveBack(lease, { topics: {} });
    expect(await store.loadState('main')).toMatchObject({ token: lease.token });
    for (const elsewhere of ['elsewhere', 'mainz']) {
      await expectDenied(store.takeLease(elsewhere, UNTIL, AT));
      await expectDenied(store.loadState(elsewhere));
      await expectDenied(store.loadHeads(elsewhere));
      await expectDenied(store.loadAnswers(elsewhere, '9_7'));
    }
    await expectDenied(openChannels(table).open('payroll', 10));
    await expectOthersDenied(table, ['webhook/system', 'slack/payroll']);
  });

  test('polling may read the id of its table, collecting may not', async () => {
    expect(await createDynamoStore(tableFor('Poll')).tableId()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await createDynamoStore(tableFor('People/Collect')).tableId()).toBeNull();
  });

  test('collecting and releasing read names and dates, of their own connections alone', async () => {
    await commitOnce(createDynamoStore(tableFor('Poll')), 'departments');
    for (const name of ['Collect', 'Release']) {
      const store = createDynamoStore(tableFor(`People/${name}`));
      const names = createNameReader(store);
      expect((await names.load('main', ['departments'])).departments.size).toBe(1);
      await expectDenied(names.load('elsewhere', ['departments']));
      await expect(
        store.readBuckets('main', [{ feed: 'pay-periods', slice: 'all', from: 0 }]),
      ).resolves.toBeDefined();
      await expectDenied(store.readBuckets('main', [{ feed: 'timesheets', slice: 'all', from: 0 }]));
    }
  });

  test('checking deliveries reads what became of events at webhooks, and remembers since when these want them', async () => {
    const table = tableFor('DeliveryCheck');
    const store = createDynamoStore(table);
    const read = createEventLog(store).read('main', { from: AT - 1, to: AT + 2 });
    expect(await read.next()).toMatchObject({ value: { texts: ['{}'] } });
    await expectDenied(store.loadState('main'));
    const index = createDeliveryIndex(table);
    expect(await index.loadMany([{ eventId: 'e-1', destination: 'webhook/system' }])).toBeInstanceOf(Array);
    await expectDenied(Promise.resolve(index.loadMany([{ eventId: 'e-1', destination: 'slack/payroll' }])));
    const interests = createInterestStore(table);
    const interest = { digest: 'd', since: AT };
    await interests.save('system', interest);
    expect(await interests.load('system')).toEqual(interest);
  });
});

/** The table with the permissions that the template gives a function. */
function tableFor(path: string): TableOptions {
  const client = createGuardedClient(dynamo, permissionsOf(at(`${path}/Role`)));
  return { client, tableName: dynamo.tableName, sleep: async () => {}, random: () => 0 };
}

/** Takes the lease of `main`, and commits a row of a feed with an event. */
async function commitOnce(store: Store, feed: 'departments' | 'timesheets') {
  const { token } = (await store.takeLease('main', UNTIL, AT)) as ConnectionState;
  const lease = { connection: 'main', token };
  const slice = { feed, slice: 'all' };
  const rows = [hostileRow('1_7')];
  const head = { ...createHead(slice), buckets: [describeBucket(0, rows)] };
  const log = [{ topic: 'timesheets', texts: ['{}'] }] as const;
  const commit = { ...EMPTY_COMMIT, heads: [head], buckets: [{ ...slice, from: 0, rows }], log };
  await store.commit(lease, commit, { clock: AT, until: UNTIL, expiresAt: AT });
  expect(await store.readBuckets('main', [{ ...slice, from: 0 }])).toEqual([rows]);
  return lease;
}

function openChannels(table: TableOptions) {
  return createChannelStore({ ...table, destinations: new Map([['payroll', 'slack/payroll']]) });
}

/** Deliveries to these destinations can be neither read nor written. */
async function expectOthersDenied(table: TableOptions, destinations: readonly string[]): Promise<void> {
  const deliveryStore = createDeliveryStore(table);
  for (const destination of destinations) {
    await expectDenied(deliveryStore.load('e-1', destination));
    await expectDenied(deliveryStore.save({ ...DELIVERY, destination }, AT));
  }
}

async function expectDenied(attempt: Promise<unknown>): Promise<void> {
  await expect(attempt).rejects.toThrow('AccessDenied');
}

/** A client with the permissions of a role; anything else is `AccessDenied` before it is sent. */
function createGuardedClient(dynamo: EmbeddedDynamo, permissions: readonly Statement[]): DynamoDBClient {
  const onAnyTable = permissions.map((statement) => ({ ...statement, Resource: '*' }));
  const { endpoint, region, credentials } = dynamo.client.config;
  const client = createDynamoClient({ ...(endpoint === undefined ? {} : { endpoint }), region, credentials });
  client.middlewareStack.add(
    (next, context) => (args) => {
      const name = String(context.commandName).replace(/Command$/, '');
      const denied = listTableAccesses(name, args.input as Readonly<Record<string, unknown>>).filter(
        (access) => findGrant(access, onAnyTable) === undefined,
      );
      if (denied.length === 0) return next(args);
      throw new DynamoDBServiceException({
        name: 'AccessDeniedException',
        $fault: 'client',
        $metadata: { httpStatusCode: 400 },
        message: denied.map((it) => `${it.action} ${it.partitions}`).join(', '),
      });
    },
    { step: 'initialize' },
  );
  return client;
}
