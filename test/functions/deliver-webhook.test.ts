import { createContext, createQueueRecord, stubLambdaEnvironment } from './lambda.ts';
import 'aws-sdk-client-mock-vitest/extend';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PublishBatchCommand, type PublishBatchCommandInput, SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createWebhookHandler } from '#functions/deliver-webhook.ts';
import { createDeliveryStore } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { ENVIRONMENT, SENT_AGAIN_ATTRIBUTE } from '#shared/config/names.ts';
import { webhookSchema } from '#shared/config/schema/webhook.ts';
import { configVariable } from '#test/support/config-file.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { mockClient } from '#test/support/mock-client.ts';
import { startReceiver, type TestReceiver } from '#test/support/webhook-receiver.ts';
import { CURRENT_SECRET, eventText, idOf } from '#test/support/webhook-world.ts';

/** The function of a webhook, from its queue to the receiver, the table, the queues and the log. */

const QUEUE = 'https://sqs.local/0/notifier-webhook-payroll';
const DEAD_LETTERS = 'https://sqs.local/0/notifier-webhook-payroll-dead-letters';
const OPERATIONS = 'arn:operations';
const ID = idOf('r1', 1);

const secrets = mockClient(SecretsManagerClient);
const sns = mockClient(SNSClient);
const sqs = mockClient(SQSClient);
let dynamo: EmbeddedDynamo;
let receiver: TestReceiver;
/** Status that the receiver answers. */
let status: number;
let lines: Record<string, unknown>[];
let tests = 0;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  receiver = await startReceiver((_, response) => response.writeHead(status).end());
});

afterAll(async () => {
  await dynamo?.stop();
  await receiver?.stop();
});

beforeEach(async () => {
  tests += 1;
  status = 204;
  lines = [];
  for (const client of [secrets, sns, sqs]) client.reset();
  secrets.on(GetSecretValueCommand, { SecretId: 'notifier/hook' }).resolves({ SecretString: CURRENT_SECRET });
  sns.on(PublishBatchCommand).callsFake((input: PublishBatchCommandInput) => ({
    Successful: input.PublishBatchRequestEntries?.map(({ Id }) => ({ Id })),
  }));
  sqs.on(SendMessageCommand).resolves({});
  await stubLambdaEnvironment(dynamo.client, (line) => lines.push(line));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('an event reaches the receiver, signed, and is in the delivery store and in the log', async () => {
  const { deliver, destination, name } = start();
  const text = eventText('r1', 1);

  expect(await deliver([recordOf(text)])).toEqual({ batchItemFailures: [] });

  const request = receiver.received.at(-1);
  expect(request).toMatchObject({ method: 'POST', path: '/hook', body: text });
  const headers = request?.headers as Record<string, string>;
  expect(new Webhook(CURRENT_SECRET).verify(text, headers)).toEqual(JSON.parse(text));
  expect(headers).not.toHaveProperty('webhook-sent-again');
  expect(headers).not.toHaveProperty('webhook-example');
  expect(await deliveryStore().load(ID, destination)).toMatchObject({ outcome: 'delivered', attempts: 1 });
  expect(sqs).not.toHaveReceivedAnyCommand();
  expect(lines).toMatchObject([
    {
      ...{ level: 'INFO', message: 'delivery.attempted', outcome: 'delivery.attempted', webhook: name },
      ...{ eventId: ID, attempt: 1, result: 'delivered', status: 204, function_request_id: 'request-1' },
    },
    { outcome: 'deliveries.handled', webhook: name, messages: 1, delivered: 1 },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/Zo|127\.0\.0\.1|whsec/);
});

test.each([
  ['sent again', SENT_AGAIN_ATTRIBUTE, 'webhook-sent-again'],
  ['an example', 'example', 'webhook-example'],
])('an event that is %s has the header that says so', async (_, attribute, header) => {
  const { deliver } = start();
  await deliver([recordOf(eventText('r1', 1), { [attribute]: 'true' })]);
  expect(receiver.received.at(-1)?.headers).toMatchObject({ [header]: 'true' });
});

test('an event that the receiver refuses waits in the own queue, is given up in the end, and reported', async () => {
  const { deliver, destination } = start();
  status = 500;
  const text = eventText('r1', 1);

  expect(await deliver([recordOf(text)])).toEqual({ batchItemFailures: [] });
  expect(sqs).toHaveReceivedCommandExactlyOnceWith(SendMessageCommand, {
    QueueUrl: QUEUE,
    DelaySeconds: expect.toSatisfy((seconds: number) => seconds === 5 || seconds === 6),
  });
  const [body] = sentBodies();
  expect(body).toMatchObject({ version: 1, attempt: 1, lastReason: '500', event: text });

  sqs.resetHistory();
  await deliver([recordOf(JSON.stringify({ ...body, attempt: 20, dueAt: 0 }))]);
  expect(sqs).toHaveReceivedCommandExactlyOnceWith(SendMessageCommand, { QueueUrl: DEAD_LETTERS });
  expect(sentBodies()).toMatchObject([{ attempt: 21, givenUpAt: expect.any(Number) }]);
  expect(sns).toHaveReceivedCommandExactlyOnceWith(PublishBatchCommand, {
    TopicArn: OPERATIONS,
    PublishBatchRequestEntries: [
      expect.objectContaining({ Message: expect.stringContaining('workforce.trouble.began') }),
    ],
  });
  expect(await deliveryStore().load(ID, destination)).toMatchObject({ outcome: 'failed', attempts: 21 });
});

test('a message that the own queue does not accept comes back alone', async () => {
  const { deliver } = start();
  status = 500;
  sqs.on(SendMessageCommand).rejectsOnce(new Error('no')).resolves({});

  const answer = await deliver([recordOf(eventText('r1', 1)), recordOf(eventText('r2', 1))]);

  expect(answer.batchItemFailures).toHaveLength(1);
  expect(lines).toContainEqual(
    expect.objectContaining({ outcome: 'delivery.interrupted', reason: 'queue_unavailable' }),
  );
});

test('a private address is refused unless the config allows it', async () => {
  expect(() => start({ allow: { http: true } })).toThrow('not public');
});

/** The function of a webhook with a name that no other test uses. */
function start(settings: object = {}) {
  const name = `payroll-${tests}`;
  const webhook = webhookSchema.parse({
    name,
    url: `http://127.0.0.1:${receiver.port}/hook`,
    secretName: 'notifier/hook',
    topics: ['timesheets'],
    allow: { http: true, privateAddresses: true },
    ...settings,
  });
  const handler = createWebhookHandler({
    ...process.env,
    [ENVIRONMENT.tableName]: dynamo.tableName,
    [ENVIRONMENT.webhook]: name,
    ...configVariable({ webhooks: [webhook] }),
    [ENVIRONMENT.queueUrl]: QUEUE,
    [ENVIRONMENT.deadLetterQueueUrl]: DEAD_LETTERS,
    [ENVIRONMENT.topicArns.operations]: OPERATIONS,
  });
  return {
    name,
    destination: `webhook/${name}`,
    deliver: (records: SQSRecord[]) => handler({ Records: records }, createContext('deliver-webhook')),
  };
}

function deliveryStore() {
  const { client, tableName } = dynamo;
  return createDeliveryStore({ client, tableName, sleep: async () => {}, random: () => 0 });
}

function sentBodies(): object[] {
  return sqs.commandCalls(SendMessageCommand).map(({ args }) => JSON.parse(args[0].input.MessageBody ?? ''));
}

function recordOf(body: string, attributes: Record<string, string> = {}): SQSRecord {
  return createQueueRecord(body, body, attributes);
}
