import type { Logger } from '@aws-lambda-powertools/logger';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createChannelSender } from '#shared/adapters/channels/channel-sender.ts';
import { createChannelStore } from '#shared/adapters/dynamo/channels/channel-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import type { System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { destinationOf } from '#shared/config/schema/channel.ts';
import { readAlerting } from '#shared/config/schema/people.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { createPeriodReader } from '#shared/people/flow/load-periods.ts';
import type { AlertPorts, AlertSettings } from '#shared/people/flow/release-alerts.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from './client-options.ts';
import { findRetentionDays, readConfig } from './config.ts';

export const ALERT_ENVIRONMENT = {
  tableName: [ENVIRONMENT.tableName, textSchema],
  chatQueueUrl: [ENVIRONMENT.chatQueueUrl, textSchema.optional()],
  alertsTopicArn: [ENVIRONMENT.alertsTopicArn, textSchema],
} as const;

interface AlertParts {
  readonly settings: AlertSettings;
  readonly ports: AlertPorts;
}

/** What collecting and releasing work on: both send. */
export function createAlertParts(variables: NodeJS.ProcessEnv, system: System, logger: Logger): AlertParts {
  const { sleep, random } = system;
  const environment = readEnvironment(ALERT_ENVIRONMENT, variables);
  const config = readConfig(variables);
  const alerting = readAlerting(config);
  const { channels } = alerting;
  const table = { client: createDynamoClient(), tableName: environment.tableName, sleep, random };
  const store = createDynamoStore(table);
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const sns = new SNSClient(CLIENT_OPTIONS);
  const destinations = new Map(channels.map((channel) => [channel.name, destinationOf(channel)]));
  return {
    settings: { alerting, retentionDays: findRetentionDays(config) },
    ports: {
      channelStore: createChannelStore({ ...table, destinations }),
      names: createNameReader(store),
      periods: createPeriodReader(store),
      sender: createChannelSender({ ...environment, stackName: config.stackName, sqs, sns, channels }),
      clock: system,
      telemetry: createLogTelemetry(logger),
    },
  };
}
