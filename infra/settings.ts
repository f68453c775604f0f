import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { writeSetting } from '#shared/config/environment.ts';
import type { TopicName } from '#shared/config/names.ts';
import { toChatQueueName, toPartsPrefix } from '#shared/config/part-names.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { type Alerting, toAlertedConnection } from '#shared/config/schema/people.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Of Lambda's 4 KB for all variables, what remains beside those that do not grow with the config. */
const MAX_SETTING_BYTES = 3_400;
/** The same for a webhook, whose function has three more addresses. */
const MAX_WEBHOOK_SETTING_BYTES = 3_000;
/** Length of a queue's URL without its name, in any region. */
const QUEUE_URL_BYTES = 75;

/** The setting of the functions for alerts. Throws `config_invalid` when it does not fit into their environment. */
export function writeAlertingSetting({ stackName, people, links, connections }: NotifierConfig): string {
  const known = connections.map(toAlertedConnection);
  const setting = writeSetting({ ...people, ...links, connections: known } satisfies Alerting);
  // Of a channel of Slack or Teams, the URL of its queue takes room as well.
  const addresses = people.channels
    .filter(isChat)
    .map((channel) => QUEUE_URL_BYTES + toChatQueueName(stackName, channel).length);
  const limit = MAX_SETTING_BYTES - Math.max(0, ...addresses);
  if (setting.length <= limit) return setting;
  throw new NotifierError(
    'config_invalid',
    `people.channels: they take ${setting.length} bytes of ${limit} when compressed; use fewer channels or connections`,
  );
}

/** The setting of the function of a webhook. Throws `config_invalid` when it does not fit into its environment. */
export function writeWebhookSetting(webhook: Webhook): string {
  const setting = writeSetting(webhook);
  if (setting.length <= MAX_WEBHOOK_SETTING_BYTES) return setting;
  throw new NotifierError(
    'config_invalid',
    `webhooks: "${webhook.name}" takes ${setting.length} bytes of ${MAX_WEBHOOK_SETTING_BYTES} when compressed; name fewer values in its filter, or split it into several webhooks`,
  );
}

/**
 * A queue's name has at most 80 characters, with `-dead-letters.fifo`. A function's name may have two more than this.
 */
const MAX_SERVICE_NAME_CHARACTERS = 62;

/** The name of a function. Throws `config_invalid` when its queues or itself would have names too long for AWS. */
export function buildServiceName(prefix: string, name: string): string {
  const serviceName = `${prefix}-${name}`;
  if (serviceName.length <= MAX_SERVICE_NAME_CHARACTERS) return serviceName;
  throw new NotifierError(
    'config_invalid',
    `stackName: the function ${serviceName} has a name of ${serviceName.length} characters, the limit is ${MAX_SERVICE_NAME_CHARACTERS}; use a shorter stackName, or a shorter name of the channel or webhook`,
  );
}

/** Position of the account in an ARN. */
const ACCOUNT_PART = 4;

/**
 * Throws `config_invalid` when something that the stack around a construct needs is not in the account that it is deployed
 * to, as far as that is known: by the stack, or by the credentials of whoever deploys.
 */
export function checkAccounts(scope: Construct, config: NotifierConfig): void {
  const { account: own } = Stack.of(scope);
  const account = Token.isUnresolved(own) ? process.env.CDK_DEFAULT_ACCOUNT : own;
  if (account === undefined) return;
  checkQueueAccounts(config, account);
}

/**
 * Throws `config_invalid` when an existing queue is not in the account that the stack is deployed to: SNS asks such a
 * queue to confirm its subscription, which nobody reads, and delivers nothing to it. Only its own account can subscribe
 * it without that.
 */
function checkQueueAccounts({ queues }: NotifierConfig, account: string): void {
  for (const [index, { queueArn }] of queues.entries()) {
    const owner = queueArn?.split(':')[ACCOUNT_PART];
    if (owner === undefined || owner === account) continue;
    throw new NotifierError(
      'config_invalid',
      `queues[${index}].queueArn: the queue is in the account ${owner} and the stack in ${account}, so SNS would wait for the queue to confirm and deliver nothing; let ${owner} subscribe with grantSubscribe of the topics, and subscribe the queue from there`,
    );
  }
}

/** What the names of all parts of the stack around a construct begin with. */
export function partsPrefixOf(scope: Construct): string {
  return toPartsPrefix(Stack.of(scope).stackName);
}

/** The name of a topic. */
export function buildTopicName(prefix: string, name: TopicName): string {
  return `${prefix}-${name}`;
}

/** Days for which alerts and deliveries are remembered: the longest of all connections. */
export function computeRetentionDays({ connections }: NotifierConfig): number {
  return Math.max(...connections.map(({ retentionDays }) => retentionDays));
}
