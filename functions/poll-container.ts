import type { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { after, system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { readPollEnvironment } from '#shared/config/environment/poll-environment.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import { CLIENT_OPTIONS } from './client-options.ts';
import { createLogger } from './create-logger.ts';
import { createSourceClients } from './source-clients.ts';

/**
 * A source that wants no request for longer than this is left alone until the next poll, which begins with the stored
 * pace: nothing is gained by waiting in this one.
 */
const PATIENCE_MS = 10_000;

/** Kept between invocations; created once from the environment of the function. */
export interface PollContainer {
  readonly logger: Logger;
  readonly system: System;
  /** Ports of one poll that must end before the deadline (ms since 1970). */
  portsFor(connection: Connection, deadline: number): PollPorts;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createPollContainer(variables: NodeJS.ProcessEnv, system: System = ownSystem): PollContainer {
  const { sleep, random } = system;
  const { tableName, topicArns, stackName } = readPollEnvironment(variables);
  const logger = createLogger();
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: stackName });
  const secrets = new SecretsManagerClient(CLIENT_OPTIONS);
  const sns = new SNSClient(CLIENT_OPTIONS);
  const createClient = createSourceClients({ secrets, system, patienceMs: PATIENCE_MS });
  const ports = {
    store: createDynamoSnapshotStore({ client: createDynamoClient(), tableName, sleep, random }),
    publisher: createSnsPublisher({ client: sns, topicArns, sleep, random }),
    clock: system,
    sleep,
    after,
    telemetry: createTelemetry(logger, metrics),
  };
  return {
    logger,
    system,
    portsFor(connection, deadline) {
      const { pageSize } = connection.requests;
      const source = createSourceApi(createClient(connection, deadline), { pageSize, now: system.now });
      return { ...ports, source };
    },
  };
}
