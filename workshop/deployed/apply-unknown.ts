import { SetTopicAttributesCommand, type SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Resource, Resources } from './adapted-template.ts';
import type { AwsApi } from './aws-api.ts';
import type { UnknownTypes } from './emulators/emulator.ts';
import type { Resolve } from './references.ts';

export interface ApplyTools {
  readonly api: AwsApi;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  readonly resolve: Resolve;
  readonly unknownTypes: UnknownTypes;
}

type Properties = Readonly<Record<string, unknown>>;
type Apply = (properties: Properties, tools: ApplyTools) => Promise<unknown>;

/** Groups come before the schedules that are in them. */
const APPLY: readonly (readonly [type: string, apply: Apply])[] = [
  ['AWS::SNS::TopicPolicy', applyTopicPolicy],
  ['AWS::SQS::QueuePolicy', applyQueuePolicy],
  ['AWS::SNS::Subscription', applySubscription],
  ['AWS::Scheduler::ScheduleGroup', applyScheduleGroup],
  [
    'AWS::Scheduler::Schedule',
    ({ Name, ...rest }, { api }) => api.rest('POST', `/schedules/${Name}`, { ...rest, ClientToken: 'test' }),
  ],
];

/** Makes what CloudFormation did not, through the API of each service. Returns how many it made. */
export async function applyUnknown(removed: Resources, tools: ApplyTools): Promise<number> {
  let made = 0;
  for (const [type, apply] of APPLY) {
    for (const [logicalId, resource] of Object.entries(removed)) {
      if (resource.Type !== type) continue;
      await apply(readResource(logicalId, resource, tools), tools);
      made += 1;
    }
  }
  return made;
}

/** A schedule without a name gets one from CloudFormation. */
function readResource(logicalId: string, { Properties }: Resource, { resolve }: ApplyTools): Properties {
  return { Name: logicalId, ...(resolve(Properties ?? {}) as Properties) };
}

/** AWS refuses a name that is taken; moto replaces the group. */
async function applyScheduleGroup({ Name }: Properties, { api }: ApplyTools): Promise<void> {
  const { ScheduleGroups } = (await api.rest('GET', '/schedule-groups')) as {
    ScheduleGroups: { Name: string }[];
  };
  if (ScheduleGroups.some((group) => group.Name === Name)) {
    throw new Error(`the schedule group ${Name} is still there: AWS would refuse to create it again`);
  }
  await api.rest('POST', `/schedule-groups/${Name}`, {});
}

async function applyTopicPolicy({ Topics, PolicyDocument }: Properties, { sns }: ApplyTools): Promise<void> {
  for (const TopicArn of Topics as string[]) {
    const AttributeValue = JSON.stringify(PolicyDocument);
    await sns.send(new SetTopicAttributesCommand({ TopicArn, AttributeName: 'Policy', AttributeValue }));
  }
}

async function applyQueuePolicy({ Queues, PolicyDocument }: Properties, { sqs }: ApplyTools): Promise<void> {
  for (const QueueUrl of Queues as string[]) {
    const Attributes = { Policy: JSON.stringify(PolicyDocument) };
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }
}

async function applySubscription(properties: Properties, { sns }: ApplyTools): Promise<void> {
  const { TopicArn, Protocol, Endpoint, Name: _, ...rest } = properties;
  const attributes = Object.entries(simplifyFilter(rest)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  await sns.send(
    new SubscribeCommand({
      TopicArn: String(TopicArn),
      Protocol: String(Protocol),
      Endpoint: String(Endpoint),
      Attributes: Object.fromEntries(attributes),
    }),
  );
}

/**
 * moto multiplies the branches of `$or` where it should add them, and refuses what it takes for more than 150
 * combinations. Without `$or` the subscription gets more messages than it asks for, never fewer.
 */
function simplifyFilter(properties: Properties): Properties {
  const { $or: branches, ...rest } = (properties.FilterPolicy ?? {}) as Properties;
  return branches === undefined ? properties : { ...properties, FilterPolicy: rest };
}
