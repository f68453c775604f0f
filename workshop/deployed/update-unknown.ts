import { isDeepStrictEqual } from 'node:util';
import { ListSubscriptionsByTopicCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import type { Resource, Resources } from './adapted-template.ts';
import { type ApplyTools, applyUnknown } from './apply-unknown.ts';

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
    .filter(([, { Type }]) => tools.unknownTypes.get(Type) === 'applied')
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
