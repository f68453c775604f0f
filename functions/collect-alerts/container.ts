import { Logger } from '@aws-lambda-powertools/logger';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { readCollectEnvironment } from '#shared/config/environment/alert-environment.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import { destinationOf } from '#shared/config/schema/channel.ts';
import type { CollectPorts, CollectSettings } from '#shared/flow/alerts/collection.ts';
import type { OutcomeLine } from '#shared/ports.ts';

/** What the function keeps between invocations, made once from its environment. */
export interface CollectContainer {
  readonly logger: Logger;
  readonly settings: CollectSettings;
  readonly ports: CollectPorts;
}

/** `system` is another clock, timer and dice than this process's own. */
export function createCollectContainer(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): CollectContainer {
  const { now, sleep, random } = system;
  const { tableName, alerting, retentionDays } = readCollectEnvironment(variables);
  const logger = new Logger();
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const destinations = new Map(alerting.channels.map((channel) => [channel.name, destinationOf(channel)]));
  return {
    logger,
    settings: { alerting, retentionDays, replayedAttribute: REPLAYED_ATTRIBUTE },
    ports: {
      alertStore: createAlertStore({ ...table, destinations }),
      store: createDynamoSnapshotStore(table),
      directory: createNameStore({ ...table, now }),
      clock: system,
      telemetry: { report: (line: OutcomeLine) => logger.info(line.outcome, line) },
    },
  };
}
