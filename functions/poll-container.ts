import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { type Credential, createCredential } from '#shared/adapters/credential/credential.ts';
import { createSecretReader } from '#shared/adapters/credential/secrets-manager.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot-store.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { createWorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { createGovernor, type Governor } from '#shared/adapters/workforce-api/governor.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { createTokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import type { Connection } from '#shared/config/connection.ts';
import { readPollEnvironment } from '#shared/config/environment.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { PollPorts } from '#shared/flow/run.ts';
import type { SourceApi } from '#shared/ports.ts';

/** What a poll function keeps between invocations, made once from its environment. */
export interface PollContainer {
  readonly logger: Logger;
  readonly system: System;
  /** The ports of one poll, which must have ended at the deadline (ms since 1970). */
  portsFor(connection: Connection, deadline: number): PollPorts;
}

/** What outlives a poll: the tokens of a connection, and what was learned of the pace its source takes. */
interface Access {
  readonly governor: Governor;
  readonly credential: Credential;
  /** When the poll that uses it must have ended: a function runs one poll at a time. */
  deadline: number;
}

/** `system` is another clock, timer and dice than this process's own. */
export function createPollContainer(variables: NodeJS.ProcessEnv, system: System = ownSystem): PollContainer {
  const { sleep, random } = system;
  const { tableName, topicArns } = readPollEnvironment(variables);
  const logger = new Logger();
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE });
  const secrets = new SecretsManagerClient({ maxAttempts: 3, retryMode: 'standard' });
  const sns = new SNSClient({ maxAttempts: 3, retryMode: 'standard' });
  const accesses = new Map<string, Access>();
  const ports = {
    store: createDynamoSnapshotStore({ client: createDynamoClient(), tableName, sleep, random }),
    publisher: createSnsPublisher({ client: sns, topicArns, sleep, random }),
    clock: system,
    telemetry: createTelemetry(logger, metrics),
  };
  return {
    logger,
    system,
    portsFor(connection, deadline) {
      const key = `${connection.baseUrl} ${connection.secretName}`;
      const access = accesses.get(key) ?? accessTo(connection, { secrets, system });
      accesses.set(key, access);
      access.deadline = deadline;
      return { ...ports, source: sourceOf(connection, { access, system }) };
    },
  };
}

interface AccessOptions {
  readonly secrets: SecretsManagerClient;
  readonly system: System;
}

function accessTo({ baseUrl, requests, secretName }: Connection, options: AccessOptions): Access {
  const { now, sleep, random } = options.system;
  const deadline = () => access.deadline;
  const requestToken = createTokenRequest({ baseUrl, secretName, requests, now, deadline });
  const readSecret = createSecretReader({ client: options.secrets, secretName, now });
  const access: Access = {
    governor: createGovernor({ maxPerSecond: requests.maxPerSecond, now, sleep, random }),
    credential: createCredential({ secretName, readSecret, requestToken, now }),
    deadline: 0,
  };
  return access;
}

/** A client of its own for each poll, so that its requests are counted by themselves. */
function sourceOf({ baseUrl, requests }: Connection, from: { access: Access; system: System }): SourceApi {
  const { governor, credential, deadline } = from.access;
  const { now } = from.system;
  const api = createWorkforceApi({ baseUrl, credential, requests, governor, now, deadline: () => deadline });
  return createSourceApi(api, { pageSize: requests.pageSize, now });
}
