import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { PutParameterCommand } from '@aws-sdk/client-ssm';
import { createFunctionHost, type FunctionHost } from '#local/aws/functions/function-host.ts';
import { deleteMessages, queueUrl } from '#local/aws/functions/queue-messages.ts';
import { handleMessages } from '#local/aws/functions/queue-trigger.ts';
import { openLog } from '#local/aws/functions/running-functions.ts';
import type { DeployedTrigger } from '#local/aws/template/deployment.ts';
import { CONFIG_FILE } from '#shared/config/names.ts';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import type { Account } from './account.ts';
import { joinArrivals, openQueues, receive } from './arrivals.ts';
import { type Notifier, type NotifierOptions, redirectToReceivers } from './notifier.ts';
import type { DeployedStack } from './stack.ts';

/** The emulator answers slowly beside AWS. */
const PATIENCE = 10;

/** The deployed functions, hosted here, with everything else in the emulator. */
export async function startDeployedNotifier(
  account: Account,
  { deployment, permissions }: DeployedStack,
  options: NotifierOptions,
): Promise<Notifier> {
  const { world, folder, receiving } = options;
  const redirection = redirectToReceivers(deployment, options, join(folder, `deployed-${CONFIG_FILE}`));
  await putSecrets(account, redirection.secrets);
  const log = openLog(join(folder, 'functions.log'));
  const hosts = new Map<string, FunctionHost>();
  for (const each of deployment.functions) {
    account.gate.admit(each.name, permissions.get(each.name) ?? []);
    const adapted = redirection.adapt({ ...each, timeoutMs: each.timeoutMs * PATIENCE });
    const clock = redirection.inRealTime(each) ? null : world.clock;
    const endpoints = { ...account.endpoints, accessKeyId: each.name };
    hosts.set(each.name, createFunctionHost(adapted, { environment: process.env, endpoints, clock, log }));
  }
  const invoke: Notifier['invoke'] = async (name, event) => {
    const host = hosts.get(name);
    if (host === undefined) throw new Error(`there is no function ${name}`);
    return await host.invoke(event);
  };
  const takeQueues = await openQueues(account, { ...deployment, config: redirection.config });
  return {
    deployment,
    invoke,
    settle: () => drainTriggers(account.sqs, deployment.triggers, invoke),
    take: async () => joinArrivals(receiving.take(), await takeQueues()),
    stop: async () => {
      await Promise.all([...hosts.values()].map((host) => host.stop()));
    },
  };
}

/** As an operator creates them. */
async function putSecrets({ secrets }: Account, values: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, value] of values) {
    const parameter = readParameterName(name);
    if (parameter === null)
      await secrets.secretsManager.send(new CreateSecretCommand({ Name: name, SecretString: value }));
    else {
      const request = { Name: parameter, Value: value, Type: 'SecureString', Overwrite: true } as const;
      await secrets.ssm.send(new PutParameterCommand(request));
    }
  }
}

const MAX_RECEIVED = 10;
const PAUSE_MS = 200;
const MAX_WAIT_MS = 600_000;

/** Passes the messages of queues to their functions, as Lambda would, until all of these queues are empty. */
async function drainTriggers(
  sqs: SQSClient,
  triggers: readonly DeployedTrigger[],
  invoke: Notifier['invoke'],
): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const received = await Promise.all(triggers.map((trigger) => handleBatch(sqs, trigger, invoke)));
    if (received.some((count) => count > 0)) continue;
    const left = await Promise.all(triggers.map(({ queueName }) => countMessages(sqs, queueName)));
    if (left.every((count) => count === 0)) return;
    if (Date.now() > deadline) throw new Error(`messages are left: ${left.join(', ')}`);
    await wait(PAUSE_MS);
  }
}

async function handleBatch(
  sqs: SQSClient,
  trigger: DeployedTrigger,
  invoke: Notifier['invoke'],
): Promise<number> {
  const messages = await receive(sqs, trigger.queueName, Math.min(trigger.batchSize, MAX_RECEIVED));
  if (messages.length === 0) return 0;
  const done = await handleMessages(messages, trigger, { invoke });
  await deleteMessages(sqs, trigger.queueName, done);
  return messages.length;
}

const STATES = ['', 'NotVisible', 'Delayed'].map((state) => `ApproximateNumberOfMessages${state}` as const);

async function countMessages(sqs: SQSClient, queueName: string): Promise<number> {
  const request = {
    QueueUrl: queueUrl(queueName),
    AttributeNames: STATES as ['ApproximateNumberOfMessages'],
  };
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(request));
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}
