import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { system } from '#shared/adapters/system/system.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { toIso } from '#shared/core/dates.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { listLedgerReceivers } from '#shared/operator/deliveries/find-deliveries.ts';
import { readFreshness } from '#shared/operator/freshness/read-freshness.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import type { Target } from '#shared/operator/target.ts';
import { NOON, sampleStateWrite, sampleStep } from '#test/contracts/snapshot-samples.ts';
import { CONNECTION, EVERYTHING } from '#test/infra/synthesized.ts';
import { eventText } from '#test/shared/freshness/event-text.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

/** Each event happens at noon, is seen ten seconds later and committed at once. */
const SEEN = NOON + 10_000;
const WEBHOOK = 'webhook/system';
const EVENT_ID = (record: string) => `timesheet.approved ${connection}-${record}`;

let dynamo: EmbeddedDynamo;
let tests = 0;
let connection = '';

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});
afterAll(async () => {
  await dynamo?.stop();
});
beforeEach(() => {
  tests += 1;
  connection = `main-${tests}`;
});

describe('publication', () => {
  test('is with the commit, unless the log says that it was later', async () => {
    await commit('a');
    await commit('b', { publishedAt: SEEN + 50_000 });
    const { publication } = await read();
    expect(publication.types).toMatchObject([{ events: 2, waiting: 0, p50: 10, longest: 60 }]);
  });

  test('is still to come of what is in an outbox, which counts with the time so far', async () => {
    await commit('a');
    await commit('b', { waits: true });
    const { publication } = await read({ objectives: { approvals: '30s' } }, SEEN + 90_000);
    expect(publication.types).toMatchObject([{ events: 2, waiting: 1, longest: 100 }]);
    expect(publication.objectives).toEqual([
      { class: 'approvals', seconds: 30, events: 2, kept: 1, late: [{ cause: 'topic', events: 1 }] },
    ]);
  });

  test('leaves out what has no freshness, and says how much', async () => {
    await commit('a');
    await commit('b', { after: null });
    expect((await read()).unmeasured).toEqual({ untimed: 0, first_sight: 1, restore: 0 });
  });
});

describe('acceptance', () => {
  test('is when the receiver took it, and its lateness the receiver’s own if it was published in time', async () => {
    for (const record of ['a', 'b', 'c', 'd']) await commit(record);
    await save('a', { outcome: 'delivered', at: SEEN + 1_000 });
    await save('b', { outcome: 'delivered', at: SEEN + 600_000, answers: ['503'] });
    await save('c', { outcome: 'failed', detail: '500' });
    await save('d', { outcome: 'filtered' });
    const [webhook] = (await read({ objectives: { approvals: '30s' } })).receivers;
    expect(webhook).toMatchObject({
      to: 'webhooks/system',
      types: [{ events: 3, lost: 1, p50: 610, p99: null }],
      objectives: [{ events: 3, kept: 1, late: [{ cause: 'receiver', events: 2 }] }],
    });
  });

  test('is the first one of an event that a replay brought again, and none where only a replay did', async () => {
    for (const record of ['a', 'b']) await commit(record);
    await save('a', { outcome: 'delivered', at: SEEN + 86_400_000, acceptedAt: SEEN + 2_000 });
    await save('b', { outcome: 'delivered', at: SEEN + 86_400_000, replayed: true });
    const [webhook] = (await read()).receivers;
    expect(webhook).toMatchObject({ types: [{ events: 1, longest: 12 }], replayed: 1 });
  });

  test('is not expected of events before the first that the receiver was sent', async () => {
    for (const [index, record] of ['a', 'b', 'c'].entries()) await commit(record, { delayMs: index });
    await save('b', { outcome: 'delivered', at: SEEN + 1_000 });
    const [webhook] = (await read()).receivers;
    expect(webhook).toMatchObject({ types: [{ events: 2, waiting: 1 }], untried: 1 });
  });

  test('of people is when their message was taken, and has no objective', async () => {
    for (const record of ['a', 'b']) await commit(record);
    const destination = 'slack/payroll';
    await save('a', { destination, outcome: 'delivered', at: SEEN, detail: 'in message m-1' });
    await save('b', {
      destination,
      outcome: 'delivered',
      at: SEEN,
      detail: 'cancelled out, or counted in another message',
    });
    await save('m-1', { eventId: 'm-1', destination, outcome: 'delivered', at: SEEN + 50_000 });
    const alerts = { ...EVERYTHING.alerts, rules: [{ types: ['workforce.timesheet.approved'] }] };
    const { receivers } = await read({ alerts, objectives: { approvals: '30s' } });
    expect(receivers.find(({ to }) => to === 'slack/payroll')).toMatchObject({
      types: [{ events: 1, longest: 60 }],
      objectives: [],
    });
  });

  test('of people counts nothing that no rule sends to them, and the ledger is not asked of it', async () => {
    await commit('a');
    await save('a', {
      destination: 'slack/payroll',
      outcome: 'delivered',
      at: SEEN,
      detail: 'in message m-1',
    });
    const { receivers } = await read();
    expect(receivers.find(({ to }) => to === 'slack/payroll')).toMatchObject({ types: [] });
  });

  test('is not measured of webhooks that keep another time', async () => {
    await commit('a');
    await save('a', { outcome: 'delivered', at: SEEN });
    const report = await read({}, SEEN, { webhooksInRealTime: true });
    expect(report.unmeasuredReceivers).toEqual(['webhooks/system']);
    expect(report.receivers.map(({ to }) => to)).not.toContain('webhooks/system');
  });
});

