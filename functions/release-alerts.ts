import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createChannelSender } from '#shared/adapters/channels/channel-sender.ts';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';
import { destinationOf } from '#shared/config/schema/channel.ts';
import { readAlerting } from '#shared/config/schema/people.ts';
import { releaseAlerts } from '#shared/people/flow/release-alerts.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from './parts/client-options.ts';
import { compose, createLogger, entry, type Handler } from './parts/compose.ts';
import { findRetentionDays, readConfig } from './parts/config.ts';

/** Sends the alerts that are due. */
export const handler = entry(createReleaseHandler);

export const RELEASE_ENVIRONMENT = {
  tableName: [ENVIRONMENT.tableName, textSchema],
  chatQueueUrl: [ENVIRONMENT.chatQueueUrl, textSchema.optional()],
  alertsTopicArn: [ENVIRONMENT.alertsTopicArn, textSchema],
} as const;

/** `system`: clock, timer and random numbers, which tests replace. */
export function createReleaseHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<void> {
  const { sleep, random } = system;
  const environment = readEnvironment(RELEASE_ENVIRONMENT, variables);
  const { tableName } = environment;
  const config = readConfig(variables);
  const alerting = readAlerting(config);
  const { channels } = alerting;
  const logger = createLogger();
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const sns = new SNSClient(CLIENT_OPTIONS);
  const destinations = new Map(channels.map((channel) => [channel.name, destinationOf(channel)]));
  const settings = { alerting, retentionDays: findRetentionDays(config) };
  const ports = {
    alertStore: createAlertStore({ client: createDynamoClient(), tableName, sleep, random, destinations }),
    sender: createChannelSender({ ...environment, stackName: config.stackName, sqs, sns, channels }),
    clock: system,
    telemetry: createLogTelemetry(logger),
  };
  return compose({ logger, clock: system, readInput: readReleaseRequest }, (request) =>
    releaseAlerts(request, settings, ports),
  );
}
