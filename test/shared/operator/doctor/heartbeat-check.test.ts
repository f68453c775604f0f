import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { checkDeliveries } from '#shared/operator/doctor/delivery-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createFetchClient } from '#test/support/fetch-client.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const COMPLETED_AT = Date.parse('2026-03-20T12:00:00Z');
const ADDRESS = 'https://hc-ping.example/canary';

let dynamo: EmbeddedDynamo;
let asked: string[];

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  const store = createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
  const lookedAt = { 'timesheets#2026-03-20': COMPLETED_AT, 'pay-periods#all': COMPLETED_AT };
  const baselined = { timesheets: COMPLETED_AT, 'pay-periods': COMPLETED_AT };
  await seedStore(store, { at: COMPLETED_AT, state: { lookedAt, baselined } });
});

afterAll(() => dynamo.stop());

test('a heartbeat that is taken is ok', async () => {
  expect(await check({ answer: () => new Response('OK') })).toMatchObject({
    outcome: 'ok',
    says: 'the address in the secret hc/main takes it',
  });
  expect(asked).toEqual([ADDRESS]);
});

test.each([
  ['OK (not found)', 200, 'answer_not_found'],
  ['OK (rate limited)', 200, 'answer_rate_limited'],
  ['no such check', 404, 'status_404'],
])('a heartbeat that nobody hears is wrong: %s', async (text, status, reason) => {
  const found = await check({ answer: () => new Response(text, { status }) });
  expect(found).toEqual({
    about: 'heartbeat of main',
    outcome: 'wrong',
    says: `nobody hears it: the address in the secret answers ${reason}`,
    mend: 'put the address of a check that exists, and that nothing else calls, into the secret hc/main',
  });
  expect(JSON.stringify(found)).not.toContain('canary');
});

test('a heartbeat that cannot be sent from here is a warning', async () => {
  const answer = () => {
    throw new Error(ADDRESS);
  };
  expect(await check({ answer })).toEqual({
    about: 'heartbeat of main',
    outcome: 'warning',
    says: 'no answer from here (connection_failed)',
    mend: 'run doctor again later',
  });
});

test('no heartbeat is sent for a feed that is not in time', async () => {
  expect(await check({ answer: () => new Response('OK'), minutes: 16 })).toMatchObject({
    outcome: 'ok',
    says: 'the secret hc/main holds an address; not tried, since a feed is not in time',
  });
  expect(asked).toEqual([]);
});

test('whoever only looks sends none', async () => {
  const looks = { onlyLooks: true, hasSecret: async () => true };
  const answer = () => new Response('OK');
  expect(await check({ answer, values: looks })).toMatchObject({ outcome: 'ok' });
  expect(asked).toEqual([]);
});

interface Asked {
  readonly answer: () => Response;
  /** Since the last complete poll. */
  readonly minutes?: number;
  readonly values?: Partial<Target>;
}

async function check({ answer, minutes = 1, values = {} }: Asked) {
  asked = [];
  const now = () => COMPLETED_AT + minutes * 60_000;
  const connection = connectionSchema.parse({
    ...{ name: 'main', baseUrl: 'https://acme.workforce.example', timeZone: 'UTC', secretName: 'main' },
    heartbeat: { secretName: 'hc/main' },
  });
  const target = {
    config: { people: { channels: [] }, webhooks: [] },
    connections: [connection],
    readSecret: () => async () => `${ADDRESS}\n`,
    redirects: false,
    ...{ dynamoDb: dynamo.client, tableName: dynamo.tableName },
    system: { now, sleep: async () => {}, random: () => 0 },
    ...values,
  } as unknown as Target;
  const ask = async ({ url }: Request) => {
    asked.push(url);
    return answer();
  };
  const [found] = await checkDeliveries(target, () => createFetchClient(ask, now));
  return found;
}
