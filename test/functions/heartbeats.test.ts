import 'aws-sdk-client-mock-vitest/extend';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHeartbeats } from '#functions/parts/heartbeats.ts';
import { createSecretClients } from '#functions/parts/secret-clients.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { type ConnectionState, EMPTY_STATE, type OpenTrouble } from '#shared/core/snapshot/state.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { mockClient } from '#test/support/mock-client.ts';
import { startReceiver, type TestReceiver } from '#test/support/webhook-receiver.ts';

/** What somebody outside of the account hears of a connection. */

const MORNING = Date.parse('2026-03-04T22:00:00Z');
const MINUTE_MS = 60_000;
const secrets = mockClient(SecretsManagerClient);

let receiver: TestReceiver;
let status: number;
let said: string;
let now: number;
let state: ConnectionState | null;
let lines: OutcomeLine[];

beforeEach(async () => {
  [status, said, now, lines] = [200, 'OK', MORNING, []];
  receiver = await startReceiver((_, response) => response.writeHead(status).end(said));
  state = polledAt(MORNING);
  secrets.reset();
  secrets.on(GetSecretValueCommand).callsFake(() => ({ SecretString: `${address()}\n` }));
});

afterEach(async () => {
  await receiver.stop();
  vi.restoreAllMocks();
});

test('one request without anything in it, while the connection is in time', async () => {
  await create()();
  expect(receiver.received).toEqual([
    expect.objectContaining({ method: 'POST', path: '/ping/3f1c', body: '' }),
  ]);
  expect(receiver.received[0]?.headers['user-agent']).toBe(USER_AGENT);
  expect(lines).toEqual([]);
});

const READ = 'timesheets#2026-03-05';
const LISTED = 'pay-periods#all';

test.each<[string, Partial<ConnectionState> | null]>([
  ['was never polled', null],
  ['has no baseline of pay periods yet', { baselined: { timesheets: 0 } }],
  ['read no date for sixteen minutes', { lookedAt: { [READ]: MORNING - 16 * MINUTE_MS, [LISTED]: MORNING } }],
  ['never listed the pay periods', { lookedAt: { [READ]: MORNING } }],
  ['has late dates', { troubles: [trouble('feed_late')] }],
  ['is doubtful', { troubles: [trouble('dates_doubtful')] }],
  ['has events that wait', { topics: { timesheets: { logged: '2', published: '1' } } }],
])('nothing, and no line of it, while the connection %s', async (_, changes) => {
  state = changes === null ? null : { ...polledAt(MORNING), ...changes };
  await create()();
  expect(receiver.received).toEqual([]);
  expect(lines).toEqual([]);
});

test('a record that cannot be read keeps nobody else from being in time', async () => {
  state = { ...polledAt(MORNING), troubles: [trouble('records_unreadable')] };
  await create()();
  expect(receiver.received).toHaveLength(1);
});

test('a connection without one asks nobody for anything', async () => {
  await create()({ heartbeat: undefined });
  expect(receiver.received).toEqual([]);
  expect(secrets).not.toHaveReceivedAnyCommand();
});

test('an hour of failures is one line, without the address, and its end another', async () => {
  const beat = create();
  const everyMinute = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      now += MINUTE_MS;
      state = polledAt(now);
      await beat();
    }
  };
  status = 500;
  await everyMinute(60);
  expect(receiver.received).toHaveLength(60);
  expect(lines).toEqual([{ outcome: 'heartbeat.failed', connection: 'main', reason: 'status_500' }]);
  status = 200;
  await everyMinute(3);
  expect(lines.slice(1)).toEqual([{ outcome: 'heartbeat.resumed', connection: 'main' }]);
});

test.each<[string, unknown]>([
  ['OK (not found)', 'answer_not_found'],
  [' ok (NOT FOUND)\n', 'answer_not_found'],
  ['OK(401)', 'answer_401'],
  [
    'OK (\u202e<b>canary</b>, many words that nobody wants to have in a log)',
    expect.stringMatching(/^answer_[a-z_]{1,40}$/),
  ],
  ...['', 'OK', 'Got it, thanks!', '{"ok":true}'].map((text): [string, null] => [text, null]),
])('a service that answers 200 with %j does not hear it, or does', async (text, reason) => {
  said = text;
  await create()();
  expect(lines).toEqual(reason === null ? [] : [{ outcome: 'heartbeat.failed', connection: 'main', reason }]);
});

test.each([
  ['a private address that nobody allowed', { allow: { http: true } }, 'target_forbidden'],
  ['an address without TLS that nobody allowed', { allow: { privateAddresses: true } }, 'target_forbidden'],
])('%s is not called', async (_, setting, reason) => {
  await create()({ heartbeat: { ...HEARTBEAT, ...setting } });
  expect(receiver.received).toEqual([]);
  expect(lines).toEqual([{ outcome: 'heartbeat.failed', connection: 'main', reason }]);
});

test.each([
  ['that is no address', () => ({ SecretString: 'not an address' }), 'target_forbidden'],
  ['that leads nowhere', () => ({ SecretString: 'http://127.0.0.1:1/ping' }), 'connection_failed'],
  ['that cannot be read', () => Promise.reject(named('ResourceNotFoundException')), 'secret_unreadable'],
])('a secret %s is a line that does not show it, and no error', async (_, answer, reason) => {
  secrets.on(GetSecretValueCommand).callsFake(answer);
  await create()();
  expect(lines).toEqual([{ outcome: 'heartbeat.failed', connection: 'main', reason }]);
});

test('a table that cannot be read is a line, and no error', async () => {
  await create({ loadState: async () => Promise.reject(named('Broken')) })();
  expect(lines.map(({ reason }) => reason)).toEqual(['unknown']);
});

test('a function without time left sends nothing', async () => {
  await create()({}, now);
  expect(receiver.received).toEqual([]);
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
function create(store: Pick<Store, 'loadState'> = { loadState: async () => state }) {
  const beat = createHeartbeats({
    secrets: createSecretClients(),
    system: { now: () => now },
    store,
    telemetry: { report: (line) => lines.push(line) },
  });
  return async (changes: object = {}, deadline = now + MINUTE_MS) =>
    await beat(connection(changes), deadline);
}

/** Both feeds were read at an instant, and nothing waits. */
function polledAt(at: number): ConnectionState {
  return {
    ...EMPTY_STATE,
    baselined: { timesheets: 0, 'pay-periods': 0 },
    lookedAt: { [READ]: at, [LISTED]: at },
    topics: { timesheets: { logged: '2', published: '2' } },
  };
}

function trouble(kind: OpenTrouble['kind']): OpenTrouble {
  return { kind, feed: 'timesheets', subject: 'timesheets', about: [], since: MORNING };
}

function named(name: string): Error {
  return Object.assign(new Error('no'), { name });
}
