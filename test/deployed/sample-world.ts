import { type SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { FunctionHost } from '#local/aws/functions/function-host.ts';
import { pollReportSchema } from '#shared/config/requests/poll-report.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import { buildArn } from './account.ts';
import type { Resources } from './adapted-template.ts';
import type { AwsApi } from './aws-api.ts';

const MAX_RECEIVED = 10;

/** What a schedule of the account sends, and to which function. */
export interface Schedule {
  readonly functionName: string;
  readonly input: unknown;
}

/** The schedules as the emulator gives them back. */
export async function readSchedules(api: AwsApi, removed: Resources): Promise<readonly Schedule[]> {
  const ours = Object.entries(removed).filter(([, { Type }]) => Type === 'AWS::Scheduler::Schedule');
  return Promise.all(
    ours.map(async ([logicalId, { Properties = {} }]) => {
      const query = `?groupName=${Properties.GroupName}`;
      const { Target } = (await api.rest('GET', `/schedules/${Properties.Name ?? logicalId}${query}`)) as {
        Target: { Arn: string; Input: string };
      };
      const functionName = Target.Arn.slice(Target.Arn.lastIndexOf(':') + 1);
      return { functionName, input: JSON.parse(Target.Input) as unknown };
    }),
  );
}

/** Runs each poll once, over the whole window. Returns how many events they published. */
export async function poll(
  schedules: readonly Schedule[],
  hosts: ReadonlyMap<string, FunctionHost>,
  baseUrl: string,
): Promise<number> {
  let published = 0;
  for (const { functionName, input } of schedules) {
    const request = pollRequestSchema.safeParse(input);
    if (!request.success) continue;
    const connection = { ...request.data.connection, baseUrl };
    const event = { connection, scope: 'window', repeatForSeconds: 0 };
    const report = pollReportSchema.parse(await hosts.get(functionName)?.invoke(event));
    if (report.outcome !== 'complete') throw new Error(`${functionName}: ${report.reasons.join('; ')}`);
    published += report.counts.eventsPublished;
  }
  return published;
}

/** A queue of a subscriber outside the stack, subscribed to topics. Returns its URL. */
export async function subscribeQueue(
  { sns, sqs }: { readonly sns: SNSClient; readonly sqs: SQSClient },
  topics: readonly string[],
): Promise<string> {
  const name = 'everything';
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  for (const topic of topics) {
    await sns.send(
      new SubscribeCommand({
        TopicArn: buildArn('sns', topic),
        Protocol: 'sqs',
        Endpoint: buildArn('sqs', name),
        Attributes: { RawMessageDelivery: 'true' },
      }),
    );
  }
  return QueueUrl;
}

/** Everything that waits in a queue, deleted from it. */
export async function drain(sqs: SQSClient, QueueUrl: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: MAX_RECEIVED });
    const { Messages = [] } = await sqs.send(command);
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = '' }) => Body));
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}
