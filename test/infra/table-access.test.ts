import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createThreadStore } from '#shared/adapters/dynamo/alerts/thread-store.ts';
import {
  createDeliveryIndex,
  createDeliveryLedger,
} from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createInterestStore } from '#shared/adapters/dynamo/deliveries/interest-store.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { TableOptions } from '#shared/adapters/dynamo/table.ts';
import { DIRECTORY_FEEDS } from '#shared/core/feeds.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { sampleAlert } from '#test/contracts/alert-store.ts';
import { DATE, NEXT_DATE, PAY_PERIODS, payPeriod, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
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

let dynamo: EmbeddedDynamo;
let built: Synthesized;

beforeAll(async () => {
  built = synthesize({ ...EVERYTHING, ...WITH_BOTS });
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

describe('with the permissions of its role', () => {
  test('collecting adds alerts', async () => {
    const table = tableFor('People/Collect');
    const alerts = openAlerts(table);
    expect(await alerts.add('payroll', [sampleAlert({ id: 'a-1' })], AT)).toBe(1);
    // The second call reads the mark of the first.
    expect(await alerts.add('payroll', [sampleAlert({ id: 'a-1' })], AT)).toBe(0);
  });

  test('collecting cannot read the state of feeds', async () => {
    const table = tableFor('People/Collect');
    const feed = { connection: 'main', feed: 'timesheets' } as const;
    await expectDenied(createDynamoSnapshotStore(table).acquireLease(feed, LEASE));
    await expectDenied(createDynamoSnapshotStore(table).loadFeedState(feed));
  });

  test('releasing takes alerts from waiting to finished', async () => {
    const alerts = openAlerts(tableFor('People/Release'));
    const { revision, waiting } = await alerts.open('payroll', 10);
    const sealed = { message: null, alertIds: waiting.map(({ id }) => id), ownedUntil: AT };
    expect(sealed.alertIds).toEqual(['a-1']);
    expect(await alerts.seal('payroll', revision, [sealed])).toBe('committed');
    expect(await alerts.claim('payroll', sealed, AT + 1)).toBe(true);
    await alerts.finish('payroll', sealed, { now: AT, expiresAt: AT });
    expect(await alerts.open('payroll', 10)).toMatchObject({ waiting: [], sealed: [] });
  });

  test('posting to Slack records its own deliveries, and reaches neither those of another receiver nor alerts', async () => {
    const table = tableFor('People/Slack-payroll');
    const ledger = createDeliveryLedger(table);
    await ledger.save(DELIVERY, AT);
    expect(await ledger.load('e-1', 'slack/payroll')).toEqual(DELIVERY);
    await expectDenied(openAlerts(table).open('payroll', 10));
    await expectOthersDenied(table, ['slack/payrolls', 'teams/payroll', 'webhook/system']);
  });

  test('posting with a bot keeps the threads of its channel, and reaches neither its alerts nor those of another', async () => {
    const table = tableFor('People/Slack-bot');
    await createDeliveryLedger(table).save({ ...DELIVERY, destination: 'slack/bot' }, AT);
    await expectOthersDenied(table, ['slack/bots', 'slack/payroll']);
    const save = (channel: string, of = table) =>
      createThreadStore({ ...of, channel }).save('main#9_7', '1.1', AT);
    await save('bot');
    expect(await createThreadStore({ ...table, channel: 'bot' }).load('main#9_7')).toBe('1.1');
    await expectDenied(save('bots'));
    await expectDenied(createThreadStore({ ...table, channel: 'bots' }).load('main#9_7'));
    await expectDenied(openAlerts(table).open('bot', 10));
    await expectDenied(save('payroll', tableFor('People/Slack-payroll')));
  });

  test('a webhook records its own deliveries and state, and cannot read or write that of another', async () => {
    const table = tableFor('Webhook-system');
    await createDeliveryLedger(table).save({ ...DELIVERY, destination: 'webhook/system' }, AT);
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

  test('polling reads what it needs of the other feed of its connections, and writes its own', async () => {
    const feeds = { timesheets: TIMESHEETS, 'pay-periods': PAY_PERIODS } as const;
    const stores = {
      timesheets: createDynamoSnapshotStore(tableFor('PollTimesheets')),
      'pay-periods': createDynamoSnapshotStore(tableFor('PollPayPeriods')),
    };
    for (const [name, other] of [
      ['timesheets', 'pay-periods'],
      ['pay-periods', 'timesheets'],
    ] as const) {
      const store = stores[name];
      expect(await store.loadFeedState(feeds[other])).toBeNull();
      await expectDenied(store.acquireLease(feeds[other], LEASE));
      await expectDenied(store.acquireLease({ connection: 'elsewhere', feed: name }, LEASE));
      await expectDenied(store.loadFeedState({ connection: 'elsewhere', feed: name }));
    }
    const leaf = { slice: DATE, generation: 'g', index: 0 };
    expect(await stores['pay-periods'].loadHeads(TIMESHEETS, '2026-03-01')).toEqual([]);
    expect(await stores['pay-periods'].readLeaves(TIMESHEETS, [leaf])).toMatchObject([{ rows: [] }]);
    for (const store of Object.values(stores))
      expect((await store.loadMembership('main')).employees.size).toBe(0);
    await stores['pay-periods'].saveMembership?.('main', [{ index: 3, employees: {} }]);
    await expectDenied(
      Promise.resolve(stores.timesheets.saveMembership?.('main', [{ index: 3, employees: {} }])),
    );
    await expectDenied(Promise.resolve(stores['pay-periods'].loadMembership('elsewhere')));
    await expectDenied(Promise.resolve(stores.timesheets.loadMembership('elsewhere')));
    await expectDenied(stores.timesheets.loadHeads(PAY_PERIODS, '2026-03-01'));
    await expectDenied(stores.timesheets.readLeaves(PAY_PERIODS, [leaf]));
  });

  test('polls go from the baseline to the count of a closed period', async () => {
    const stores = {
      timesheets: createDynamoSnapshotStore(tableFor('PollTimesheets')),
      'pay-periods': createDynamoSnapshotStore(tableFor('PollPayPeriods')),
    };
    let feed: keyof typeof stores = 'timesheets';
    // Each poll has the store of its own role.
    const store = new Proxy(stores.timesheets, { get: (_, member) => Reflect.get(stores[feed], member) });
    const stage = new PollHarness({ store, startAt: '2026-03-05T01:00:00Z' });
    const pollBoth = async () => {
      for (feed of ['pay-periods', 'timesheets'] as const) await stage.poll({ scope: 'window', feed });
    };
    stage.put(timesheet({ id: '1_7' }), timesheet({ id: '2_7' }), timesheet({ id: '3_7', date: NEXT_DATE }));
    stage.payPeriods = () => [payPeriod()];
    await pollBoth();
    stage.news();
    stage.change({ approvedHours: '2026-03-05T01:00:30.000Z' }, ['1_7']);
    stage.change({ date: NEXT_DATE }, ['2_7']);
    stage.remove('3_7');
    await pollBoth();
    expect([...stage.news()].sort()).toEqual([
      'timesheet.approved 1_7',
      'timesheet.changed 2_7',
      'timesheet.removed 3_7',
    ]);
    stage.payPeriods = () => [payPeriod({ closed: '2026-03-05T01:05:00.000Z' })];
    // The first one sees it and reads its dates, the second one tells it.
    await pollBoth();
    await pollBoth();
    expect(stage.published.map(({ type, data }) => [type, data.closeManifest])).toEqual([
      [
        'workforce.pay_period.closed',
        expect.objectContaining({ complete: true, timesheets: 2, approved: 1 }),
      ],
      ['workforce.pay_period.statement', undefined],
    ]);
  });

  test('polls of the directory go from the baseline to changes, where the config has them', async () => {
    const withDirectory = synthesize({ ...EVERYTHING, poll: { directory: true } });
    const store = createDynamoSnapshotStore(tableFor('PollPayPeriods', withDirectory));
    const stage = new PollHarness({ store, startAt: '2026-03-05T01:00:00Z' });
    const pollBoth = async () => {
      for (const feed of DIRECTORY_FEEDS) await stage.poll({ feed });
    };
    const list = (department: string, name: string, ...ids: string[]) => {
      const contractedHours = [{ department: { id: department } }];
      stage.directory.employees = ids.map((id) => ({ id, contractedHours }));
      stage.directory.departments = [{ id: '501_7', name, manager: '' }];
    };
    list('501_7', 'Kitchen', '2001_7', '2002_7');
    await pollBoth();
    stage.news();
    list('502_7', 'Bar', '2001_7');
    await pollBoth();
    expect([...stage.news()].sort()).toEqual([
      'department.renamed 501_7',
      'employee.left 2002_7',
      'employee.moved 2001_7',
    ]);
    for (const feed of DIRECTORY_FEEDS) {
      const key = { connection: 'main', feed };
      await expectDenied(createDynamoSnapshotStore(tableFor('PollTimesheets')).loadFeedState(key));
    }
  });

  test('polling may read the id of its table, collecting may not', async () => {
    expect(await createDynamoSnapshotStore(tableFor('PollTimesheets')).tableId()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await createDynamoSnapshotStore(tableFor('People/Collect')).tableId()).toBeNull();
  });

  test('collecting reads names, from the directory of its own connections alone', async () => {
    const stage = new PollHarness({ store: createDynamoSnapshotStore(tableFor('PollPayPeriods')) });
    stage.directory.departments = [{ id: '501_7', name: 'Kitchen', manager: '' }];
    await stage.poll({ feed: 'departments', isSilent: true });
    const store = createDynamoSnapshotStore(tableFor('People/Collect'));
    const names = createNameReader(store);
    expect((await names.load('main', ['departments'])).departments.get('501_7')).toBe('Kitchen');
    await expectDenied(names.load('elsewhere', ['departments']));
    await expectDenied(store.loadHeads({ connection: 'main', feed: 'timesheets' }, ''));
  });

  test('checking deliveries reads what became of events at webhooks, and remembers since when these want them', async () => {
    const table = tableFor('DeliveryCheck');
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
function tableFor(path: string, template = built): TableOptions {
  const permissions = permissionsOf(template.at(`${path}/Role`));
  const client = createGuardedClient(dynamo, permissions);
  return { client, tableName: dynamo.tableName, sleep: async () => {}, random: () => 0 };
}

function openAlerts(table: TableOptions) {
  return createAlertStore({ ...table, destinations: new Map([['payroll', 'slack/payroll']]) });
}

/** Deliveries to these destinations can be neither read nor written. */
async function expectOthersDenied(table: TableOptions, destinations: readonly string[]): Promise<void> {
  const ledger = createDeliveryLedger(table);
  for (const destination of destinations) {
    await expectDenied(ledger.load('e-1', destination));
    await expectDenied(ledger.save({ ...DELIVERY, destination }, AT));
  }
}

async function expectDenied(attempt: Promise<unknown>): Promise<void> {
  await expect(attempt).rejects.toThrow('AccessDenied');
}
