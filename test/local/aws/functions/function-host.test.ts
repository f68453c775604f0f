import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  createFunctionHost,
  type FunctionHost,
  type HostOptions,
  IDLE_MS,
} from '#local/aws/functions/function-host.ts';
import { openLog } from '#local/aws/functions/running-functions.ts';
import type { DeployedFunction } from '#local/aws/template/deployment.ts';
import { createTemporaryFolder, HANDLERS_FOLDER } from '#test/local/aws/fixture-assembly.ts';

interface Echo {
  readonly event: unknown;
  readonly requestId: string;
  readonly remainingMs: number;
  readonly environment: Record<string, string>;
  readonly thread: number;
  readonly now: number;
  readonly year: number;
  readonly fixed: string;
  readonly isDate: boolean;
}

const hosts: FunctionHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
});

test('a handler gets its event, a context and the environment of the template and of Lambda', async () => {
  const { host } = hostFor('echo', { environment: { TABLE_NAME: 'table-1' } });
  const answer = (await host.invoke({ n: 1 })) as Echo;
  expect(answer.event).toEqual({ n: 1 });
  expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.remainingMs).toBeGreaterThan(0);
  expect(answer.remainingMs).toBeLessThanOrEqual(10_000);
  expect(answer.environment).toMatchObject({
    TABLE_NAME: 'table-1',
    AWS_LAMBDA_FUNCTION_NAME: 'fixture-echo',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_SNS: 'http://127.0.0.1:2',
    AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:2',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: 'http://127.0.0.1:3',
    AWS_REGION: 'us-east-1',
    INHERITED: 'yes',
  });
});

test('a function sees neither the token nor the AWS profile of the user', async () => {
  const { host } = hostFor('echo');
  const { environment } = (await host.invoke({})) as Echo;
  expect(environment.WORKFORCE_API_TOKEN).toBeUndefined();
  expect(environment.AWS_PROFILE).toBeUndefined();
  // Nor does it find those of the default profile.
  const { AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE } = environment;
  expect([AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE]).toEqual([devNull, devNull]);
});

test('invocations of one function share a thread and run one after another', async () => {
  const { host } = hostFor('echo');
  const answers = (await Promise.all([1, 2, 3].map((n) => host.invoke(n)))) as Echo[];
  expect(answers.map(({ event }) => event)).toEqual([1, 2, 3]);
  expect(new Set(answers.map(({ thread }) => thread)).size).toBe(1);
});

test('a thread that is idle ends, and the next invocation starts another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { host } = hostFor('echo');
  const threadOf = async () => ((await host.invoke({})) as Echo).thread;
  const first = await threadOf();
  vi.advanceTimersByTime(IDLE_MS - 1);
  expect(await threadOf()).toBe(first);
  vi.advanceTimersByTime(IDLE_MS);
  vi.useRealTimers();
  expect(await threadOf()).not.toBe(first);
});

test('what a function writes goes to the log', async () => {
  const { host, log } = hostFor('echo');
  await host.invoke('logged');
  expect(readFileSync(log, 'utf8')).toContain('{"message":"echo","event":"logged"}');
});

test('an error of the handler is reported with its type and message', async () => {
  const { host } = hostFor('fail');
  await expect(host.invoke({})).rejects.toMatchObject({
    code: 'function_failed',
    message: 'function Fixture threw RangeError: no such range',
  });
});

test('a handler that does not exist is an error of the invocation', async () => {
  const { host } = hostFor('nothing');
  await expect(host.invoke({})).rejects.toMatchObject({ code: 'function_failed' });
});

test('a handler that times out is killed, and the next invocation starts a new thread', async () => {
  const { host } = hostFor('hang', { timeoutMs: 300 });
  await expect(host.invoke({})).rejects.toMatchObject({
    code: 'function_timed_out',
    message: 'function Fixture gave no answer within 0.3 s',
  });
  await expect(host.invoke({})).rejects.toMatchObject({ code: 'function_timed_out' });
});

test('a crash fails only its own invocation', async () => {
  const { host } = hostFor('crash');
  for (let times = 0; times < 2; times += 1) {
    await expect(host.invoke({})).rejects.toMatchObject({
      code: 'function_crashed',
      message: 'function Fixture ended with exit code 7 before it answered',
    });
  }
});

test('a function uses the virtual clock, and real time without one', async () => {
  const startsAtMs = Date.parse('2031-05-01T00:00:00Z');
  const clock = { startsAtMs, anchorMs: Date.now(), speed: 600 };
  const { host } = hostFor('echo', {}, { clock });
  const answer = (await host.invoke({})) as Echo;
  const latest = startsAtMs + (Date.now() - clock.anchorMs) * 600;
  expect(answer.now).toBeGreaterThan(startsAtMs);
  expect(answer.now).toBeLessThanOrEqual(latest);
  expect(answer).toMatchObject({ year: 2031, fixed: '1970-01-01T00:00:00.000Z', isDate: true });
  expect(answer.remainingMs).toBeGreaterThan(10_000);
  const real = (await hostFor('echo').host.invoke({})) as Echo;
  expect(Math.abs(real.now - Date.now())).toBeLessThan(10_000);
});

test('with a very fast clock, the time that remains is not longer than a timer can be', async () => {
  const clock = { startsAtMs: 0, anchorMs: Date.now(), speed: 86_400 };
  const { host } = hostFor('echo', { timeoutMs: 300_000 }, { clock });
  expect(((await host.invoke({})) as Echo).remainingMs).toBe(2 ** 31 - 1);
});

test('a clock that is moved between two invocations is moved in the function', async () => {
  const clock = { startsAtMs: Date.parse('2031-05-01T00:00:00Z'), anchorMs: Date.now(), speed: 1 };
  const { host } = hostFor('echo', {}, { clock });
  const before = (await host.invoke({})) as Echo;
  clock.startsAtMs = Date.parse('2032-05-01T00:00:00Z');
  const after = (await host.invoke({})) as Echo;
  expect([before.year, after.year]).toEqual([2031, 2032]);
});

test('a log that is large begins anew, and the one before is kept', () => {
  const file = join(createTemporaryFolder('log'), 'functions.log');
  writeFileSync(file, 'x'.repeat(5 * 1024 * 1024 + 1));
  const log = openLog(file);
  writeSync(log, 'new');
  closeSync(log);
  expect([readFileSync(file, 'utf8'), statSync(`${file}.1`).size]).toEqual(['new', 5 * 1024 * 1024 + 1]);
});

function deployed(handler: string, more: Partial<DeployedFunction> = {}): DeployedFunction {
  return {
    logicalId: 'Fixture',
    name: `fixture-${handler}`,
    codeFolder: HANDLERS_FOLDER,
    handler: `index.${handler}`,
    environment: {},
    timeoutMs: 10_000,
    memoryMb: 256,
    ...more,
  };
}

function hostFor(handler: string, more: Partial<DeployedFunction> = {}, options: Partial<HostOptions> = {}) {
  const log = join(createTemporaryFolder('host'), 'log');
  const host = createFunctionHost(deployed(handler, more), {
    environment: {
      PATH: process.env.PATH,
      INHERITED: 'yes',
      WORKFORCE_API_TOKEN: 'secret',
      AWS_PROFILE: 'company',
    },
    endpoints: {
      dynamoDb: 'http://127.0.0.1:1',
      messaging: 'http://127.0.0.1:2',
      secretsManager: 'http://127.0.0.1:3',
      accessKeyId: 'key-of-this-run',
    },
    clock: null,
    log: openSync(log, 'a'),
    ...options,
  });
  hosts.push(host);
  return { host, log };
}
