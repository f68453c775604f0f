import { createContext, stubLambdaEnvironment } from './lambda.ts';
import 'aws-sdk-client-mock-vitest/extend';
import {
  DynamoDBClient,
  ProvisionedThroughputExceededException,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { PublishBatchCommand, type PublishBatchCommandInput, SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPollHandler } from '#functions/poll.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { mockClient } from '#test/support/mock-client.ts';

/** The function that polls, from the event of its schedule to the table, the topics, its result and its log. */

const MORNING = Date.parse('2026-03-04T22:00:00Z');
const TODAY = '2026-03-05';
const TIME_LIMIT_MS = 60_000;
const FEEDS = ['timesheets', 'pay-periods'].map((name) => ({ name, silent: false }));
const VARIABLES = {
  [ENVIRONMENT.tableName]: 'notifier',
  [ENVIRONMENT.topicArns.timesheets]: 'arn:timesheets',
  [ENVIRONMENT.topicArns['pay-periods']]: 'arn:pay-periods',
  [ENVIRONMENT.topicArns.directory]: 'arn:directory',
  [ENVIRONMENT.topicArns.operations]: 'arn:operations',
  [ENVIRONMENT.stackName]: 'notifier',
  [ENVIRONMENT.followUpQueueUrl]: 'https://sqs.local/notifier-poll',
};

/** Passes every command to an embedded engine, except those that a test makes fail. */
const dynamo = mockClient(DynamoDBClient);
const secrets = mockClient(SecretsManagerClient);
const sns = mockClient(SNSClient);
const sqs = mockClient(SQSClient);
let embedded: EmbeddedDynamo;
let source: RunningSource;
let lines: Record<string, unknown>[];
let tests = 0;

beforeAll(async () => {
  dynamo.send.callThrough();
  embedded = await startEmbeddedDynamo();
  source = await startSource({ startsAt: MORNING, timeZone: 'Pacific/Auckland', speed: 0 });
});

afterAll(async () => {
  await embedded?.stop();
  await source?.close();
});

beforeEach(async () => {
  tests += 1;
  await stubLambdaEnvironment(embedded.client, (line) => lines.push(line));
  for (const client of [dynamo, secrets, sns, sqs]) client.reset();
  dynamo.send.callThrough();
  secrets.on(GetSecretValueCommand, { SecretId: 'notifier/main' }).resolves({ SecretString: source.token });
  sns.on(PublishBatchCommand).callsFake(({ PublishBatchRequestEntries = [] }: PublishBatchCommandInput) => ({
    Successful: PublishBatchRequestEntries.map(({ Id }) => ({ Id })),
  }));
  sqs.on(SendMessageCommand).resolves({});
  lines = [];
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a change is committed, published to its topic with its attributes, counted, and one line in the log', async () => {
  const poll = await startPolling();
  const { id, organisationWorkedId, department } = create();

  const report = await poll();

  expect(report).toMatchObject({
    ...{ connection: `test-${tests}`, outcome: 'complete', reasons: [] },
    counts: { records: known(), requests: 2, changes: 1, eventsCommitted: 1, eventsPublished: 1 },
  });
  expect(sns).toHaveReceivedCommandExactlyOnceWith(PublishBatchCommand, {
    TopicArn: 'arn:timesheets',
    PublishBatchRequestEntries: [
      {
        Id: '0',
        Message: expect.stringContaining(`"subject":"${id}"`),
        MessageAttributes: {
          type: { DataType: 'String', StringValue: 'workforce.timesheet.created' },
          connection: { DataType: 'String', StringValue: `test-${tests}` },
          organisationId: { DataType: 'String', StringValue: organisationWorkedId },
          departmentId: { DataType: 'String', StringValue: department?.id },
          late: { DataType: 'String', StringValue: 'false' },
        },
      },
    ],
  });
  expect(lines).toMatchObject([
    {
      ...{ level: 'INFO', message: 'poll.completed', outcome: 'poll.completed', result: 'complete' },
      ...{ connection: `test-${tests}`, function_request_id: 'request-1', duration_ms: expect.any(Number) },
      ...report.counts,
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain(id);
});

test.each([
  ['nothing', () => null, 'the event: Invalid input: expected object, received null'],
  ['no feeds', () => ({ connection: connection(), feeds: [] }), 'feeds: Too small'],
  ['another key', () => ({ connection: connection(), feeds: FEEDS, speed: 1 }), 'Unrecognized key: "speed"'],
])('%s is an error that says so; nothing is requested or written', async (_name, event, message) => {
  const wasAsked = watchRequests();
  await expect(handler()(event(), context())).rejects.toMatchObject({
    ...{ code: 'request_invalid', retryable: false },
    message: expect.stringContaining(message),
  });
  expect(wasAsked()).toBe(false);
  for (const client of [dynamo, secrets, sns]) expect(client).not.toHaveReceivedAnyCommand();
});

test.each(Object.keys(VARIABLES))('without %s there is no handler, and the error names it', (name) => {
  const variables = { ...VARIABLES, [name]: undefined };
  expect(() => createPollHandler(variables)).toThrow(name);
});

describe('a poll that finds something', () => {
  test('starts the next one by a message, within its minute', async () => {
    const poll = await startPolling();
    create();
    const { followUpAt = 0 } = await poll();
    const {
      QueueUrl,
      DelaySeconds = 0,
      MessageBody: body = '',
    } = sqs.commandCalls(SendMessageCommand)[0]?.args[0].input ?? {};
    expect(QueueUrl).toBe(VARIABLES[ENVIRONMENT.followUpQueueUrl]);
    expect(DelaySeconds).toBeGreaterThan(5);
    expect(DelaySeconds).toBeLessThan(30);
    expect(JSON.parse(body).followUpUntil).toBeGreaterThan(followUpAt);
    const message = { Records: [{ messageId: '1', body }] };
    expect(await handler()(message, context())).toMatchObject({
      ...{ connection: `test-${tests}`, outcome: 'complete' },
    });
  });

  test('starts none where none is wanted', async () => {
    const poll = await startPolling({ followUpUntil: 0 });
    create();
    await poll();
    expect(sqs).not.toHaveReceivedAnyCommand();
  });

  test('is no failure where the message cannot be sent: the next schedule reads the same', async () => {
    const poll = await startPolling();
    sqs.on(SendMessageCommand).rejects(new Error('no'));
    create();
    expect(await poll()).toMatchObject({ outcome: 'complete' });
    expect(lines.at(-1)).toMatchObject({ outcome: 'follow_up.failed', reason: 'queue_unavailable' });
  });
});

test('a missing secret refuses the poll with what to do, and the source gets no request', async () => {
  secrets.on(GetSecretValueCommand).rejects(new ResourceNotFoundException({ $metadata: {}, message: 'no' }));
  const wasAsked = watchRequests();
  expect(await handler()({ connection: connection(), feeds: FEEDS }, context())).toMatchObject({
    outcome: 'refused',
    reasons: expect.arrayContaining([
      'the secret "notifier/main" cannot be read (ResourceNotFoundException); create it, and allow the role of this function to read it',
    ]),
  });
  expect(wasAsked()).toBe(false);
});

test('the secret is read every half hour, not in every poll', async () => {
  const poll = await startPolling();
  for (let polls = 0; polls < 28; polls += 1) await poll();
  expect(secrets).toHaveReceivedCommandTimes(GetSecretValueCommand, 1);
  for (let polls = 0; polls < 2; polls += 1) await poll();
  expect(secrets).toHaveReceivedCommandTimes(GetSecretValueCommand, 2);
});

test('a table that takes no requests is an error, and the change is reported once the lease has ended', async () => {
  const poll = await startPolling();
  const { id } = create();
  dynamo
    .on(QueryCommand)
    .rejects(new ProvisionedThroughputExceededException({ $metadata: {}, message: 'no' }));
  await expect(poll()).rejects.toMatchObject({ code: 'store_throttled', retryable: true });
  expect(sns).not.toHaveReceivedAnyCommand();

  dynamo.reset();
  dynamo.send.callThrough();
  expect(await poll()).toMatchObject({ outcome: 'skipped' });
  await poll();
  expect(sns.commandCalls(PublishBatchCommand)).toHaveLength(1);
  expect(JSON.stringify(sns.commandCalls(PublishBatchCommand)[0]?.args)).toContain(id);
});

/** Installs the baseline of a connection that no other test uses, and returns how to poll it again. */
async function startPolling(settings = {}): Promise<() => Promise<PollReport>> {
  const poll = handler();
  const event = { connection: connection(), feeds: FEEDS, ...settings };
  const baselined = ['timesheets', 'pay-periods'];
  expect(await poll(event, context())).toMatchObject({ outcome: 'complete', baselined });
  for (const client of [sns, sqs]) client.resetHistory();
  dynamo.resetHistory();
  lines = [];
  return () => poll(event, context());
}

/** A handler in time of its own, in which waiting takes none. */
function handler() {
  let now = MORNING;
  const system = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
    random: () => 0.5,
    uniqueId: () => `run-${now}`,
  };
  const poll = createPollHandler(VARIABLES, system);
  return async (event: unknown, invocation: Context): Promise<PollReport> => {
    now += TIME_LIMIT_MS;
    return poll(event, invocation);
  };
}

function connection() {
  return {
    name: `test-${tests}`,
    baseUrl: source.baseUrl,
    timeZone: 'Pacific/Auckland',
    secretName: 'notifier/main',
    window: { backDays: 1, forwardDays: 1 },
  };
}

function context(): Context {
  return createContext('poll', TIME_LIMIT_MS);
}

/** Records of the window, of both feeds. */
function known(): number {
  const dates = { from: '2026-03-04', to: '2026-03-06' };
  return source.company.timesheets(dates).length + source.company.payPeriods().length;
}

function create() {
  const outcome = source.company.apply({ change: 'create', date: TODAY });
  if (outcome.outcome !== 'done' || outcome.record === null || !('employeeId' in outcome.record))
    throw new Error(`the company created nothing: ${JSON.stringify(outcome)}`);
  return outcome.record;
}

/** Whether the source gets a request from now on: it lives on before it answers. */
function watchRequests(): () => boolean {
  const asked = vi.spyOn(source.company, 'advanceTo').mockClear();
  return () => asked.mock.calls.length > 0;
}
