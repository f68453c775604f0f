import { toPartsPrefix } from '../part-names.ts';
import type { Channel } from './channel.ts';
import type { ConfigIssue } from './config-issues.ts';

/** Functions of which a stack has one. Each has a dead-letter queue. */
const FUNCTIONS = ['poll', 'collect-alerts', 'release-alerts', 'check-deliveries'] as const;

/** Queues whose names do not depend on the config. */
const BUILT_IN_QUEUES = ['poll', 'collect-alerts', ...FUNCTIONS.map(toDeadLetterQueueName)];

interface QueueNamingConfig {
  readonly stackName: string;
  readonly queues: readonly { readonly name: string; readonly queueArn?: string | undefined }[];
  readonly webhooks: readonly { readonly name: string }[];
  readonly people: { readonly channels: readonly Pick<Channel, 'name' | 'kind'>[] };
}

interface Owner {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly described: string;
  /** Without the name of the stack. */
  readonly queues: readonly string[];
}

/**
 * Finds entries whose queues would have the name of another entry's or of a built-in queue: a queue
 * `collect-alerts`, or a webhook `payroll-dead-letters` beside one `payroll`. Their deployment would fail halfway. The
 * same name twice in one list is reported elsewhere.
 */
export function findQueueNameIssues(config: QueueNamingConfig): ConfigIssue[] {
  const owners = new Map<string, string>(BUILT_IN_QUEUES.map((queue) => [queue, 'a built-in one']));
  return listOwners(config).flatMap(({ path, name, described, queues }) => {
    const [issue] = queues.flatMap((queue) => {
      const owner = owners.get(queue);
      if (owner === undefined || owner === described) return [];
      const message = `with ${JSON.stringify(name)} a queue would be called ${toPartsPrefix(config.stackName)}-${queue}, as ${owner} is; use another name`;
      return [{ path: [...path, 'name'], message }];
    });
    for (const queue of queues) owners.set(queue, described);
    return issue === undefined ? [] : [issue];
  });
}

function listOwners({ queues, webhooks, people }: QueueNamingConfig): Owner[] {
  return [
    ...queues.map(({ name, queueArn }, index) => ({
      path: ['queues', index],
      name,
      described: `one of the queue ${JSON.stringify(name)}`,
      // A queue that exists already keeps its own name.
      queues: [...(queueArn === undefined ? [name] : []), toDeadLetterQueueName(name)],
    })),
    ...webhooks.map(({ name }, index) => ({
      path: ['webhooks', index],
      name,
      described: `one of the webhook ${JSON.stringify(name)}`,
      queues: [`webhook-${name}`, toDeadLetterQueueName(`webhook-${name}`)],
    })),
    ...people.channels.map(({ name, kind }, index) => ({
      path: ['people', 'channels', index],
      name,
      described: `one of the channel ${JSON.stringify(name)}`,
      queues:
        kind === 'email'
          ? []
          : [`${kind}-${name}`, toDeadLetterQueueName(`${kind}-${name}`)].map((queue) => `${queue}.fifo`),
    })),
  ];
}

function toDeadLetterQueueName(name: string): string {
  return `${name}-dead-letters`;
}

interface SubscribedQueue {
  readonly name: string;
  readonly topics: readonly string[];
  readonly queueArn?: string | undefined;
}

/**
 * Finds existing queues that two entries subscribe to one topic. SNS would answer the second with the subscription of
 * the first, and refuse another filter, so that the deployment fails halfway.
 */
export function findSubscribedQueueIssues(queues: readonly SubscribedQueue[]): ConfigIssue[] {
  const owners = new Map<string, string>();
  return queues.flatMap(({ name, topics, queueArn }, index) => {
    if (queueArn === undefined) return [];
    const keys = topics.map((topic) => [topic, `${queueArn} ${topic}`] as const);
    const taken = keys.flatMap(([topic, key]) => {
      const owner = owners.get(key);
      return owner === undefined ? [] : [{ topic, owner }];
    });
    for (const [, key] of keys) owners.set(key, name);
    const [first] = taken;
    if (first === undefined) return [];
    const message = `the entry ${JSON.stringify(first.owner)} subscribes this queue to the topic ${first.topic} already, and SNS allows that once; make one entry of the two, or use another queue`;
    return [{ path: ['queues', index, 'queueArn'], message }];
  });
}
