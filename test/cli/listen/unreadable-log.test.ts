import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, DynamoDBServiceException, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listen } from '#cli/commands/listen.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Target } from '#shared/operator/target.ts';
import { CONNECTION } from '#test/infra/synthesized.ts';
import { mockClient } from '#test/support/mock-client.ts';

/** What `listen` does while the table cannot be read. */

const URL = 'http://localhost:3000/hook';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const dynamoDb = mockClient(DynamoDBClient);

let folder: string;
let slept: number[];
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'listen-'));
  slept = [];
  said = [];
  vi.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text));
});

afterEach(() => {
  vi.restoreAllMocks();
  dynamoDb.reset();
  rmSync(folder, { recursive: true });
});

test('a stack that is out of reach is asked again, less and less often, and given up in the end', async () => {
  dynamoDb.on(QueryCommand).rejects(outOfReach());
  await expect(run({ redirects: false })).rejects.toThrow(
    /run the command again: it resumes where it ended$/,
  );
  // Those of the table are shorter.
  expect(slept.filter((milliseconds) => milliseconds >= 4_000)).toEqual([
    4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000,
  ]);
  expect(said.filter((line) => line.includes('; again in '))).toHaveLength(9);
});

test('a machine that ended does not come back at its address', async () => {
  dynamoDb.on(QueryCommand).rejects(outOfReach());
  await expect(run({ redirects: true })).rejects.toMatchObject({ code: 'log_unreadable' });
  expect(said.filter((line) => line.includes('; again in '))).toEqual([]);
});

test('a refusal is an error at once', async () => {
  const denied = { name: 'AccessDeniedException', $fault: 'client', message: 'no' } as const;
  dynamoDb
    .on(QueryCommand)
    .rejects(new DynamoDBServiceException({ ...denied, $metadata: { httpStatusCode: 400 } }));
  await expect(run({ redirects: false })).rejects.toMatchObject({ code: 'log_unreadable' });
  expect(slept).toEqual([]);
});

async function run({ redirects }: { readonly redirects: boolean }): Promise<void> {
  const config = parseNotifierConfig({ connections: [CONNECTION] });
  const target = {
    title: 'the stack',
    config,
    connections: config.connections,
    dynamoDb: new DynamoDBClient({ region: 'ap-southeast-2' }),
    tableName: 'table',
    speed: 1,
    redirects,
    system: {
      now: () => Date.parse('2026-11-22T08:00:00Z'),
      random: () => 0,
      sleep: async (milliseconds: number) => void slept.push(milliseconds),
    },
  } as unknown as Target;
  const flags = { forward: URL, secret: SECRET, position: join(folder, 'position.json') };
  await listen(URL, flags, target);
}

function outOfReach(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' });
}
