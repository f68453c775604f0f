import { createContext, createQueueRecord } from './lambda.ts';
import 'aws-sdk-client-mock-vitest/extend';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createChatHandler } from '#functions/deliver-chat.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { Message } from '#shared/people/message.ts';
import { configVariable } from '#test/support/config-file.ts';
import { createFetchClient } from '#test/support/fetch-client.ts';
import { mockClient } from '#test/support/mock-client.ts';

/** The function that delivers to Slack, from its queue to the post. */

const CHANNEL = { kind: 'slack', name: 'payroll', secretName: 'slack/payroll' } as const;
const NOW = Date.parse('2026-11-15T21:02:05.000Z');
const CANARY = 'https://hooks.slack.com/services/T0/B0/canary';
const DEAD_LETTERS = 'https://sqs.example/dead-letters.fifo';
const secrets = mockClient(SecretsManagerClient);
const dynamo = mockClient(DynamoDBClient);
const sqs = mockClient(SQSClient);

let now = NOW;
let lines: Record<string, unknown>[];
let posts: { readonly at: number; readonly address: string; readonly text: string }[];
let answers: (Response | Error)[];

beforeEach(() => {
  now = NOW;
  lines = [];
  posts = [];
  answers = [];
  for (const client of [secrets, dynamo, sqs]) client.reset();
  secrets.on(GetSecretValueCommand).resolves({ SecretString: CANARY });
  dynamo.on(GetItemCommand).resolves({});
  dynamo.on(PutItemCommand).resolves({});
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.spyOn(console, 'info').mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});

async function answerNext(request: Request): Promise<Response> {
  const { text } = (await request.json()) as { text: string };
  posts.push({ at: now - NOW, address: request.url, text });
  now += 200;
  const answer = answers.shift() ?? new Response('ok');
  if (answer instanceof Error) throw answer;
  return answer;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a message is posted, noted, and logged in two lines without a word of it', async () => {
  expect(await deliver([message(1)])).toEqual({ batchItemFailures: [] });

  expect(posts).toEqual([{ at: 0, address: CANARY, text: 'Secret sentence 1.' }]);
  expect(dynamo).toHaveReceivedCommandTimes(PutItemCommand, 1);
  expect(lines).toMatchObject([
    {
      ...{ level: 'INFO', message: 'delivery.attempted', outcome: 'delivery.attempted', channel: 'payroll' },
      ...{ messageId: 'id-1', attempt: 1, result: 'delivered', age_ms: 5_200, duration_ms: 200 },
    },
    { level: 'INFO', message: 'deliveries.handled', channel: 'payroll', messages: 1, delivered: 1 },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/canary|Secret/);
});

test('without a secret nothing is posted, and all messages return to the queue', async () => {
  secrets
    .on(GetSecretValueCommand)
    .rejects(new ResourceNotFoundException({ $metadata: {}, message: 'canary' }));

  expect(await deliver([message(1), message(2)])).toEqual({
    batchItemFailures: ['queue-1', 'queue-2'].map((itemIdentifier) => ({ itemIdentifier })),
  });
  expect(lines).toMatchObject([
    { outcome: 'delivery.interrupted', messageId: 'id-1', reason: 'secret_unreadable' },
    { left: 2 },
  ]);
});

test('a message that Slack refuses goes to the dead letters of its channel, and the next one is posted', async () => {
  sqs.on(SendMessageCommand).resolves({});
  answers = [new Response('invalid_blocks', { status: 400 })];
  const refused = message(1);

  expect(await deliver([refused, message(2)])).toEqual({ batchItemFailures: [] });
  expect(posts.map(({ text }) => text)).toEqual(['Secret sentence 1.', 'Secret sentence 2.']);
  expect(sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input)).toEqual([
    {
      QueueUrl: DEAD_LETTERS,
      MessageBody: refused.body,
      MessageGroupId: 'payroll',
      MessageDeduplicationId: 'queue-1',
    },
  ]);
});

