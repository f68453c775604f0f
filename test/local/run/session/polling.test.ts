import { describe, expect, it, test } from 'vitest';
import type { Deployment } from '#local/aws/template/deployment.ts';
import { readOptions } from '#local/run/options.ts';
import { readPolling } from '#local/run/session/polling.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';

const BASE_URL = 'http://source.example:8080';

describe('a source over http', () => {
  const read = async (baseUrl: string, settings: object) =>
    readPolling(deployWith(settings), await parse(['--base-url', baseUrl]), baseUrl).request;

  it('is polled where the config accepts it, by the function as well', async () => {
    const request = await read(BASE_URL, { baseUrl: BASE_URL, allowHttp: true });
    expect(pollRequestSchema.parse(request).connection).toMatchObject({ baseUrl: BASE_URL, allowHttp: true });
  });

  it.each([{}, { allowHttp: true }])('is refused where it does not: %j', async (settings) => {
    await expect(read(BASE_URL, settings)).rejects.toThrow('use https, or name it in the config');
  });

  it.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1'])(
    'is polled on this machine: %s',
    async (baseUrl) => {
      expect((await read(baseUrl, {})).connection).toMatchObject({ baseUrl });
    },
  );
});

test('nobody outside hears of a run on this machine', async () => {
  const args = ['--base-url', 'https://source.example'];
  const deployed = deployWith({ heartbeat: { secretName: 'hc/main' } });
  const { connection } = readPolling(deployed, await parse(args), 'https://source.example').request;
  expect(connection.heartbeat).toBeUndefined();
});

test.each([
  ['a real source by the schedules', ['--base-url', 'https://a.example'], undefined],
  ['a real source once', ['--base-url', 'https://a.example', '--once'], 0],
  ['the sample company, which lives too fast for it', [], 0],
])('polls follow one another within a minute for %s, and for nothing else', async (_, args, until) => {
  const { request } = readPolling(deploy('main'), await parse(args), 'https://a.example');
  expect(request.followUpUntil).toBe(until);
});

test('the first of several connections is polled, and the others are known', async () => {
  const polling = readPolling(deploy('main', 'north', 'south'), await parse([]), 'http://127.0.0.1:1');
  expect(polling).toMatchObject({
    request: { connection: { name: 'main' }, feeds: [{ name: 'timesheets', silent: false }] },
    leftOut: ['north', 'south'],
    functionName: 'poll',
    intervalMs: 60_000,
  });
});

function deployWith(settings: object, name = 'main'): Deployment {
  const connection = { name, baseUrl: 'https://a.example', timeZone: 'UTC', secretName: name, ...settings };
  const input = { connection, feeds: [{ name: 'timesheets', silent: false }] };
  const schedules = [{ functionName: 'poll', intervalMs: 60_000, input }];
  return { schedules, functions: [] } as unknown as Deployment;
}

function deploy(...names: readonly string[]): Deployment {
  const schedules = names.flatMap((name) => deployWith({}, name).schedules);
  return { schedules, functions: [] } as unknown as Deployment;
}

async function parse(args: readonly string[]) {
  const options = await readOptions(args, { WORKFORCE_API_TOKEN: 'a-token' });
  if (options === null) throw new Error('no options');
  return options;
}
