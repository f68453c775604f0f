import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import * as z from 'zod';
import { createChatWebhook } from '#shared/adapters/chat/chat-webhook.ts';
import { createSlackBot } from '#shared/adapters/chat/slack-bot.ts';
import { createThreadStore } from '#shared/adapters/dynamo/channels/thread-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDeliveryStore } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';
import { createChatDeadLetters } from '#shared/adapters/sqs/sender.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { allowedTargetsSchema } from '#shared/config/schema/allowed-targets.ts';
import { CHAT_KINDS } from '#shared/config/schema/chat-kind.ts';
import { ChatDeliverer } from '#shared/people/flow/deliver-chat.ts';
import { POST_TIMEOUT_MS } from '#shared/people/flow/paced-chat.ts';
import type { WebhookClient } from '#shared/systems/flow/webhook-run.ts';
import { SQS_CLIENT_OPTIONS } from './parts/client-options.ts';
import { composeForQueue, createLogger, entry, type Handler } from './parts/compose.ts';
import { findRetentionDays, readConfig } from './parts/config.ts';
import { createSecretClients } from './parts/secret-clients.ts';

/** Posts messages of one channel of Slack or Teams, in order. */
export const handler = entry(createChatHandler);

const channelSchema = z.object({
  kind: z.enum(CHAT_KINDS),
  /** Name of the secret that holds the address to post to. */
  secretName: textSchema,
  /** Id of a Slack channel that a bot posts to; the secret then holds its token. */
  channelId: textSchema.optional(),
});

export const CHAT_ENVIRONMENT = {
  tableName: [ENVIRONMENT.tableName, textSchema],
  name: [ENVIRONMENT.channel, textSchema],
  deadLetterQueueUrl: [ENVIRONMENT.deadLetterQueueUrl, textSchema],
} as const;

/** An answer of Slack to a post repeats the message, with its blocks. */
const MAX_ANSWER_BYTES = 200_000;

/** `system`: clock, timer and random numbers, which tests replace, as the other side of `client`. */
export function createChatHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
  client?: WebhookClient,
): Handler<SQSBatchResponse> {
  const { now, sleep, random } = system;
  const { tableName, name, deadLetterQueueUrl } = readEnvironment(CHAT_ENVIRONMENT, variables);
  const config = readConfig(variables);
  const channel = config.people.channels.find((each) => each.name === name);
  const { kind, secretName, channelId } = channelSchema.parse(channel);
  const { allow, apiUrl } = standIn(config.chats?.[name]);
  const logger = createLogger();
  const secrets = createSecretClients();
  const readSecret = createSecretReader({ clients: secrets, secretName, now });
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const telemetry = createLogTelemetry(logger);
  const bounds = { timeoutMs: POST_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES };
  const outward = {
    readSecret,
    secretName,
    client: client ?? createWebhookClient({ ...bounds, allow, now }),
  };
  const bot = channelId === undefined ? null : createSlackBot({ ...outward, channelId, apiUrl });
  const store = createThreadStore({ ...table, channel: name });
  const ports = {
    chat: createChatWebhook({ ...outward, kind, allowHttp: allow.http }),
    threads: bot === null ? undefined : { bot, store },
    deadLetters: createChatDeadLetters({ client: sqs, queueUrl: deadLetterQueueUrl, channel: name }),
    deliveryStore: createDeliveryStore(table),
    clock: system,
    sleep,
    telemetry,
  };
  const retentionDays = findRetentionDays(config);
  const delivery = new ChatDeliverer({ kind, channel: name, retentionDays }, ports);
  return composeForQueue({ logger, clock: system }, (messages, deadline) =>
    delivery.deliver({ messages, deadline }),
  );
}

/** Where `npm start` answers in place of Slack or Teams; without an address, these themselves are asked. */
function standIn(address: string | undefined) {
  if (address === undefined) return { allow: allowedTargetsSchema.parse({}) };
  return { allow: { http: true, privateAddresses: true }, apiUrl: `${address}/` };
}
