import type { Channel } from './channel.ts';

/** Functions that are there once. Each has a queue of what it could not work off. */
const FUNCTIONS = [
  'poll-timesheets',
  'poll-pay-periods',
  'poll-directory',
  'collect-alerts',
  'release-alerts',
  'replay-events',
] as const;

/** Queues that no entry of a config gives its name to. */
const OWN_QUEUES = ['collect-alerts', ...FUNCTIONS.map(toDeadLetterQueueName)];

/** What of a config gives queues their names. */
interface QueueNamingConfig {
  readonly stackName: string;
  readonly subscriptions: readonly { readonly name: string; readonly queueArn?: string | undefined }[];
  readonly webhooks: readonly { readonly name: string }[];
  readonly alerts: { readonly channels: readonly Pick<Channel, 'name' | 'kind'>[] };
}

/** A name in a config that would make one of two queues. */
export interface QueueNameIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface Owner {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly described: string;
  /** Without the name of the stack. */
  readonly queues: readonly string[];
}

/**
 * Entries whose queues would be called like those of another one, or like our own: a subscription `collect-alerts`, or
 * a webhook `payroll-dead-letters` beside one `payroll`. Deploying them would fail halfway. The same name twice in a
 * list is not told here.
 */
export function findQueueNameIssues(listeners: QueueNamingConfig): QueueNameIssue[] {
  const owners = new Map(OWN_QUEUES.map((queue) => [queue, 'one of our own']));
  return listOwners(listeners).flatMap(({ path, name, described, queues }) => {
    const [issue] = queues.flatMap((queue) => {
      const owner = owners.get(queue);
      if (owner === undefined || owner === described) return [];
      const message = `with ${JSON.stringify(name)} a queue would be called ${listeners.stackName}-${queue}, as ${owner} is; use another name`;
      return [{ path: [...path, 'name'], message }];
    });
    for (const queue of queues) owners.set(queue, described);
    return issue === undefined ? [] : [issue];
  });
}

function listOwners({ subscriptions, webhooks, alerts }: QueueNamingConfig): Owner[] {
  return [
    ...subscriptions.map(({ name, queueArn }, index) => ({
      path: ['subscriptions', index],
      name,
      described: `one of the subscription ${JSON.stringify(name)}`,
      // One that exists already has a name that is no concern of ours.
      queues: [...(queueArn === undefined ? [name] : []), toDeadLetterQueueName(name)],
    })),
    ...webhooks.map(({ name }, index) => ({
      path: ['webhooks', index],
      name,
      described: `one of the webhook ${JSON.stringify(name)}`,
      queues: [`webhook-${name}`, toDeadLetterQueueName(`webhook-${name}`)],
    })),
    ...alerts.channels.map(({ name, kind }, index) => ({
      path: ['alerts', 'channels', index],
      name,
      described: `one of the channel ${JSON.stringify(name)}`,
      queues:
        kind === 'slack'
          ? [`slack-${name}`, toDeadLetterQueueName(`slack-${name}`)].map((queue) => `${queue}.fifo`)
          : [],
    })),
  ];
}

function toDeadLetterQueueName(name: string): string {
  return `${name}-dead-letters`;
}
