import type { Logger } from '@aws-lambda-powertools/logger';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createWebhookQueue } from '#shared/adapters/sqs/webhook-queue.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createWebhookTelemetry } from '#shared/adapters/telemetry/webhook-telemetry.ts';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { createWebhookSigner } from '#shared/adapters/webhook/signer.ts';
import { readWebhookEnvironment } from '#shared/config/environment/webhook-environment.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import type { WebhookPorts } from '#shared/webhooks/flow/webhook-run.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from '../client-options.ts';
import { createLogger } from '../create-logger.ts';

/** Kept between invocations; created once from the environment of the function. */
export interface WebhookContainer {
  readonly logger: Logger;
  readonly system: System;
  readonly webhook: Webhook;
  readonly retentionDays: number;
  readonly ports: WebhookPorts;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createWebhookContainer(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): WebhookContainer {
  const { now, sleep, random } = system;
  const environment = readWebhookEnvironment(variables);
  const { tableName, webhook, operationsTopicArn, retentionDays } = environment;
  const { secretName, allow } = webhook;
  const logger = createLogger();
  const secrets = new SecretsManagerClient(CLIENT_OPTIONS);
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const sns = new SNSClient(CLIENT_OPTIONS);
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const topicArns = { operations: operationsTopicArn };
  const readSecret = createSecretReader({ client: secrets, secretName, now });
  return {
    logger,
    system,
    webhook,
    retentionDays,
    ports: {
      client: createWebhookClient({ allow, now }),
      signer: createWebhookSigner({ secretName, readSecret }),
      queue: createWebhookQueue({ ...environment, client: sqs }),
      ledger: createDeliveryLedger(table),
      stateStore: createWebhookStateStore(table),
      publisher: createSnsPublisher({ client: sns, topicArns, sleep, random }),
      clock: system,
      random,
      telemetry: createWebhookTelemetry(logger, now),
    },
  };
}
