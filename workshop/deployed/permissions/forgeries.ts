import { PublishCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { TOPIC_NAMES } from '#shared/config/names.ts';
import { buildArn } from '../account.ts';
import type { Aws } from '../aws.ts';
import { listQueues } from '../queues.ts';
import type { Stack } from '../stage.ts';
import { admitRole } from './assume-role.ts';
import { type Attempt, createClientOptions, expectRefusal, type Intruder } from './intrusions.ts';

const COLLEAGUE = 'sends-anywhere';

/** A role of somebody else in the account, who may do everything with all queues and topics. */
export async function tryForgeries(aws: Aws, stack: Stack): Promise<string> {
  const anywhere = { Effect: 'Allow', Action: ['sns:*', 'sqs:*'], Resource: '*' };
  const credentials = await admitRole(aws, {
    role: COLLEAGUE,
    policy: JSON.stringify({ Version: '2012-10-17', Statement: [anywhere] }),
    caller: { functionName: COLLEAGUE, intrudes: true },
  });
  const places = {
    topicArns: TOPIC_NAMES.map((name) => buildArn('sns', `${stack.name}-${name}`)),
    queueUrls: await listQueues(aws, `${stack.name}-`),
  };
  const caller = { endpoint: aws.endpoint, credentials };
  const forgeries = [...listForgeries(places, caller), ...listThefts(places, caller)];
  for (const [name, forge] of forgeries) await expectRefusal(forge, `${COLLEAGUE} was let through: ${name}`);
  return `${places.topicArns.length} topics and ${places.queueUrls.length} queues, all closed`;
}

interface Places {
  readonly topicArns: readonly string[];
  readonly queueUrls: readonly string[];
}

/** What whoever may do everything with queues and topics would withhold or overhear events with. */
function listThefts(
  { topicArns, queueUrls }: Places,
  caller: Pick<Intruder, 'endpoint' | 'credentials'>,
): [string, Attempt][] {
  const options = createClientOptions(caller);
  const sns = new SNSClient(options);
  const sqs = new SQSClient({ ...options, useQueueUrlAsEndpoint: false });
  const ReceiptHandle = 'intruder';
  const Endpoint = buildArn('sqs', COLLEAGUE);
  const ofQueue = (QueueUrl: string): [string, Attempt][] => [
    [`purge ${QueueUrl}`, () => sqs.send(new PurgeQueueCommand({ QueueUrl }))],
    [`receive from ${QueueUrl}`, () => sqs.send(new ReceiveMessageCommand({ QueueUrl }))],
    [`delete in ${QueueUrl}`, () => sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))],
    [
      `put off in ${QueueUrl}`,
      () => sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 9 })),
    ],
  ];
  return [
    // Systems of a subscriber read its queue: only purging that is denied.
    ...queueUrls.flatMap((url) => (CONSUMED.test(url) ? ofQueue(url).slice(0, 1) : ofQueue(url))),
    ...topicArns.map((TopicArn): [string, Attempt] => [
      `subscribe to ${TopicArn}`,
      () => sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint })),
    ]),
  ];
}

/** The `queues` of the config, and their dead letters. */
const CONSUMED = /-(?:planning|payroll)(?:-dead-letters)?$/;

/** What whoever may do everything with queues and topics would forge with. */
function listForgeries(
  { topicArns, queueUrls }: Places,
  caller: Pick<Intruder, 'endpoint' | 'credentials'>,
): ReadonlyMap<string, Attempt> {
  const options = createClientOptions(caller);
  const sns = new SNSClient(options);
  const sqs = new SQSClient({ ...options, useQueueUrlAsEndpoint: false });
  const inGroup = (url: string) =>
    url.endsWith('.fifo') ? { MessageGroupId: 'intruder', MessageDeduplicationId: 'intruder' } : {};
  return new Map<string, Attempt>([
    ...topicArns.map((TopicArn): [string, Attempt] => [
      TopicArn,
      () => sns.send(new PublishCommand({ TopicArn, Message: 'intruder' })),
    ]),
    ...queueUrls.map((QueueUrl): [string, Attempt] => [
      QueueUrl,
      () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'intruder', ...inGroup(QueueUrl) })),
    ]),
  ]);
}
