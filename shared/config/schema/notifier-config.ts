import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import { normalizeAddress } from './channel.ts';
import { describeConfigIssue, wordConfigIssue } from './config-issues.ts';
import { type Connection, connectionSchema } from './connection.ts';
import { findDirectoryIssues } from './directory.ts';
import type { EventFilter } from './event-filter.ts';
import { linksSchema } from './links.ts';
import { findPeopleIssues, type People, peopleSchema } from './people.ts';
import { queueSchema } from './queue.ts';
import { findQueueNameIssues, findSubscribedQueueIssues } from './queue-names.ts';
import { webhookSchema } from './webhook.ts';

/** What is published, and with how much memory it is polled. */
const pollSchema = z.strictObject({
  /**
   * Publishes who works where: changes of employees and departments. Without it they are polled all the same where
   * `people.names` asks for names, and nothing is published of them.
   */
  directory: z.boolean().default(false),
  /** Of the function that polls. Lambda gives CPU in proportion to memory. */
  memoryMb: z.int().min(256).max(10_240).default(512),
});

/** Who gets alarms. Without `email` or `topicArn` they only show in CloudWatch. */
const alarmsSchema = z.strictObject({
  /** Subscribed to the topic `alerts`; AWS asks this address for confirmation. */
  email: z.email('email is one address, such as operations@acme.example').optional(),
  /** Alarms go to this topic instead of `alerts`. Its policy must allow CloudWatch to publish. */
  topicArn: z
    .string()
    .regex(
      /^arn:[a-z-]+:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/,
      'topicArn is the ARN of a topic, such as arn:aws:sns:ap-southeast-2:123456789012:on-call',
    )
    .optional(),
});

export const DEFAULT_STACK_NAME = 'workforce-notifier';

/** The content of `notifier.config.ts`: everything about a deployment. */
const notifierConfigSchema = z
  .strictObject({
    /**
     * Name of the stack; the names of topics, queues, functions, alarms and parameters begin with it, or with a short form
     * of it where it is long or has capitals (`toPartsPrefix`).
     */
    stackName: z
      .string()
      .regex(
        /^[A-Za-z][A-Za-z0-9-]{0,127}$/,
        'a stack name is letters, digits and -, begins with a letter, at most 128 long',
      )
      .default(DEFAULT_STACK_NAME),
    /** The source APIs to watch. */
    connections: z.array(connectionSchema).min(1, 'name at least one connection'),
    poll: pollSchema.prefault({}),
    /** Channels of people, and what they are told of (docs/messages.md). */
    people: peopleSchema.prefault({}),
    /** Endpoints that get signed events over HTTPS. */
    webhooks: z.array(webhookSchema).default([]),
    /** Queues that get events. Other stacks can subscribe themselves: the ARNs of the topics are SSM parameters. */
    queues: z.array(queueSchema).default([]),
    alarms: alarmsSchema.prefault({}),
    links: linksSchema.prefault({}),
  })
  .superRefine((config, context) => {
    const { connections, queues, people, alarms, webhooks } = config;
    for (const [list, entries] of Object.entries({ connections, queues, webhooks })) {
      for (const [index, name] of findRepeatedNames(entries)) {
        const message = `the name ${JSON.stringify(name)} is taken by an entry before it; use a unique name`;
        context.addIssue({ code: 'custom', path: [list, index, 'name'], message });
      }
    }
    const known = connections.map(({ name }) => name);
    for (const [list, entries] of Object.entries({ queues, webhooks })) {
      for (const [path, name] of findUnknownConnections(entries, known)) {
        const message = `there is no connection ${JSON.stringify(name)}; use one of ${known.join(', ')}`;
        context.addIssue({ code: 'custom', path: [list, ...path], message });
      }
    }
    for (const [index, { name }] of webhooks.entries()) {
      if (!queues.some((queue) => queue.name === name)) continue;
      const message = `the name ${JSON.stringify(name)} is taken by a queue; use a name that is unique among both`;
      context.addIssue({ code: 'custom', path: ['webhooks', index, 'name'], message });
    }
    for (const { path, message } of [...findQueueNameIssues(config), ...findSubscribedQueueIssues(queues)]) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
    for (const { path, message } of findPeopleIssues(people)) {
      context.addIssue({ code: 'custom', path: ['people', ...path], message });
    }
    for (const {
      path: [...path],
      message,
    } of findDirectoryIssues(config)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
    for (const { path, message } of findHeartbeatIssues(connections)) {
      context.addIssue({ code: 'custom', path: ['connections', ...path], message });
    }
    const message = findAlarmIssue(alarms, people);
    if (message !== null) context.addIssue({ code: 'custom', path: ['alarms', 'email'], message });
  });
export type NotifierConfig = z.output<typeof notifierConfigSchema>;
export type NotifierConfigInput = z.input<typeof notifierConfigSchema>;

/** Gives the content of `notifier.config.ts` its type. The values are checked when it is loaded. */
export function defineNotifierConfig(config: NotifierConfigInput): NotifierConfigInput {
  return config;
}

/**
 * Checks a config and fills in defaults. Throws a `NotifierError` (`config_invalid`) with one line per issue: file,
 * path, what is wrong with which value, and how to fix it.
 */
export function parseNotifierConfig(input: unknown, file = 'notifier.config.ts'): NotifierConfig {
  const result = notifierConfigSchema.safeParse(input, { error: wordConfigIssue });
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap((issue) => describeConfigIssue(issue, input));
  throw new NotifierError('config_invalid', lines.map((line) => `${file}: ${line}`).join('\n'));
}

/** Heartbeats that tell of one connection what is true of another. */
function findHeartbeatIssues(
  connections: readonly Connection[],
): { readonly path: (string | number)[]; readonly message: string }[] {
  const secrets = connections.map(({ heartbeat }) => heartbeat?.secretName);
  return connections.flatMap(({ heartbeat }, index) => {
    if (heartbeat === undefined || secrets.indexOf(heartbeat.secretName) === index) return [];
    const message =
      'a connection before it sends to the same address, which would hide that one of them is silent; use an address for each';
    return [{ path: [index, 'heartbeat', 'secretName'], message }];
  });
}

/** What is wrong with an address for alarms that would get none, or not only alarms. */
function findAlarmIssue(
  { email, topicArn }: z.output<typeof alarmsSchema>,
  { channels }: People,
): string | null {
  if (email === undefined) return null;
  if (topicArn !== undefined)
    return 'alarms go to topicArn, so this address would get none; leave one of the two out, or subscribe the address to that topic';
  const mailboxes = channels.flatMap((channel) => (channel.kind === 'email' ? channel.addresses : []));
  if (!mailboxes.map(normalizeAddress).includes(normalizeAddress(email))) return null;
  return 'this address is in a channel already, and SNS gives an address one subscription to a topic; use another one, such as operations+alarms@acme.example';
}

function findRepeatedNames(entries: readonly { readonly name: string }[]): [number, string][] {
  const names = entries.map(({ name }) => name);
  return [...names.entries()].filter(([index, name]) => names.indexOf(name) < index);
}

/** Names in filters that are not the name of a connection, with their paths. */
function findUnknownConnections(
  entries: readonly { readonly filter: EventFilter }[],
  known: readonly string[],
): [(string | number)[], string][] {
  return entries.flatMap(({ filter }, index) =>
    [...(filter.connection ?? []).entries()]
      .filter(([, name]) => !known.includes(name))
      .map(([at, name]): [(string | number)[], string] => [[index, 'filter', 'connection', at], name]),
  );
}
