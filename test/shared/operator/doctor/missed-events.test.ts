import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeliveryStore } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createInterestStore } from '#shared/adapters/dynamo/deliveries/interest-store.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { toDeliveryKey } from '#shared/adapters/dynamo/keys.ts';
import { TABLE } from '#shared/config/table.ts';
import { findDeliveries } from '#shared/operator/deliveries/find-deliveries.ts';
import { checkDeliveries, findMissedEvents } from '#shared/operator/doctor/delivery-checks.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { findReceiver, WITH_DELIVERIES } from '#shared/operator/receivers.ts';
import { toTableOptions } from '#shared/operator/target.ts';
import { type SeededCompany, startSeededCompany } from '#test/console/seeded-company.ts';

const WEBHOOK = 'payroll-system';
const DAY_MS = 86_400_000;
const HALF_AN_HOUR_MS = 1_800_000;

let seeded: SeededCompany;

beforeAll(async () => {
  seeded = await startSeededCompany();
  await seeded.live(600, 30);
});
afterAll(() => seeded.stop());

test('what a long outage left out is offered with the command that sends it, until it was sent', async () => {
  const { target, harness } = seeded;
  const deliveryStore = createDeliveryStore(toTableOptions(target));
  const all = await listDeliveries();
  const given = all.slice(2, 5);
  expect(given).toHaveLength(3);
  for (const { eventId } of given) await seeded.giveUp(eventId);
  // Of the others some wait in the sample; a real outage leaves none of them to be tried.
  for (const each of all)
    if (!given.includes(each) && each.delivery?.outcome !== 'delivered') await markDelivered(each.eventId);

  expect(await findMissedEvents(WEBHOOK, target)).toBeNull();
  const outage = { from: harness.now - DAY_MS, to: harness.now };
  await createWebhookStateStore(toTableOptions(target)).saveAcceptance(WEBHOOK, { at: harness.now, outage });
  const [first, last] = [given[0]?.committedAt ?? '', given.at(-1)?.committedAt ?? ''];
  const until = new Date(Date.parse(last) + 1).toISOString();
  const missed = await findMissedEvents(WEBHOOK, target);
  expect(missed).toMatchObject({ outage, events: 3, first, last });
  expect(missed?.command).toContain(`send --events --since ${first} --until ${until} --to ${WEBHOOK}`);
  expect(await findWebhookFinding()).toMatchObject({
    outcome: 'warning',
    says: `took nothing from ${new Date(outage.from).toISOString()} to ${new Date(outage.to).toISOString()}; 3 events (${first} to ${last}) of that time never reached it: kept for 14 days, then given up`,
    mend: missed?.command,
  });

  // Of very many only some are counted, and the whole outage is offered.
  const from = new Date(outage.from).toISOString();
  const counted = await findMissedEvents(WEBHOOK, target, 2);
  expect(counted).toMatchObject({ events: 2, hasMore: true, first: from });
  expect(counted?.command).toContain(`send --events --since ${from} --until`);
  expect(await findMissedEvents(WEBHOOK, target, 3)).toMatchObject({ events: 3, hasMore: false, first });

  for (const { eventId } of given) await markDelivered(eventId);
  expect(await findMissedEvents(WEBHOOK, target)).toBeNull();
  expect((await findWebhookFinding())?.says).not.toContain('never reached it');

  // Five messages taken from its queue, of events that it has wanted for days.
  const interests = createInterestStore(toTableOptions(target));
  await interests.save(WEBHOOK, { digest: 'what it wants', since: harness.now - 9 * DAY_MS });
  const taken = all.filter((each) => Date.parse(each.committedAt) > harness.now - DAY_MS).slice(0, 5);
  expect(taken.length).toBe(5);
  const { client, tableName } = toTableOptions(target);
  expect((await findWebhookFinding())?.says).not.toContain('nobody tried');
  for (const { eventId } of taken) {
    const { partition, sort } = toDeliveryKey(eventId, `webhook/${WEBHOOK}`);
    const Key = { [TABLE.partitionKey]: { S: partition }, [TABLE.sortKey]: { S: sort } };
    await client.send(new DeleteItemCommand({ TableName: tableName, Key }));
  }
  const oldest = taken.map((each) => each.committedAt).toSorted()[0];
  harness.now += HALF_AN_HOUR_MS;
  expect(await findWebhookFinding()).toMatchObject({
    outcome: 'wrong',
    says: `nobody tried 5 events of the last day, from ${oldest} on`,
    mend: expect.stringContaining(`send --events --since ${oldest} --to ${WEBHOOK}`),
  });
  harness.now -= HALF_AN_HOUR_MS;
  for (const { eventId } of taken) await markDelivered(eventId);

  async function markDelivered(eventId: string): Promise<void> {
    const delivered = { outcome: 'delivered', at: harness.now, attempts: 1, detail: null } as const;
    const destination = `webhook/${WEBHOOK}`;
    await deliveryStore.save({ eventId, destination, ...delivered }, harness.now + 90 * DAY_MS);
  }
});

async function listDeliveries() {
  const { target } = seeded;
  const found = [];
  const receivers = [findReceiver(WEBHOOK, WITH_DELIVERIES, target)];
  for await (const each of findDeliveries(buildQueries({ since: '24h' }, target), receivers, target))
    found.push(each);
  return found;
}

async function findWebhookFinding() {
  const findings = await checkDeliveries(seeded.target);
  return findings.find(({ about }) => about === `webhook ${WEBHOOK}`);
}