describe('a channel with a bot', () => {
  const TOKEN = 'xoxb-1111-canary';
  const BOT = { ...CHANNEL, channelId: 'C0123456789' };
  const variables = () => ({ ...VARIABLES, ...configVariable({ people: { channels: [BOT] } }) });
  test('posts through it, and notes where the thread begins in a partition of its own', async () => {
    secrets.on(GetSecretValueCommand).resolves({ SecretString: TOKEN });
    answers = [Response.json({ ok: true, ts: '7.1', message: { text: 'Secret' } })];
    const record = message(1);
    record.body = JSON.stringify({ ...JSON.parse(record.body), thread: 'main#9_7' });
    expect(await functionOf(variables())([record])).toEqual({ batchItemFailures: [] });
    expect(posts).toMatchObject([{ address: 'https://slack.com/api/chat.postMessage' }]);
    const [noted, delivered] = dynamo.commandCalls(PutItemCommand).map(({ args }) => args[0].input);
    expect(noted).toMatchObject({
      Item: { pk: { S: 'alerts#payroll#threads' }, sk: { S: 'main#9_7' } },
    });
    expect(delivered?.Item?.pk).toEqual({ S: 'deliveries#slack/payroll#id-1' });
  });

  test.each<[string, (Response | Error)[]]>([
    ['a reset', [new TypeError(`fetch failed ${TOKEN}`)]],
    ['a refusal', [Response.json({ ok: false, error: 'invalid_auth', needed: TOKEN })]],
  ])('logs neither its token nor a sentence, such as after %s', async (_, given) => {
    secrets.on(GetSecretValueCommand).resolves({ SecretString: TOKEN });
    answers = given;
    await functionOf(variables())([message(1)]);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(lines)).not.toMatch(/canary|xox|C0123456789|Secret/);
  });
});

test.each<[string, (Response | Error)[]]>([
  ['a reset', [Object.assign(new TypeError(`fetch failed ${CANARY}`), { code: 'ECONNRESET' })]],
  ['a refusal', [new Response(`<p>${CANARY}</p>`, { status: 403 })]],
  ['an outage', Array.from({ length: 9 }, () => new Response(CANARY, { status: 503 }))],
])('neither the address nor a sentence is in the log, such as after %s', async (_, given) => {
  answers = given;
  await deliver([message(1), { ...message(2), body: 'Secret sentence' }]);
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(JSON.stringify(lines)).not.toMatch(/canary|hooks\.slack|Secret sentence/);
});

test.each([ENVIRONMENT.tableName, ENVIRONMENT.channel, ENVIRONMENT.deadLetterQueueUrl])(
  'without %s the function does not start, and the error names it',
  (name) => {
    expect(() => createChatHandler({ ...VARIABLES, [name]: undefined })).toThrow(name);
  },
);

test('a channel that the config does not have is refused', () => {
  const variables = { ...VARIABLES, [ENVIRONMENT.channel]: 'office' };
  expect(() => createChatHandler(variables)).toThrow('expected object, received undefined');
});

const VARIABLES: Record<string, string> = {
  [ENVIRONMENT.tableName]: 'notifier',
  [ENVIRONMENT.channel]: CHANNEL.name,
  ...configVariable({ people: { channels: [CHANNEL] } }),
  [ENVIRONMENT.deadLetterQueueUrl]: DEAD_LETTERS,
};

const system = {
  now: () => now,
  sleep: async (milliseconds: number) => {
    now += milliseconds;
  },
  random: () => 0.5,
  uniqueId: () => 'id',
};

type Deliver = (messages: readonly SQSRecord[]) => Promise<SQSBatchResponse>;

/** One process of the function. */
function functionOf(variables = VARIABLES): Deliver {
  const handler = createChatHandler(variables, system, createFetchClient(answerNext, system.now));
  return async (Records) => await handler({ Records: [...Records] }, createContext('deliver-chat'));
}

async function deliver(messages: readonly SQSRecord[]): Promise<SQSBatchResponse> {
  return await functionOf()(messages);
}

function message(number: number): SQSRecord {
  const content: Message = {
    id: `id-${number}`,
    heading: `Secret sentence ${number}.`,
    lines: [],
    more: 0,
    urgent: false,
    at: NOW - 5_000,
    timeZone: 'Pacific/Auckland',
  };
  return createQueueRecord(`queue-${number}`, JSON.stringify(content));
}
