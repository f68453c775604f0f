import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { createEndpointTokens } from '#shared/adapters/credential/endpoint-tokens.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDeliveryStore } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createWebhookQueue } from '#shared/adapters/sqs/sender.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createWebhookTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { createWebhookSigner } from '#shared/adapters/webhook/signer.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { webhookSchema } from '#shared/config/schema/webhook.ts';
import { deliverWebhooks } from '#shared/systems/flow/deliver-webhooks.ts';
import { AcceptanceNotes } from '#shared/systems/flow/note-acceptance.ts';
import { REQUEST_TIMEOUT_MS, TOKEN_TIMEOUT_MS } from '#shared/systems/flow/webhook-run.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from './parts/client-options.ts';
import { composeForQueue, createLogger, entry, type Handler } from './parts/compose.ts';
import { findRetentionDays, readConfig } from './parts/config.ts';
import { createSecretClients } from './parts/secret-clients.ts';

/** Delivers batches of events to the endpoint of one webhook. */
export const handler = entry(createWebhookHandler);

export const WEBHOOK_ENVIRONMENT = {
  tableName: [ENVIRONMENT.tableName, textSchema],
  name: [ENVIRONMENT.webhook, textSchema],
  queueUrl: [ENVIRONMENT.queueUrl, textSchema],
  deadLetterQueueUrl: [ENVIRONMENT.deadLetterQueueUrl, textSchema],
  operationsTopicArn: [ENVIRONMENT.topicArns.operations, textSchema],
} as const;

/** `system`: clock, timer and random numbers, which tests replace. */
export function createWebhookHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<SQSBatchResponse> {
  const { now, sleep, random } = system;
  const environment = readEnvironment(WEBHOOK_ENVIRONMENT, variables);
  const { tableName, name, operationsTopicArn } = environment;
  const config = readConfig(variables);
  const retentionDays = findRetentionDays(config);
  const webhook = webhookSchema.parse(config.webhooks.find((each) => each.name === name));
  const { secretName, allow } = webhook;
  const logger = createLogger();
  const secrets = createSecretClients();
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const sns = new SNSClient(CLIENT_OPTIONS);
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const topicArns = { operations: operationsTopicArn };
  const readSecret = createSecretReader({ clients: secrets, secretName, now });
  const tokenClient = createWebhookClient({ allow, now, timeoutMs: TOKEN_TIMEOUT_MS });
  const tokens = createEndpointTokens({ secretName, client: tokenClient, now });
  const stateStore = createWebhookStateStore(table);
  const ports = {
    client: createWebhookClient({ allow, now, timeoutMs: REQUEST_TIMEOUT_MS }),
    signer: createWebhookSigner({ secretName, readSecret, tokens }),
    queue: createWebhookQueue({ ...environment, client: sqs }),
    deliveryStore: createDeliveryStore(table),
    stateStore,
    acceptances: new AcceptanceNotes(stateStore, name),
    publisher: createSnsPublisher({ client: sns, topicArns, sleep, random }),
    clock: system,
    random,
    telemetry: createWebhookTelemetry(logger, now),
  };
  return composeForQueue({ logger, clock: system }, (messages, deadline) =>
    deliverWebhooks({ messages, webhook, retentionDays, deadline }, ports),
  );
}
