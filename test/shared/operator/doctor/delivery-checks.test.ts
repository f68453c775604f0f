import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { checkDeliveries } from '#shared/operator/doctor/delivery-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createFetchClient } from '#test/support/fetch-client.ts';
import { seedStore } from '#test/support/seeded-store.ts';
import { showFinding } from './show-finding.ts';

const COMPLETED_AT = Date.parse('2026-03-20T12:00:00Z');
const HOOK = 'https://hooks.slack.com/services/T0/B0/canary';
const TOKEN = 'xoxb-1111-canary';
const BOT = { channelId: 'C0123456789' };
const PING = 'https://hc-ping.example/canary';

let dynamo: EmbeddedDynamo;

const NO_ADDRESS =
  'wrong slack payroll: the secret "slack/payroll" holds no address of an incoming webhook; put the address that Slack shows for it (https://hooks.slack.com/services/...) into it, or {"url": ...} with it';
const NO_TOKEN =
  'wrong slack payroll: the secret "slack/payroll" holds no token of a Slack bot; put the "Bot User OAuth Token" (xoxb-...) of the app into it, or {"token": ...} with it';

describe('a channel of Slack', () => {
  test.each<[string, Asked, string]>([
    [
      'has an address',
      { secret: HOOK },
      'ok slack payroll: the secret slack/payroll holds a webhook address',
    ],
    ['has none', { secret: '' }, NO_ADDRESS],
    [
      'has none where nobody is told: nothing is wrong with that',
      { secret: '', target: { tellsPeople: false } },
      'ok slack payroll: this run delivers no alerts; they wait',
    ],
    ['has none where people are told', { secret: '', target: { tellsPeople: true } }, NO_ADDRESS],
    ['has no token of its bot', { secret: HOOK, channel: BOT }, NO_TOKEN],
    [
      'has a token for the receiver of one machine, which Slack does not know',
      { secret: TOKEN, channel: BOT, target: { redirects: true } },
      'ok slack payroll: the secret slack/payroll holds a token',
    ],
  ])('that %s', async (_, asked, expected) => {
    expect(await check(asked)).toEqual({ found: [expected], requests: [] });
  });

  test.each([
    [
      '{"ok":true,"user":"notifier"}',
      'ok slack payroll: Slack takes the token in the secret slack/payroll; test --to slack/payroll shows whether the bot may post',
    ],
    [
      '{"ok":false,"error":"token_revoked"}',
      'wrong slack payroll: Slack does not take the token in it (token_revoked); put the "Bot User OAuth Token" of the app into the secret slack/payroll',
    ],
    [
      '{"ok":false,"error":"ratelimited"}',
      'warning slack payroll: Slack did not answer (ratelimited); run doctor again later',
    ],
  ])('with a bot has its token tried, and nothing is posted: %s', async (said, expected) => {
    const { found, requests } = await check({
      ...{ secret: TOKEN, channel: BOT },
      answer: () => new Response(said),
    });
    expect(found).toEqual([expected]);
    expect(requests).toEqual(['https://slack.com/api/auth.test']);
  });
});

describe('a heartbeat', () => {
  beforeAll(async () => {
    dynamo = await startEmbeddedDynamo();
    const store = createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
    const lookedAt = { 'timesheets#2026-03-20': COMPLETED_AT, 'pay-periods#all': COMPLETED_AT };
    const baselined = { timesheets: COMPLETED_AT, 'pay-periods': COMPLETED_AT };
    await seedStore(store, { at: COMPLETED_AT, state: { lookedAt, baselined } });
  });

  afterAll(() => dynamo.stop());

  const OK = () => new Response('OK');
  const unheard = (reason: string) =>
    `wrong heartbeat of main: nobody hears it: the address in the secret answers ${reason}; put the address of a check that exists, and that nothing else calls, into the secret hc/main`;

  test.each([
    ['OK', 200, 'ok heartbeat of main: the address in the secret hc/main takes it'],
    ['OK (not found)', 200, unheard('answer_not_found')],
    ['OK (rate limited)', 200, unheard('answer_rate_limited')],
    ['no such check', 404, unheard('status_404')],
    [null, 0, 'warning heartbeat of main: no answer from here (connection_failed); run doctor again later'],
  ])('is sent, and answered %j with %d', async (text, status, expected) => {
    const answer = () => {
      if (text === null) throw new Error(PING);
      return new Response(text, { status });
    };
    const { found, requests } = await check({ secret: `${PING}\n`, heartbeat: true, answer });
    expect(found).toEqual([expected]);
    expect(requests).toEqual([PING]);
  });

  test.each<[string, Asked, string]>([
    [
      'a feed that is not in time',
      { secret: PING, minutes: 16 },
      'ok heartbeat of main: the secret hc/main holds an address; not tried, since a feed is not in time',
    ],
    [
      'an address that it may not be sent to',
      { secret: 'http://hc-ping.com/3f1c' },
      'wrong heartbeat of main: http: is not allowed; put an address that it may be sent to into the secret hc/main, or allow it in heartbeat.allow',
    ],
    [
      'somebody who only looks',
      { secret: PING, target: { onlyLooks: true, hasSecret: async () => true } },
      'ok heartbeat of main: the secret hc/main exists; npm run notifier -- doctor checks what it holds',
    ],
  ])('is not sent for %s', async (_, asked, expected) => {
    const { found, requests } = await check({ ...asked, heartbeat: true, answer: OK });
    expect([found, requests]).toEqual([[expected], []]);
  });
});

interface Asked {
  readonly secret: string;
  readonly answer?: () => Response;
  readonly channel?: object;
  /** The heartbeat of a connection, in place of a channel. */
  readonly heartbeat?: boolean;
  /** Since the last complete poll. */
  readonly minutes?: number;
  readonly target?: Partial<Target>;
}

/** What is found, and what was asked for meanwhile. */
async function check({ secret, answer, channel = {}, heartbeat = false, minutes = 1, target = {} }: Asked) {
  const requests: string[] = [];
  const now = () => COMPLETED_AT + minutes * 60_000;
  const connection = connectionSchema.parse({
    ...{ name: 'main', baseUrl: 'https://acme.workforce.example', timeZone: 'UTC', secretName: 'main' },
    heartbeat: { secretName: 'hc/main' },
  });
  const slack = { kind: 'slack', name: 'payroll', secretName: 'slack/payroll', ...channel };
  const asked = {
    config: { people: { channels: heartbeat ? [] : [slack] }, webhooks: [] },
    connections: heartbeat ? [connection] : [],
    readSecret: () => async () => secret,
    redirects: false,
    ...(heartbeat ? { dynamoDb: dynamo.client, tableName: dynamo.tableName } : {}),
    system: { now, sleep: async () => {}, random: () => 0 },
    ...target,
  } as unknown as Target;
  const ask = async ({ url }: Request) => {
    requests.push(url);
    if (answer === undefined) throw new Error('nobody is to be asked');
    return answer();
  };
  const findings = await checkDeliveries(asked, () => createFetchClient(ask, now));
  expect(JSON.stringify(findings)).not.toContain('canary');
  return { found: findings.map(showFinding), requests };
}
