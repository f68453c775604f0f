import { isDeepStrictEqual } from 'node:util';
import {
  ListSubscriptionsByTopicCommand,
  SetTopicAttributesCommand,
  type SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Resolve } from '#local/aws/template/resolver.ts';
import type { Resource, Resources } from './adapted-template.ts';
import type { AwsApi } from './aws-api.ts';
import { UNKNOWN_TYPES } from './moto.ts';

export interface ApplyTools {
  readonly api: AwsApi;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  readonly resolve: Resolve;
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
async function applyUnknown(removed: Resources, tools: ApplyTools): Promise<number> {
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

interface UnknownUpdate {
  /** As `updateApplied` returned them. */
  readonly before: Resources;
  /** Of the new template. */
  readonly wanted: Resources;
}

/**
 * Makes, changes and removes what the emulator does not know, as CloudFormation would when a template changes. Returns
 * what is there then, with references resolved.
 */
export async function updateApplied(
  { before, wanted }: UnknownUpdate,
  tools: ApplyTools,
): Promise<Resources> {
  const resolved = Object.entries(wanted)
    .filter(([, { Type }]) => UNKNOWN_TYPES.get(Type) === 'applied')
    .map(([id, resource]): [string, Resource] => [id, resolveProperties(resource, tools)]);
  const after = Object.fromEntries(resolved);
  const isKept = ([id, resource]: [string, Resource]) => isDeepStrictEqual(after[id], resource);
  const outdated = Object.entries(before).filter((entry) => !isKept(entry));
  await removeApplied(Object.fromEntries(outdated), tools);
  const made = resolved.filter(([id, resource]) => !isDeepStrictEqual(before[id], resource));
  await applyUnknown(Object.fromEntries(made), tools);
  return after;
}

/**
 * Removes schedules, subscriptions, and groups that the template does not retain. Policies go with their topics and
 * queues.
 */
export async function removeApplied(
  applied: Resources,
  tools: Pick<ApplyTools, 'api' | 'sns'>,
): Promise<void> {
  // A group takes its schedules with it.
  const isGroup = ({ Type }: Resource) => Type === 'AWS::Scheduler::ScheduleGroup';
  const inOrder = Object.entries(applied).sort(([, a], [, b]) => Number(isGroup(a)) - Number(isGroup(b)));
  for (const [id, { Type, Properties = {}, DeletionPolicy }] of inOrder) {
    const { Name = id, GroupName } = Properties;
    if (Type === 'AWS::Scheduler::Schedule') {
      await tools.api.rest('DELETE', `/schedules/${Name}?groupName=${GroupName}`);
    }
    if (Type === 'AWS::SNS::Subscription') await unsubscribe(Properties, tools);
    if (Type === 'AWS::Scheduler::ScheduleGroup' && DeletionPolicy !== 'Retain') {
      await tools.api.rest('DELETE', `/schedule-groups/${Name}`);
    }
  }
}

/** A topic that is gone has taken its subscriptions with it. */
async function unsubscribe(
  { TopicArn, Endpoint }: Readonly<Record<string, unknown>>,
  { sns }: Pick<ApplyTools, 'sns'>,
): Promise<void> {
  const list = new ListSubscriptionsByTopicCommand({ TopicArn: String(TopicArn) });
  const { Subscriptions = [] } = await sns.send(list).catch(() => ({ Subscriptions: [] }));
  const found = Subscriptions.find((each) => each.Endpoint === Endpoint);
  if (found === undefined) return;
  await sns.send(new UnsubscribeCommand({ SubscriptionArn: found.SubscriptionArn }));
}

function resolveProperties(resource: Resource, { resolve }: ApplyTools): Resource {
  return { ...resource, Properties: resolve(resource.Properties ?? {}) as Readonly<Record<string, unknown>> };
}