interface Commit {
  readonly after?: string | null;
  readonly publishedAt?: number;
  readonly waits?: boolean;
  readonly delayMs?: number;
}

async function commit(
  record: string,
  { after = toIso(NOON), publishedAt, waits = false, delayMs = 0 }: Commit = {},
): Promise<void> {
  const store = createDynamoSnapshotStore(table());
  const feed = { connection, feed: 'timesheets' } as const;
  const text = eventText(
    'timesheet.approved',
    { observed: { after, by: toIso(SEEN) } },
    `${connection}-${record}`,
  );
  const events = { key: `${toIso(SEEN + delayMs)}/2026-03-05/${record}`, chunks: [[text]] };
  // The state of a feed has an outbox, too.
  const outcome = waits
    ? await store.saveFeedState(sampleStateWrite(feed, 1, { events }))
    : await store.commit(sampleStep(feed, [], { events }));
  expect(outcome).toBe('committed');
  const pointer = toBatchPointer(events);
  if (publishedAt !== undefined) await store.notePublished?.(feed, { pointer, at: publishedAt });
}

async function save(record: string, delivery: Partial<Delivery>): Promise<void> {
  const known = { destination: WEBHOOK, at: SEEN, attempts: 1, detail: null, outcome: 'waiting' } as const;
  await createDeliveryLedger(table()).save(
    { ...known, eventId: EVENT_ID(record), ...delivery },
    SEEN + 90 * 86_400_000,
  );
}

function table() {
  const { client, tableName } = dynamo;
  return { client, tableName, sleep: system.sleep, random: system.random };
}

async function read(config: object = {}, now = SEEN + 3_600_000, values: Partial<Target> = {}) {
  const { client: dynamoDb, tableName } = dynamo;
  const parsed = parseNotifierConfig({
    ...EVERYTHING,
    connections: [{ ...CONNECTION, name: connection }],
    ...config,
  });
  const target = {
    ...{ config: parsed, connections: parsed.connections, dynamoDb, tableName },
    system: { ...system, now: () => now },
    ...values,
  } as Target;
  return await readFreshness(buildQueries({ since: '2h' }, target), listLedgerReceivers(target), target);
}
