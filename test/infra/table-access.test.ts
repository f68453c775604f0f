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

const ALERTS = ['People/Collect', 'People/Release'];
const ROLES = [
  'Poll',
  ...ALERTS,
  'People/Slack-payroll',
  'People/Slack-bot',
  'Webhook-system',
  'DeliveryCheck',
];

const store = (table: TableOptions) => createDynamoStore(table);
const slice = (feed: 'pay-periods' | 'timesheets') => [{ feed, slice: 'all', from: 0 }];
const deliver = (destination: string) => (table: TableOptions) =>
  createDeliveryStore(table).save({ ...DELIVERY, destination }, AT);
const disable = (webhook: string) => (table: TableOptions) =>
  createWebhookStateStore(table).saveDisabled(webhook, null);
const thread = (channel: string) => (table: TableOptions) =>
  createThreadStore({ ...table, channel }).save('main#9_7', '1.1', AT);
const outcomes = (destination: string) => async (table: TableOptions) =>
  createDeliveryIndex(table).loadMany([{ eventId: 'e-1', destination }]);

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

  test('a receiver reads what it keeps: deliveries, threads of a bot, and whether a webhook is disabled', async () => {
    const [chat, bot, webhook] = ['People/Slack-payroll', 'People/Slack-bot', 'Webhook-system'].map(tableFor);
    await deliver('slack/payroll')(chat as TableOptions);
    expect(await createDeliveryStore(chat as TableOptions).load('e-1', 'slack/payroll')).toEqual(DELIVERY);
    await thread('bot')(bot as TableOptions);
    expect(await createThreadStore({ ...(bot as TableOptions), channel: 'bot' }).load('main#9_7')).toBe(
      '1.1',
    );
    const state = createWebhookStateStore(webhook as TableOptions);
    const disabled = { url: 'https://a.example', at: AT, reason: '410', connection: 'main', told: false };
    await state.saveDisabledIfAbsent('system', disabled);
    await state.saveDisabled('system', { ...disabled, told: true });
    expect(await state.loadDisabled('system')).toEqual({ ...disabled, told: true });
  });

  test('polling does all that it does with its connections', async () => {
    const own = createDynamoStore(tableFor('Poll'));
    const lease = await commitOnce(own, 'timesheets');
    await own.renewLease(lease, UNTIL);
    const removed = { feed: 'timesheets', slice: 'all' } as const;
    const write = {
      ...EMPTY_COMMIT,
      removedHeads: [removed],
      buckets: [{ ...removed, from: 0, rows: null }],
    };
    await own.commit(lease, write, { clock: AT + 1, until: UNTIL, expiresAt: AT });
    expect(await own.loadHeads('main')).toEqual([]);
    const count = { connection: 'main', payPeriodId: '9_7', name: 'n' };
    await own.saveCount(count, [], AT);
    expect(await own.loadCount(count)).toEqual([]);
    await own.saveAnswers(lease, '9_7', { answers: new Map(), until: UNTIL, expiresAt: AT });
    expect((await own.loadAnswers('main', '9_7')).size).toBe(0);
    await own.giveBack(lease, { topics: {} });
    expect(await own.loadState('main')).toMatchObject({ token: lease.token });
    expect(await own.tableId()).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('collecting and releasing read names', async () => {
    await commitOnce(createDynamoStore(tableFor('Poll')), 'departments');
    for (const role of ALERTS) {
      const names = createNameReader(createDynamoStore(tableFor(role)));
      expect((await names.load('main', ['departments'])).departments.size).toBe(1);
    }
  });

  test('checking deliveries reads the log, and remembers since when webhooks want events', async () => {
    const table = tableFor('DeliveryCheck');
    const read = createEventLog(store(table)).read('main', { from: AT - 1, to: AT + 2 });
    expect(await read.next()).toMatchObject({ value: { texts: ['{}'] } });
    const interests = createInterestStore(table);
    const interest = { digest: 'd', since: AT };
    await interests.save('system', interest);
    expect(await interests.load('system')).toEqual(interest);
  });
});

