import type { Logger } from '@aws-lambda-powertools/logger';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createChatWebhook } from '#shared/adapters/chat/chat-webhook.ts';
import { createSlackBot } from '#shared/adapters/chat/slack-bot.ts';
import { createThreadStore } from '#shared/adapters/dynamo/alerts/thread-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';
import { createChatDeadLetters } from '#shared/adapters/sqs/chat-dead-letters.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { ChatDeliverer } from '#shared/alerts/flow/deliver-chat.ts';
import { readChatEnvironment } from '#shared/config/environment/chat-environment.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from '../client-options.ts';
import { createLogger } from '../create-logger.ts';

/** Kept between invocations; created once from the environment of the function. */
export interface ChatContainer {
  readonly logger: Logger;
  readonly system: System;
  readonly delivery: ChatDeliverer;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createChatContainer(variables: NodeJS.ProcessEnv, system: System = ownSystem): ChatContainer {
  const { now, sleep, random } = system;
  const { tableName, channel, retentionDays, deadLetterQueueUrl } = readChatEnvironment(variables);
  const { kind, name, secretName, allowHttp, channelId, apiUrl } = channel;
  const logger = createLogger();
  const secrets = new SecretsManagerClient(CLIENT_OPTIONS);
  const readSecret = createSecretReader({ client: secrets, secretName, now });
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const threads =
    channelId === undefined
      ? undefined
      : {
          bot: createSlackBot({ readSecret, secretName, channelId, apiUrl, now }),
          store: createThreadStore({ ...table, channel: name }),
        };
  const ports = {
    chat: createChatWebhook({ kind, secretName, allowHttp, readSecret, now }),
    threads,
    deadLetters: createChatDeadLetters({ client: sqs, queueUrl: deadLetterQueueUrl, channel: name }),
    ledger: createDeliveryLedger(table),
    clock: system,
    sleep,
    telemetry: createLogTelemetry(logger),
  };
  return { logger, system, delivery: new ChatDeliverer({ kind, channel: name, retentionDays }, ports) };
}
