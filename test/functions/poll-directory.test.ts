import { createContext, stubLambdaEnvironment } from './lambda.ts';
import 'aws-sdk-client-mock-vitest/extend';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createNamesHandler } from '#functions/poll-directory.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { RefreshNamesReport } from '#shared/people/flow/refresh-names.ts';
import { NAMED_KINDS } from '#shared/people/names/names.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { mockClient } from '#test/support/mock-client.ts';
import { steer } from '#test/support/steer.ts';

/** The function that refreshes names, from the event of its schedule to the table, its result and its log. */

const MORNING = Date.parse('2026-03-04T22:00:00Z');
const TIME_LIMIT_MS = 60_000;

const secrets = mockClient(SecretsManagerClient);
let embedded: EmbeddedDynamo;
let source: RunningSource;
let lines: Record<string, unknown>[];
let tests = 0;

beforeAll(async () => {
  embedded = await startEmbeddedDynamo();
  source = await startSource({ startsAt: MORNING, timeZone: 'Pacific/Auckland', speed: 0 });
});

afterAll(async () => {
  await embedded?.stop();
  await source?.close();
});

beforeEach(async () => {
  tests += 1;
  await stubEnvironment();
  for (const path of ['requests', 'faults']) await steer(source, path, { method: 'DELETE' });
  secrets.reset();
  secrets.on(GetSecretValueCommand, { SecretId: 'notifier/main' }).resolves({ SecretString: source.token });
  lines = [];
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('names of all kinds are stored, and one log line counts them without a name', async () => {
  const { staff, premises } = source.company;

  const report = await refresh();

  expect(report).toMatchObject({
    connection: `test-${tests}`,
    outcome: 'complete',
    reasons: [],
    kinds: {
      employees: { names: staff.length, skipped: 0 },
      organisations: { names: premises.organisations.length, skipped: 0 },
    },
  });
  const names = await stored();
  const [person] = staff.map(({ employee }) => employee);
  expect(names.employees.get(person?.id ?? '')).toBe(`${person?.firstNames} ${person?.lastName}`);
  expect(names.departments.size).toBeGreaterThan(0);
  expect(names.activities.size).toBeGreaterThan(0);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: 'INFO',
    message: 'directory.polled',
    outcome: 'directory.polled',
    connection: `test-${tests}`,
    result: 'complete',
    employees: staff.length,
    requests: 4,
    function_request_id: 'request-1',
  });
  for (const { firstNames, lastName } of staff.map(({ employee }) => employee)) {
    expect(JSON.stringify([lines, report])).not.toContain(`${firstNames} ${lastName}`);
  }
});

test('a second refresh reuses the token and has the same result', async () => {
  const refreshAgain = handler();
  const event = { connection: connection(), kinds: ['departments'] };
  const first = await refreshAgain(event, context());

  expect(await refreshAgain(event, context())).toEqual(first);
  expect(secrets).toHaveReceivedCommandTimes(GetSecretValueCommand, 1);
});

test('a request for what is missing sends nothing to the source, nor reads its secret, while there are names', async () => {
  await refresh();
  lines = [];
  secrets.resetHistory();
  const event = { connection: connection(), kinds: [...NAMED_KINDS], only: 'missing' };
  expect(await handler()(event, context())).toMatchObject({ outcome: 'complete', kinds: {} });
  expect(secrets).not.toHaveReceivedAnyCommand();
  expect(lines).toEqual([]);
});

describe('a downstream error', () => {
  test('of one kind does not keep the others from being refreshed', async () => {
    await fault({ operation: 'listEmployees', times: 'always', action: { kind: 'status', status: 403 } });

    const report = await refresh();

    expect(report).toMatchObject({
      outcome: 'incomplete',
      reasons: [expect.stringContaining('employees: the source forbids this (403)')],
    });
    const names = await stored();
    expect(names.employees.size).toBe(0);
    expect(names.departments.size).toBeGreaterThan(0);
  });

  test.each([
    ['an HTML page', { kind: 'html' }],
    ['half of a list', { kind: 'truncated' }],
    ['no body', { kind: 'empty-body' }],
    ['an empty list', { kind: 'empty-list' }],
    ['another shape', { kind: 'wrong-shape' }],
    ['a failure', { kind: 'status', status: 503 }],
  ])('that is %s keeps the stored names', async (_name, action) => {
    await storeOfTest().save(`test-${tests}`, 'employees', new Map([['1_1', 'Stored Name']]));
    await fault({ operation: 'listEmployees', times: 'always', action });

    await refresh().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'directory_incomplete', retryable: true });
    });

    const { employees, departments } = await stored();
    expect(employees).toEqual(new Map([['1_1', 'Stored Name']]));
    expect(departments.size).toBeGreaterThan(0);
  });
});

describe('bad input', () => {
  test.each<[string, () => unknown, string]>([
    ['nothing', () => null, 'the event: Invalid input: expected object, received null'],
    ['no connection', () => ({ kinds: ['employees'] }), 'connection: Invalid input: expected object'],
    ['no kinds', () => ({ connection: connection(), kinds: [] }), 'kinds: Too small'],
    ['an unknown kind', () => ({ connection: connection(), kinds: ['cats'] }), 'kinds.0: Invalid option'],
  ])('%s is an error that says so, and no secret is read', async (_name, event, message) => {
    await expect(handler()(event(), context())).rejects.toMatchObject({
      code: 'request_invalid',
      retryable: false,
      message: expect.stringContaining(message),
    });
    expect(secrets).not.toHaveReceivedAnyCommand();
  });

  test('without the name of the table the function does not start, and the error names it', () => {
    expect(() => createNamesHandler({})).toThrow(ENVIRONMENT.tableName);
  });
});

async function refresh(): Promise<RefreshNamesReport> {
  return handler()({ connection: connection(), kinds: [...NAMED_KINDS] }, context());
}

/** A handler in time of its own, in which waiting takes none. */
function handler(): (event: unknown, invocation: Context) => Promise<RefreshNamesReport> {
  let now = MORNING;
  const system = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
    random: () => 0.5,
    uniqueId: () => `run-${now}`,
  };
  return createNamesHandler({ [ENVIRONMENT.tableName]: embedded.tableName }, system);
}

async function stored() {
  return storeOfTest().load(`test-${tests}`, NAMED_KINDS);
}

function storeOfTest() {
  return createNameStore({ ...embedded, now: () => MORNING, sleep: async () => {}, random: () => 0 });
}

async function fault(body: object): Promise<void> {
  const response = await steer(source, 'faults', {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

function connection() {
  return {
    name: `test-${tests}`,
    baseUrl: source.baseUrl,
    timeZone: 'Pacific/Auckland',
    secretName: 'notifier/main',
  };
}

function context(): Context {
  return createContext('poll-directory', TIME_LIMIT_MS);
}

async function stubEnvironment(): Promise<void> {
  await stubLambdaEnvironment(embedded.client, (line) => lines.push(line));
}
