import 'aws-sdk-client-mock-vitest/extend';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHeartbeats, createPollHandler } from '#functions/parts/poll-handler.ts';
import { createSecretClients } from '#functions/parts/secret-clients.ts';
import { startSource } from '#local/source/server.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { mockClient } from '#test/support/mock-client.ts';
import { startReceiver, type TestReceiver } from '#test/support/webhook-receiver.ts';
import { createContext, stubLambdaEnvironment } from './lambda.ts';

/** What somebody outside of the account hears of a connection. */

const MORNING = Date.parse('2026-03-04T22:00:00Z');
const MINUTE_MS = 60_000;
const secrets = mockClient(SecretsManagerClient);

let receiver: TestReceiver;
let status: number;
let said: string;
let now: number;
let feeds: Partial<Record<FeedName, { state: FeedState; outbox: readonly string[] } | null>>;
let lines: OutcomeLine[];

beforeEach(async () => {
  [status, said, now, lines] = [200, 'OK', MORNING, []];
  receiver = await startReceiver((_, response) => response.writeHead(status).end(said));
  feeds = { timesheets: polled({}), 'pay-periods': polled({}) };
  secrets.reset();
  secrets.on(GetSecretValueCommand).callsFake(() => ({ SecretString: `${address()}\n` }));
});

afterEach(async () => {
  await receiver.stop();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('one request without anything in it, while both feeds are in time', async () => {
  await create()();
  expect(receiver.received).toEqual([
    expect.objectContaining({ method: 'POST', path: '/ping/3f1c', body: '' }),
  ]);
  expect(receiver.received[0]?.headers['user-agent']).toBe(USER_AGENT);
  expect(lines).toEqual([]);
});

describe.each(['timesheets', 'pay-periods'] as const)('nothing, and no line of it, while %s', (feed) => {
  test.each([
    ['was never polled', null],
    ['has no complete poll yet', polled({ completedAt: null })],
    ['was not polled completely for sixteen minutes', polled({ completedAt: MORNING - 16 * MINUTE_MS })],
    ['has late dates', polled({ lag: { since: MORNING, worst: [] } })],
    ['comes in another form', polled({ formChanged: { since: MORNING, fields: [], bad: 30, slices: [] } })],
    ['has events that wait', polled({}, ['batch-1'])],
  ])('%s', async (_, stored) => {
    feeds[feed] = stored;
    await create()();
    expect(receiver.received).toEqual([]);
    expect(lines).toEqual([]);
  });
});

test('a connection without one asks nobody for anything', async () => {
  await create()({ heartbeat: undefined });
  expect(receiver.received).toEqual([]);
  expect(secrets).not.toHaveReceivedAnyCommand();
});

test('a day of failures is one line, without the address, and its end another', async () => {
  const beat = create();
  const everyMinute = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      now += MINUTE_MS;
      feeds = { timesheets: polled({ completedAt: now }), 'pay-periods': polled({ completedAt: now }) };
      await beat();
    }
  };
  status = 500;
  await everyMinute(1_440);
  expect(receiver.received).toHaveLength(1_440);
  expect(lines).toEqual([{ outcome: 'heartbeat.failed', connection: 'main', reason: 'status_500' }]);
  status = 200;
  await everyMinute(3);
  expect(lines.slice(1)).toEqual([{ outcome: 'heartbeat.resumed', connection: 'main' }]);
});

test.each([
  ['OK (not found)', 'answer_not_found'],
  ['OK (rate limited)', 'answer_rate_limited'],
  [' ok (NOT FOUND)\n', 'answer_not_found'],
  ['OK(401)', 'answer_401'],
  [
    'OK (\u202e<b>canary</b>, many words that nobody wants to have in a log)',
    expect.stringMatching(/^answer_[a-z_]{1,40}$/),
  ],
])('a service that answers 200 with %j does not hear it', async (text, reason) => {
  said = text;
  const beat = create();
  await beat();
  expect(lines).toEqual([{ outcome: 'heartbeat.failed', connection: 'main', reason }]);
  said = 'OK';
  await beat();
  expect(lines.slice(1)).toEqual([{ outcome: 'heartbeat.resumed', connection: 'main' }]);
});

test.each(['', 'OK', 'Got it, thanks!', '{"ok":true}'])(
  'a service that answers %j hears it',
  async (text) => {
    said = text;
    await create()();
    expect(lines).toEqual([]);
  },
);

