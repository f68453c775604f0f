import type { Logger } from '@aws-lambda-powertools/logger';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createRevertedHours } from '#shared/adapters/dynamo/alerts/reverted-hours.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { createRecordStore } from '#shared/adapters/dynamo/snapshot/record-store.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import type { AlertSettings, CollectPorts } from '#shared/alerts/flow/collection.ts';
import { readCollectEnvironment } from '#shared/config/environment/alert-environment.ts';
import { destinationOf } from '#shared/config/schema/channel.ts';
import { createLogger } from '../create-logger.ts';

/** Kept between invocations; created once from the environment of the function. */
export interface CollectContainer {
  readonly logger: Logger;
  readonly settings: AlertSettings;
  readonly ports: CollectPorts;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createCollectContainer(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): CollectContainer {
  const { now, sleep, random } = system;
  const { tableName, alerting, retentionDays } = readCollectEnvironment(variables);
  const logger = createLogger();
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const destinations = new Map(alerting.channels.map((channel) => [channel.name, destinationOf(channel)]));
  return {
    logger,
    settings: { alerting, retentionDays },
    ports: {
      alertStore: createAlertStore({ ...table, destinations }),
      store: createRecordStore(table),
      directory: createNameStore({ ...table, now }),
      revertedHours: createRevertedHours(table),
      clock: system,
      telemetry: createLogTelemetry(logger),
    },
  };
}
