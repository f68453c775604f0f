import { setTimeout as wait } from 'node:timers/promises';
import {
  type EventSourceMappingConfiguration,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { handleMessages } from '#local/aws/functions/queue-trigger.ts';
import type { Aws } from './aws.ts';
import type { Invoke } from './notifiers/notifier.ts';
import { findQueueUrl } from './queues.ts';

const MAX_RECEIVED = 10;
const PAUSE_MS = 200;
/** A message that a function did not take comes back within this. */
const MAX_WAIT_MS = 120_000;

/** An event source mapping as the account gives it back. */
interface Mapping {
  readonly functionName: string;
  readonly queueName: string;
  readonly queueUrl: string;
  readonly batchSize: number;
  readonly partialFailures: boolean;
}

/**
 * Passes the messages of mapped queues to their functions, as Lambda would, until all of these queues are empty. Throws
 * when messages stay there and no function takes one for two minutes.
 */
export async function drainMappedQueues(aws: Aws, stackName: string, invoke: Invoke): Promise<void> {
  const mappings = (await listMappings(aws)).filter(({ functionName }) =>
    functionName.startsWith(`${stackName}-`),
  );
  let takenAt = Date.now();
  for (;;) {
    const batches = await Promise.all(mappings.map((mapping) => handleBatch(aws, mapping, invoke)));
    if (batches.some(({ taken }) => taken > 0)) takenAt = Date.now();
    if (batches.some(({ received }) => received > 0) && Date.now() - takenAt < MAX_WAIT_MS) continue;
    const left = await Promise.all(mappings.map((mapping) => countMessages(aws, mapping)));
    if (left.every((count) => count === 0)) return;
    if (Date.now() - takenAt >= MAX_WAIT_MS) {
      const names = mappings.filter((_, index) => left[index] !== 0).map(({ queueName }) => queueName);
      throw new Error(`messages stay in ${names.join(', ')}`);
    }
    await wait(PAUSE_MS);
  }
}

async function listMappings(aws: Aws): Promise<readonly Mapping[]> {
  const found: EventSourceMappingConfiguration[] = [];
  for await (const page of paginateListEventSourceMappings({ client: aws.lambda }, {})) {
    found.push(...(page.EventSourceMappings ?? []));
  }
  return await Promise.all(found.map((mapping) => readMapping(aws, mapping)));
}

async function readMapping(aws: Aws, mapping: EventSourceMappingConfiguration): Promise<Mapping> {
  const { FunctionArn = '', EventSourceArn = '', BatchSize = 0, FunctionResponseTypes = [] } = mapping;
  const nameIn = (arn: string) => arn.slice(arn.lastIndexOf(':') + 1);
  const queueName = nameIn(EventSourceArn);
  return {
    functionName: nameIn(FunctionArn),
    queueName,
    queueUrl: await findQueueUrl(aws, queueName),
    batchSize: BatchSize,
    partialFailures: FunctionResponseTypes.includes('ReportBatchItemFailures'),
  };
}

/** Messages of one request to a queue. */
interface Batch {
  readonly received: number;
  /** Of these, the function took so many. */
  readonly taken: number;
}

async function handleBatch({ sqs }: Aws, mapping: Mapping, invoke: Invoke): Promise<Batch> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: mapping.queueUrl,
      MaxNumberOfMessages: Math.min(mapping.batchSize, MAX_RECEIVED),
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return { received: 0, taken: 0 };
  const done = await handleMessages(Messages, { ...mapping, logicalId: mapping.functionName }, { invoke });
  await remove({ sqs }, mapping, done);
  return { received: Messages.length, taken: done.length };
}

async function remove(
  { sqs }: Pick<Aws, 'sqs'>,
  { queueUrl }: Mapping,
  done: readonly Message[],
): Promise<void> {
  if (done.length === 0) return;
  const Entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
}

async function countMessages({ sqs }: Aws, { queueUrl }: Mapping): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}
