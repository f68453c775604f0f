import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type EventSourceMappingConfiguration,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import {
  GetSubscriptionAttributesCommand,
  paginateListSubscriptionsByTopic,
  type SNSClient,
  type Subscription,
} from '@aws-sdk/client-sns';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { handleMessages } from '#local/aws/functions/queue-trigger.ts';
import { CONFIG_FILE, ENVIRONMENT, EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { buildArn } from '../account.ts';
import type { Aws } from '../aws.ts';
import type { AwsApi } from '../aws-api.ts';
import { type FunctionTools, hostFunctions } from '../deployed-functions.ts';
import { createQueue, drainQueue, findQueueUrl, subscribeQueue } from '../queues.ts';
import type { Scene } from '../scenarios/scene.ts';
import type { World } from '../world/world.ts';
import { collectArrivals, EVERYTHING_QUEUE, type Place } from './arrivals.ts';
import { type Invoke, type Notifier, type Schedule, sortSchedules } from './notifier.ts';

type Environment = Readonly<Record<string, string>>;

export interface DeployedOptions {
  readonly scene: Scene;
  /** Names of queues of the stack and of those that it found. */
  readonly queues: readonly string[];
}

/** The deployed functions, hosted here, with everything else in the emulator. */
export async function startDeployedNotifier(options: DeployedOptions): Promise<Notifier> {
  const { aws, stack, world, running } = options.scene;
  const hosts = await hostFunctions({
    ...aws,
    stackName: stack.name,
    packageKeys: stack.packageKeys(),
    adapt: (deployed) => adaptEnvironment(deployed, world),
  });
  const stop = async () => {
    await Promise.all([...hosts.values()].map((host) => host.stop()));
  };
  running.push({ stop });
  const places = await openPlaces(options);
  const invoke: Notifier['invoke'] = async (name, event) => {
    const host = hosts.get(name);
    if (host === undefined) throw new Error(`there is no function ${name}`);
    return await host.invoke(event);
  };
  return {
    schedules: sortSchedules(await readSchedules(aws.api, stack.name)),
    now: world.clock.now,
    invoke,
    settle: () => drainMappedQueues(aws, stack.name, invoke),
    take: () => collectArrivals({ places, receiver: world.receiver, drain: (url) => drainQueue(aws, url) }),
    stop,
  };
}

/**
 * Functions run by the clock of the test, except those of webhooks: a receiver compares the time of a signature with its
 * own. Slack's addresses are on loopback, without TLS.
 */
function adaptEnvironment(
  { environment, codeFolder }: Parameters<FunctionTools['adapt']>[0],
  { clock, receiver }: World,
): Environment {
  const { [ENVIRONMENT.channel]: channel, [ENVIRONMENT.webhook]: webhook } = environment;
  if (webhook !== undefined) return environment;
  if (channel === undefined) return { ...environment, ...clock.environment };
  const config = JSON.parse(readFileSync(join(codeFolder, CONFIG_FILE), 'utf8'));
  const file = join(codeFolder, `redirected-${CONFIG_FILE}`);
  writeFileSync(file, JSON.stringify({ ...config, chats: { [channel]: receiver.slackAddress(channel) } }));
  return { ...environment, [ENVIRONMENT.configFile]: file, ...clock.environment };
}

async function openPlaces({ scene, queues }: DeployedOptions): Promise<readonly Place[]> {
  const { aws, stack } = scene;
  await createQueue(aws, EVERYTHING_QUEUE);
  for (const topic of EVENT_TOPIC_NAMES) {
    const names = { topic: `${stack.name}-${topic}`, queue: EVERYTHING_QUEUE };
    await subscribeQueue(aws, names, { RawMessageDelivery: 'true' });
  }
  const read = [EVERYTHING_QUEUE, ...queues].map(
    async (name): Promise<Place> => ({ kind: 'queue', name, url: await findQueueUrl(aws, name) }),
  );
  return [...(await Promise.all(read)), ...(await openMailboxes(aws, `${stack.name}-alerts`))];
}

/** Subscribes queues with the filters of mail subscriptions, as SNS gives them back. One for addresses of one filter. */
async function openMailboxes(aws: Aws, topic: string): Promise<readonly Place[]> {
  const mailboxes = (await listSubscriptions(aws.sns, topic)).filter(({ Protocol }) => Protocol === 'email');
  const filtered = await Promise.all(
    mailboxes.map(async (mailbox) => ({ mailbox, filter: await readFilter(aws.sns, mailbox) })),
  );
  const groups = Map.groupBy(filtered, ({ filter }) => JSON.stringify(filter));
  return await Promise.all(
    [...groups.values()].map(async (group, index): Promise<Place> => {
      const queue = `mailboxes-${index}`;
      await createQueue(aws, queue);
      await subscribeQueue(aws, { topic, queue }, group[0]?.filter ?? {});
      const addresses = group.map(({ mailbox: { Endpoint = '' } }) => Endpoint);
      return { kind: 'mail', name: addresses.sort().join(' '), url: await findQueueUrl(aws, queue) };
    }),
  );
}

async function listSubscriptions(client: SNSClient, topic: string): Promise<Subscription[]> {
  const subscriptions: Subscription[] = [];
  const TopicArn = buildArn('sns', topic);
  for await (const page of paginateListSubscriptionsByTopic({ client }, { TopicArn })) {
    subscriptions.push(...(page.Subscriptions ?? []));
  }
  return subscriptions;
}

async function readFilter(sns: SNSClient, { SubscriptionArn }: Subscription): Promise<Environment> {
  const { Attributes = {} } = await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
  const { FilterPolicy, FilterPolicyScope } = Attributes;
  return {
    ...(FilterPolicy === undefined ? {} : { FilterPolicy }),
    ...(FilterPolicyScope === undefined ? {} : { FilterPolicyScope }),
  };
}

const MAX_RECEIVED = 10;
const PAUSE_MS = 200;
/** A message that a function did not take comes back within this: five minutes after an invocation that may be slow here. */
const MAX_WAIT_MS = 600_000;

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
 * when messages stay there and no function takes one for ten minutes.
 */
async function drainMappedQueues(aws: Aws, stackName: string, invoke: Invoke): Promise<void> {
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

interface ScheduleList {
  readonly Schedules: readonly { readonly Name: string; readonly GroupName: string }[];
}

interface ScheduleDetails {
  readonly Target: { readonly Arn: string; readonly Input: string };
}

/** The schedules of a stack, as the account gives them back. */
async function readSchedules(api: AwsApi, stackName: string): Promise<readonly Schedule[]> {
  const { Schedules } = (await api.rest('GET', '/schedules')) as ScheduleList;
  const ours = Schedules.filter(({ GroupName }) => GroupName.startsWith(`${stackName}-`));
  return await Promise.all(
    ours.map(async ({ Name, GroupName }) => {
      const path = `/schedules/${Name}?groupName=${GroupName}`;
      const { Target } = (await api.rest('GET', path)) as ScheduleDetails;
      const functionName = Target.Arn.slice(Target.Arn.lastIndexOf(':') + 1);
      return { functionName, input: JSON.parse(Target.Input) as unknown };
    }),
  );
}
