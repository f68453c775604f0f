import { createContext, createQueueRecord, stubLambdaEnvironment } from './lambda.ts';
import 'aws-sdk-client-mock-vitest/extend';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCollectHandler } from '#functions/collect-alerts.ts';
import { createReleaseHandler } from '#functions/release-alerts.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { CONFIG_FILE, ENVIRONMENT } from '#shared/config/names.ts';
import { type Message, messageSchema } from '#shared/people/message.ts';
import { buildEvents, type Event } from '#test/shared/core/events/history.ts';
import { createChange, NOW as SEEN, timesheet } from '#test/support/builders.ts';
import { configVariable } from '#test/support/config-file.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { mockClient } from '#test/support/mock-client.ts';
import { seedStore } from '#test/support/seeded-store.ts';

/** The functions that collect events and release messages, from the queue to Slack's queue and the mail topic. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const sqs = mockClient(SQSClient);
const sns = mockClient(SNSClient);
let dynamo: EmbeddedDynamo;
let lines: Record<string, unknown>[];
let now = SEEN;
let tests = 0;

beforeEach(async () => {
  tests += 1;
  now = SEEN + 5_000;
  dynamo = await startEmbeddedDynamo();
  await stubLambdaEnvironment(dynamo.client, (line) => lines.push(line));
  for (const client of [sqs, sns]) client.reset();
  sqs.on(SendMessageCommand).resolves({});
  sns.on(PublishCommand).resolves({});
  lines = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await dynamo.stop();
});

test('an event is sent to every channel when it is due, once, and each function says what it did in one line', async () => {
  await nameEmployee();

  expect(await collect([lateChange('1001_7')])).toEqual({ batchItemFailures: [] });
  await release();
  expect(sqs).not.toHaveReceivedAnyCommand();
  now = SEEN + HOUR_MS;
  for (let run = 0; run < 3; run += 1) await release();

  const [message] = slackMessages();
  expect(message).toMatchObject({ at: SEEN, more: 0 });
  expect(JSON.stringify(message)).toContain('Ana Lee');
  expect(sqs).toHaveReceivedCommandExactlyOnceWith(SendMessageCommand, {
    QueueUrl: 'https://sqs.local/0/notifier-test-slack-payroll.fifo',
    MessageGroupId: 'payroll',
    MessageDeduplicationId: message?.id,
  });
  expect(sns).toHaveReceivedCommandExactlyOnceWith(PublishCommand, {
    TopicArn: 'arn:alerts',
    Subject: expect.any(String),
    Message: expect.stringContaining('notifier-test'),
    MessageAttributes: { channel: { DataType: 'String', StringValue: 'office' } },
  });
  const [collected] = lines;
  expect(collected).toMatchObject({
    message: 'alerts.collected',
    added: 2,
    function_request_id: 'request-1',
  });
  expect(lines.filter(({ result }) => result === 'committed')).toMatchObject([
    { message: 'alerts.released', channel: 'payroll', messages: 1, waiting: 0 },
    { message: 'alerts.released', channel: 'office', messages: 1, waiting: 0 },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/Ana|1001_7|2001_7|office@acme/);
});

test('what cannot be read comes back alone', async () => {
  const records = [lateChange('1_7'), 'no event', lateChange('2_7')].map(recordOf);
  expect(await collect(records)).toEqual({
    batchItemFailures: [{ itemIdentifier: records[1]?.messageId }],
  });
  expect(lines).toMatchObject([{ added: 4 }]);
});

test('an unavailable queue does not stop the mail, and gets the message in a later run', async () => {
  await collect([lateChange('1001_7')]);
  sqs.on(SendMessageCommand).rejectsOnce(new Error('no'));

  await expect(release('all')).rejects.toMatchObject({ code: 'release_failed', retryable: true });
  expect(sns).toHaveReceivedCommandTimes(PublishCommand, 1);
  now += 3 * MINUTE_MS;
  await release();

  const [first, second] = slackMessages();
  expect(second).toEqual(first);
  expect(sns).toHaveReceivedCommandTimes(PublishCommand, 1);
});

test('a request of another shape is an error that says what to send', async () => {
  await expect(release('everything')).rejects.toMatchObject({ code: 'request_invalid' });
});

test.each([
  [ENVIRONMENT.tableName, ENVIRONMENT.tableName],
  [ENVIRONMENT.configFile, CONFIG_FILE],
])('without %s there is no function, and the error names %s', (name, named) => {
  const variables = { ...VARIABLES, [name]: undefined };
  expect(() => createCollectHandler(variables)).toThrow(named);
  expect(() => createReleaseHandler(variables)).toThrow(named);
});

const VARIABLES: Record<string, string> = {
  [ENVIRONMENT.tableName]: 'notifier',
  ...configVariable({
    people: {
      names: ['employees'],
      channels: [
        { kind: 'slack', name: 'payroll', secretName: 's' },
        { kind: 'email', name: 'office', addresses: ['office@acme.example'] },
      ],
    },
  }),
  [ENVIRONMENT.chatQueueUrl]: 'https://sqs.local/0/notifier-test-slack-payroll.fifo',
  [ENVIRONMENT.alertsTopicArn]: 'arn:alerts',
};

const system = {
  now: () => now,
  sleep: async (milliseconds: number) => {
    now += milliseconds;
  },
  random: () => 0.5,
  uniqueId: () => `id-${tests}`,
};

async function collect(events: readonly (SQSRecord | Event | string)[]): Promise<SQSBatchResponse> {
  const Records = events.map((event) =>
    typeof event === 'object' && 'body' in event ? event : recordOf(event),
  );
  return await createCollectHandler(VARIABLES, system)({ Records }, createContext('alerts'));
}

async function release(scope = 'due'): Promise<void> {
  await createReleaseHandler(VARIABLES, system)({ scope }, createContext('alerts'));
}

function lateChange(id: string): Event {
  const before = timesheet({ id });
  const [event] = buildEvents(createChange(before, { ...before, hoursToPay: 9 }));
  if (event === undefined) throw new Error('the change made no event');
  return { ...event, data: { ...event.data, late: ['close'] } };
}

let records = 0;

function recordOf(event: Event | string): SQSRecord {
  records += 1;
  return createQueueRecord(`message-${records}`, typeof event === 'string' ? event : JSON.stringify(event));
}

function slackMessages(): Message[] {
  return sqs
    .commandCalls(SendMessageCommand)
    .map(({ args: [{ input }] }) => messageSchema.parse(JSON.parse(input.MessageBody ?? '')));
}

/** The name is in the row of the directory. */
async function nameEmployee(): Promise<void> {
  const row = { id: '2001_7', epoch: 1, sequence: 0, sent: {}, text: JSON.stringify([[], 'Ana Lee']) };
  const store = createDynamoStore({ ...dynamo, ...system });
  await seedStore(store, { slices: [{ feed: 'employees', rows: [row] }] });
}
