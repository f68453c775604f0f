import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { DeployedTrigger } from './deployment.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION, localArn } from './local-account.ts';

/** Most messages that one receive gives. */
const RECEIVE_LIMIT = 10;
const WAIT_SECONDS = 20;

const batchResponseSchema = z.looseObject({
  batchItemFailures: z.array(z.looseObject({ itemIdentifier: z.string() })).default([]),
});

/** What a trigger needs of this machine. */
export interface TriggerOptions {
  readonly client: SQSClient;
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
}

/** A loop that hands the messages of a queue to a function until it is stopped. */
export interface RunningTrigger {
  stop(): Promise<void>;
}

/** Starts one event source mapping. What the function fails stays in the queue and comes back by its rules. */
export function startTrigger(trigger: DeployedTrigger, options: TriggerOptions): RunningTrigger {
  const aborter = new AbortController();
  const QueueUrl = `http://sqs.local/${LOCAL_ACCOUNT}/${trigger.queueName}`;
  const loop = async () => {
    while (!aborter.signal.aborted) {
      const messages = await receive(options.client, QueueUrl, { trigger, signal: aborter.signal });
      if (messages.length === 0) continue;
      const done = await handled(messages, trigger, options);
      await remove(options.client, QueueUrl, done);
    }
  };
  const ended = loop().catch((error: unknown) => {
    if (!aborter.signal.aborted) throw error;
  });
  return {
    stop: async () => {
      aborter.abort();
      await ended;
    },
  };
}

async function receive(
  client: SQSClient,
  QueueUrl: string,
  { trigger, signal }: { trigger: DeployedTrigger; signal: AbortSignal },
): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: Math.min(trigger.batchSize, RECEIVE_LIMIT),
    WaitTimeSeconds: WAIT_SECONDS,
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['All'],
  });
  const { Messages = [] } = await client.send(command, { abortSignal: signal });
  return Messages;
}

/** The messages that the function has taken. */
async function handled(
  messages: readonly Message[],
  trigger: DeployedTrigger,
  { invoke }: TriggerOptions,
): Promise<readonly Message[]> {
  try {
    const Records = messages.map((message) => recordOf(message, trigger.queueName));
    const answer = await invoke(trigger.functionName, { Records });
    if (!trigger.partialFailures) return messages;
    const { batchItemFailures } = batchResponseSchema.parse(answer ?? {});
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    return messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  } catch {
    // As in Lambda, a failed invocation fails the whole batch; the function's log says why.
    return [];
  }
}

async function remove(client: SQSClient, QueueUrl: string, done: readonly Message[]): Promise<void> {
  if (done.length === 0) return;
  const Entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
}

/** One record of an SQS event as Lambda makes it. */
function recordOf(message: Message, queueName: string): Record<string, unknown> {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, attribute]) => [
    name,
    {
      stringValue: attribute.StringValue,
      dataType: attribute.DataType,
      stringListValues: [],
      binaryListValues: [],
    },
  ]);
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: localArn('sqs', queueName),
    awsRegion: LOCAL_REGION,
  };
}
