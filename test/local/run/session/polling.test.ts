import { describe, expect, it, test } from 'vitest';
import type { Deployment } from '#local/aws/template/deployment.ts';
import { readOptions } from '#local/run/options.ts';
import { buildPollRequest, readPolling } from '#local/run/session/polling.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';

const BASE_URL = 'http://source.example:8080';
test('a source over http that the user accepted is accepted by the functions as well', async () => {
  const { connection } = readPolling(
    deploy('main'),
    await parse(['--base-url', BASE_URL, '--allow-http']),
    BASE_URL,
  );
  expect(pollRequestSchema.parse(buildPollRequest(connection, 'due')).connection).toMatchObject({
    baseUrl: BASE_URL,
    allowHttp: true,
  });
});

test('nobody outside hears of a run on this machine', async () => {
  const args = ['--base-url', BASE_URL, '--allow-http'];
  const options = await readOptions(args, { WORKFORCE_API_TOKEN: 'a-token' });
  if (options === null) throw new Error('no options');
  const deployed = deployWith({ heartbeat: { secretName: 'hc/main' } });
  expect(readPolling(deployed, options, BASE_URL).connection.heartbeat).toBeUndefined();
});

describe('a config with several connections', () => {
  it.each([
    [[], 'main', ['north', 'south']],
    [['--connection', 'south'], 'south', ['main', 'north']],
  ])('with %j is polled for one of them, and the others are known', async (args, name, leftOut) => {
    const polling = readPolling(deploy('main', 'north', 'south'), await parse(args), BASE_URL);
    expect([polling.connection.name, polling.leftOut]).toEqual([name, leftOut]);
    expect(polling.functions).toEqual([{ name: `poll-${name}`, intervalMs: 60_000 }]);
  });

  it('does not poll one that it does not name', async () => {
    const options = await parse(['--connection', 'nort']);
    expect(() => readPolling(deploy('main', 'north'), options, BASE_URL)).toThrow(
      '--connection nort: the config has no connection of this name; use one of main, north',
    );
  });
});

function deployWith(settings: object): Deployment {
  const connection = {
    name: 'main',
    baseUrl: 'https://a.example',
    timeZone: 'UTC',
    secretName: 'main',
    ...settings,
  };
  const schedules = [{ functionName: 'poll-main', intervalMs: 60_000, input: { connection } }];
  return { schedules, functions: [] } as unknown as Deployment;
}

function deploy(...names: readonly string[]): Deployment {
  const schedules = names.map((name) => ({
    functionName: `poll-${name}`,
    intervalMs: 60_000,
    input: { connection: { name, baseUrl: 'https://a.example', timeZone: 'UTC', secretName: name } },
  }));
  return { schedules, functions: [] } as unknown as Deployment;
}

async function parse(args: readonly string[]) {
  const options = await readOptions(args, { WORKFORCE_API_TOKEN: 'a-token' });
  if (options === null) throw new Error('no options');
  return options;
}