test.each([
  ['a private address that nobody allowed', { allow: { http: true } }, 'target_forbidden'],
  ['an address without TLS that nobody allowed', { allow: { privateAddresses: true } }, 'target_forbidden'],
])('%s is not called', async (_, setting, reason) => {
  await create()({ heartbeat: { ...HEARTBEAT, ...setting } });
  expect(receiver.received).toEqual([]);
  expect(lines).toEqual([{ outcome: 'heartbeat.failed', connection: 'main', reason }]);
});

test.each([
  ['is no address', 'not an address', 'target_forbidden'],
  ['leads nowhere', 'http://127.0.0.1:1/ping', 'connection_failed'],
])('a secret that %s is a line that does not show it', async (_, SecretString, reason) => {
  secrets.on(GetSecretValueCommand).resolves({ SecretString });
  await create()();
  expect(lines).toEqual([{ outcome: 'heartbeat.failed', connection: 'main', reason }]);
});

test('a secret or a table that cannot be read is a line, and no error', async () => {
  secrets.on(GetSecretValueCommand).rejects(named('ResourceNotFoundException'));
  await create()();
  expect(lines.map(({ reason }) => reason)).toEqual(['secret_unreadable']);
  const store = { loadFeedState: async () => Promise.reject(named('Broken')) };
  await create(store)();
  expect(lines.map(({ reason }) => reason)).toEqual(['secret_unreadable', 'unknown']);
});

test('a function without time left sends nothing', async () => {
  await create()({}, now);
  expect(receiver.received).toEqual([]);
});

test('is the last thing of a poll of timesheets, once pay periods were polled, too', async () => {
  const embedded = await startEmbeddedDynamo();
  const source = await startSource({ startsAt: MORNING, timeZone: 'Pacific/Auckland', speed: 0 });
  const sns = mockClient(SNSClient);
  sns.on(PublishBatchCommand).callsFake(({ PublishBatchRequestEntries }) => ({
    Successful: PublishBatchRequestEntries.map(({ Id }: { readonly Id: string }) => ({ Id })),
  }));
  try {
    await stubLambdaEnvironment(embedded.client, () => {});
    secrets.on(GetSecretValueCommand, { SecretId: 'notifier/main' }).resolves({ SecretString: source.token });
    const topics = Object.values(ENVIRONMENT.topicArns).map((name) => [name, `arn:${name}`]);
    const variables = {
      [ENVIRONMENT.tableName]: embedded.tableName,
      [ENVIRONMENT.stackName]: 'notifier',
      ...Object.fromEntries(topics),
    };
    const system = {
      now: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds;
      },
      random: () => 0.5,
      uniqueId: () => `run-${now}`,
    };
    const event = { connection: { ...connection(), baseUrl: source.baseUrl }, scope: 'window' };
    const poll = async (feed: FeedName, changes = {}) => {
      now += MINUTE_MS;
      const handle = createPollHandler(feed, variables, { system });
      await handle({ ...event, ...changes }, createContext(`poll-${feed}`));
      return receiver.received.length;
    };
    expect(await poll('timesheets')).toBe(0);
    expect(await poll('pay-periods')).toBe(0);
    expect(await poll('timesheets')).toBe(1);
    // Those that follow it within its minute send none.
    expect(await poll('timesheets', { scope: 'owed' })).toBe(1);
  } finally {
    sns.restore();
    await source.close();
    await embedded.stop();
  }
});

const HEARTBEAT = { secretName: 'notifier/heartbeat' };

function address(): string {
  return `http://127.0.0.1:${receiver.port}/ping/3f1c`;
}

function connection(changes: object = {}) {
  const allow = { http: true, privateAddresses: true };
  return connectionSchema.parse({
    name: 'main',
    baseUrl: 'https://acme.workforce.example',
    timeZone: 'Pacific/Auckland',
    secretName: 'notifier/main',
    heartbeat: { ...HEARTBEAT, allow },
    ...changes,
  });
}

/** Sends the heartbeat of a connection, as a function does that lives on. */
function create(
  store: Pick<SnapshotStore, 'loadFeedState'> = { loadFeedState: async ({ feed }) => feeds[feed] ?? null },
) {
  const beat = createHeartbeats({
    secrets: createSecretClients(),
    system: { now: () => now },
    store,
    telemetry: { report: (line) => lines.push(line) },
  });
  return async (changes: object = {}, deadline = now + MINUTE_MS) =>
    await beat(connection(changes), deadline);
}

function polled(changes: Partial<FeedState>, outbox: readonly string[] = []) {
  return { state: { ...EMPTY_FEED_STATE, completedAt: MORNING, ...changes }, outbox };
}

function named(name: string): Error {
  return Object.assign(new Error('no'), { name });
}
