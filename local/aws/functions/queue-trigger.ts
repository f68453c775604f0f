import type { Message } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { DeployedTrigger } from '../template/deployment.ts';
import { countMessages, type QueueAccess, readBatches } from './queue-messages.ts';

/** Limit of one receive. */
const MAX_RECEIVED_MESSAGES = 10;

const batchResponseSchema = z.looseObject({
  batchItemFailures: z.array(z.looseObject({ itemIdentifier: z.string() })).default([]),
});

export interface TriggerOptions extends QueueAccess {
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
}

/** A loop that passes the messages of a queue to a function until it is stopped. */
export interface RunningTrigger {
  readonly functionName: string;
  readonly queueName: string;
  /**
   * Whether there is nothing to do now: no message is waiting or in progress. Failed messages that are retried later,
   * delayed messages, and those behind a failed message of a FIFO queue do not count.
   */
  idle(): boolean;
  /** Messages that the function has not processed yet, including delayed and failed ones. */
  undelivered(): number;
  stop(): Promise<void>;
}

/**
 * Starts one event source mapping. Failed messages stay in the queue and return by its visibility timeout. Visibility
 * and delays are in real time whatever the speed of the simulation, because they are those of SQS. The embedded SQS
 * delivers one message of a FIFO group at a time and no later one while it is in flight, which preserves order.
 */
export function startTrigger(trigger: DeployedTrigger, options: TriggerOptions): RunningTrigger {
  const { queueName, functionName } = trigger;
  const failed = new Set<string>();
  const batchSize = Math.min(trigger.batchSize, MAX_RECEIVED_MESSAGES);
  const reader = readBatches({ ...options, queueName, batchSize }, async (messages) => {
    if (messages.length === 0) return [];
    for (const message of messages) failed.delete(idOf(message));
    const done = new Set(await handleMessages(messages, trigger, options));
    for (const message of messages) if (!done.has(message)) failed.add(idOf(message));
    return [...done];
  });
  let isStopped = false;
  // A queue that nobody reads any more must not go unnoticed.
  reader.failed.catch((error: unknown) => {
    if (!isStopped) throw error;
  });
  return {
    functionName,
    queueName,
    undelivered: () => {
      const { visible, inFlight, delayed } = countMessages(options, queueName);
      return visible + inFlight + delayed;
    },
    idle: () => {
      const { visible, inFlight } = countMessages(options, queueName);
      const held = failed.size > 0 && queueName.endsWith('.fifo');
      return (visible === 0 || held) && inFlight <= failed.size;
    },
    stop: async () => {
      isStopped = true;
      await reader.stop().catch(() => {});
    },
  };
}

/** Returns the messages that the function processed. */
export async function handleMessages(
  messages: readonly Message[],
  trigger: DeployedTrigger,
  { invoke }: Pick<TriggerOptions, 'invoke'>,
): Promise<readonly Message[]> {
  try {
    const Records = messages.map((message) => toSqsRecord(message));
    const answer = await invoke(trigger.functionName, { Records });
    if (!trigger.partialFailures) return messages;
    const { batchItemFailures } = batchResponseSchema.parse(answer ?? {});
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    return messages.filter((message) => !failed.has(idOf(message)));
  } catch {
    // As in Lambda, a failed invocation fails the whole batch; the function's log says why.
    return [];
  }
}

function idOf({ MessageId = '' }: Message): string {
  return MessageId;
}

/** One record of an SQS event, as far as functions read what Lambda makes. */
function toSqsRecord(message: Message): Record<string, unknown> {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, attribute]) => [
    name,
    { stringValue: attribute.StringValue, dataType: attribute.DataType },
  ]);
  return {
    messageId: message.MessageId,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes),
  };
}
