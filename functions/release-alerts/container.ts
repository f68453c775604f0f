import type { Logger } from '@aws-lambda-powertools/logger';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createChannelSender } from '#shared/adapters/channels/channel-sender.ts';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import type { AlertSettings } from '#shared/alerts/flow/collection.ts';
import type { ReleasePorts } from '#shared/alerts/flow/release-alerts.ts';
import { readReleaseEnvironment } from '#shared/config/environment/alert-environment.ts';
import { destinationOf } from '#shared/config/schema/channel.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from '../client-options.ts';
import { createLogger } from '../create-logger.ts';

/** Kept between invocations; created once from the environment of the function. */
export interface ReleaseContainer {
  readonly logger: Logger;
  readonly settings: AlertSettings;
  readonly ports: ReleasePorts;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createReleaseContainer(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): ReleaseContainer {
  const { sleep, random } = system;
  const environment = readReleaseEnvironment(variables);
  const { tableName, alerting, retentionDays } = environment;
  const { channels } = alerting;
  const logger = createLogger();
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const sns = new SNSClient(CLIENT_OPTIONS);
  const destinations = new Map(channels.map((channel) => [channel.name, destinationOf(channel)]));
  return {
    logger,
    settings: { alerting, retentionDays },
    ports: {
      alertStore: createAlertStore({ client: createDynamoClient(), tableName, sleep, random, destinations }),
      sender: createChannelSender({ ...environment, sqs, sns, channels }),
      clock: system,
      telemetry: createLogTelemetry(logger),
    },
  };
}
