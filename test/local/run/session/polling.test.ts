import { expect, test } from 'vitest';
import type { Deployment } from '#local/aws/template/deployment.ts';
import { readOptions } from '#local/run/options.ts';
import { buildPollRequest, readPolling } from '#local/run/session/polling.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';

const BASE_URL = 'http://source.example:8080';
const DEPLOYMENT = {
  schedules: [
    {
      functionName: 'poll',
      intervalMs: 60_000,
      input: {
        connection: { name: 'main', baseUrl: 'https://a.example', timeZone: 'UTC', secretName: 'main' },
      },
    },
  ],
  functions: [],
} as unknown as Deployment;

test('a source over http that the user accepted is accepted by the functions as well', () => {
  const options = readOptions(['--base-url', BASE_URL, '--allow-http'], { WORKFORCE_API_TOKEN: 'a-token' });
  if (options === null) throw new Error('no options');
  const { connection } = readPolling(DEPLOYMENT, options, BASE_URL);
  expect(pollRequestSchema.parse(buildPollRequest(connection, 'due')).connection).toMatchObject({
    baseUrl: BASE_URL,
    allowHttp: true,
  });
});
