import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TopicName } from '#shared/config/names.ts';
import { toPartsPrefix } from '#shared/config/part-names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';

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
