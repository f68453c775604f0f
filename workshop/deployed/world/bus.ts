import { CreateEventBusCommand, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { buildArn } from '../account.ts';
import type { Aws } from '../aws.ts';
import { createQueue, findQueueUrl } from '../queues.ts';
import { BUS, BUS_QUEUE } from './everything.ts';

const RULE = 'everything';

/** A bus as its owner makes it: with a rule that sends all events of the notifier to a queue. */
export async function createBus(aws: Pick<Aws, 'events' | 'sqs'>): Promise<void> {
  await aws.events.send(new CreateEventBusCommand({ Name: BUS }));
  await createQueue(aws, BUS_QUEUE);
  const queueArn = buildArn('sqs', BUS_QUEUE);
  const allowRule = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
  };
  await aws.sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: await findQueueUrl(aws, BUS_QUEUE),
      Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: [allowRule] }) },
    }),
  );
  const source = [{ prefix: '/connections/' }];
  await aws.events.send(
    new PutRuleCommand({ Name: RULE, EventBusName: BUS, EventPattern: JSON.stringify({ source }) }),
  );
  await aws.events.send(
    new PutTargetsCommand({ Rule: RULE, EventBusName: BUS, Targets: [{ Id: 'queue', Arn: queueArn }] }),
  );
}

/** What a rule sends of an event, without what EventBridge adds. */
export function readRuleTarget(body: string): string {
  const { source, detail, 'detail-type': detailType } = JSON.parse(body) as Record<string, unknown>;
  return toCanonicalJson({ Source: source, DetailType: detailType, Detail: detail });
}

/** With the members of objects in the order of their names: EventBridge writes a detail anew. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