/** `mainz`, `bots` and the like begin as the names of others do. Collecting and releasing is for every channel. */
test.each<[string, (table: TableOptions) => Promise<unknown>, readonly string[]]>([
  ['the state of a connection', (t) => store(t).loadState('main'), ['Poll']],
  ['its lease', (t) => store(t).takeLease('main', UNTIL, AT), ['Poll']],
  ['its timesheets', (t) => store(t).readBuckets('main', slice('timesheets')), ['Poll']],
  ['its pay periods', (t) => store(t).readBuckets('main', slice('pay-periods')), ['Poll', ...ALERTS]],
  ['its lists', (t) => store(t).loadHeads('main'), ['Poll', ...ALERTS]],
  ['what members of its periods are', (t) => store(t).loadAnswers('main', '9_7'), ['Poll']],
  ['the state of another connection', (t) => store(t).loadState('mainz'), []],
  ['the lease of another', (t) => store(t).takeLease('mainz', UNTIL, AT), []],
  ['the lists of another', (t) => store(t).loadHeads('mainz'), []],
  ['what members of periods of another are', (t) => store(t).loadAnswers('mainz', '9_7'), []],
  ['messages that wait', (t) => openChannels(t).open('payroll', 10), ALERTS],
  ['threads of a channel', thread('bot'), ['People/Slack-bot', ...ALERTS]],
  ['threads of another channel', thread('bots'), ALERTS],
  ['deliveries to a channel', deliver('slack/payroll'), ['People/Slack-payroll', ...ALERTS]],
  ['deliveries to a bot', deliver('slack/bot'), ['People/Slack-bot', ...ALERTS]],
  ['deliveries to another channel', deliver('slack/payrolls'), ALERTS],
  ['deliveries to a webhook', deliver('webhook/system'), ['Webhook-system', ...ALERTS]],
  ['deliveries to another webhook', deliver('webhook/systems'), ALERTS],
  ['the state of a webhook', disable('system'), ['Webhook-system']],
  ['the state of another webhook', disable('systems'), []],
  ['what became of events at webhooks', outcomes('webhook/system'), ['DeliveryCheck']],
  ['what became of events at channels', outcomes('slack/payroll'), []],
])('%s: only by the functions that need it', async (_, attempt, expected) => {
  const reaching: string[] = [];
  for (const role of ROLES) {
    const answer = await attempt(tableFor(role)).then(
      () => 'reached',
      (error: Error) => error.message,
    );
    if (answer === 'reached') reaching.push(role);
    else expect([role, answer]).toEqual([role, expect.stringContaining('AccessDenied')]);
  }
  expect(reaching.sort()).toEqual([...expected].sort());
});

/** The table with the permissions that the template gives a function. */
function tableFor(path: string): TableOptions {
  const client = createGuardedClient(dynamo, permissionsOf(at(`${path}/Role`)));
  return { client, tableName: dynamo.tableName, sleep: async () => {}, random: () => 0 };
}

/** Takes the lease of `main`, and commits a row of a feed with an event. */
async function commitOnce(own: Store, feed: 'departments' | 'timesheets') {
  const { token } = (await own.takeLease('main', UNTIL, AT)) as ConnectionState;
  const lease = { connection: 'main', token };
  const all = { feed, slice: 'all' };
  const rows = [hostileRow('1_7')];
  const head = { ...createHead(all), buckets: [describeBucket(0, rows)] };
  const log = [{ topic: 'timesheets', texts: ['{}'] }] as const;
  const commit = { ...EMPTY_COMMIT, heads: [head], buckets: [{ ...all, from: 0, rows }], log };
  await own.commit(lease, commit, { clock: AT, until: UNTIL, expiresAt: AT });
  expect(await own.readBuckets('main', [{ ...all, from: 0 }])).toEqual([rows]);
  return lease;
}

function openChannels(table: TableOptions) {
  return createChannelStore({ ...table, destinations: new Map([['payroll', 'slack/payroll']]) });
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
