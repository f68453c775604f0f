import type { Logger } from '@aws-lambda-powertools/logger';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { createNameSource } from '#shared/adapters/workforce-api/name-source.ts';
import { readNamesEnvironment } from '#shared/config/environment/names-environment.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { RefreshNamesPorts } from '#shared/names/flow/refresh-names.ts';
import { CLIENT_OPTIONS } from '../client-options.ts';
import { createLogger } from '../create-logger.ts';
import { createSourceClients } from '../source-clients.ts';

/** Kept between invocations; created once from the environment of the function. */
export interface NamesContainer {
  readonly logger: Logger;
  readonly system: System;
  /** Ports of one refresh that must end before the deadline (ms since 1970). */
  portsFor(connection: Connection, deadline: number): RefreshNamesPorts;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createNamesContainer(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): NamesContainer {
  const { now, sleep, random } = system;
  const { tableName } = readNamesEnvironment(variables);
  const logger = createLogger();
  const secrets = new SecretsManagerClient(CLIENT_OPTIONS);
  const createClient = createSourceClients({ secrets, system });
  const ports = {
    store: createNameStore({ client: createDynamoClient(), tableName, now, sleep, random }),
    clock: system,
    telemetry: createLogTelemetry(logger),
  };
  return {
    logger,
    system,
    portsFor: (connection, deadline) => ({
      ...ports,
      source: createNameSource(createClient(connection, deadline)),
    }),
  };
}
