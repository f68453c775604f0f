import type { SQSBatchResponse } from 'aws-lambda';
import { createAlertStore, createRevertedHours } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { destinationOf } from '#shared/config/schema/channel.ts';
import { readAlerting } from '#shared/config/schema/people.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { composeForQueue, createLogger, entry, type Handler } from './parts/compose.ts';
import { findRetentionDays, readConfig } from './parts/config.ts';

/** Collects alerts from batches of events. */
export const handler = entry(createCollectHandler);

/** `system`: clock, timer and random numbers, which tests replace. */
export function createCollectHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<SQSBatchResponse> {
  const { sleep, random } = system;
  const { tableName } = readEnvironment({ tableName: [ENVIRONMENT.tableName, textSchema] }, variables);
  const config = readConfig(variables);
  const alerting = readAlerting(config);
  const logger = createLogger();
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const destinations = new Map(alerting.channels.map((channel) => [channel.name, destinationOf(channel)]));
  const settings = { alerting, retentionDays: findRetentionDays(config) };
  const ports = {
    alertStore: createAlertStore({ ...table, destinations }),
    names: createNameReader(createDynamoStore(table)),
    revertedHours: createRevertedHours(table),
    clock: system,
    telemetry: createLogTelemetry(logger),
  };
  return composeForQueue({ logger, clock: system }, (messages) => collectAlerts(messages, settings, ports));
}
