import { Metrics } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { after, system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { readEnvironment, textSchema, topicArns } from '#shared/config/environment.ts';
import { ENVIRONMENT, METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { poll } from '#shared/flow/poll.ts';
import { CLIENT_OPTIONS } from './client-options.ts';
import { compose, createLogger, type Handler } from './compose.ts';
import { createHeartbeats } from './heartbeats.ts';
import { createSourceClients } from './source-clients.ts';

/** Time reserved for the response and the last log line. */
const MARGIN_MS = 1_000;
/**
 * A source that wants no request for longer than this is left alone until the next poll, which begins with the stored
 * pace: nothing is gained by waiting in this one.
 */
const PATIENCE_MS = 10_000;

export const POLL_ENVIRONMENT = {
  tableName: [ENVIRONMENT.tableName, textSchema],
  stackName: [ENVIRONMENT.stackName, textSchema],
  ...topicArns(),
} as const;

/** The handler of both functions that poll. `system`: clock, timer and random numbers, which tests replace. */
export function createPollHandler(
  feed: FeedName,
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<PollReport> {
  const { now, sleep, random } = system;
  const { tableName, stackName, ...arns } = readEnvironment(POLL_ENVIRONMENT, variables);
  const logger = createLogger();
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: stackName });
  const secrets = new SecretsManagerClient(CLIENT_OPTIONS);
  const sns = new SNSClient(CLIENT_OPTIONS);
  const createClient = createSourceClients({ secrets, system, patienceMs: PATIENCE_MS });
  const ports = {
    store: createDynamoSnapshotStore({ client: createDynamoClient(), tableName, sleep, random }),
    publisher: createSnsPublisher({ client: sns, topicArns: arns, sleep, random }),
    clock: system,
    sleep,
    after,
    telemetry: createTelemetry(logger, metrics),
  };
  const beat = createHeartbeats({ ...ports, secrets, system });
  return compose(
    { logger, clock: system, marginMs: MARGIN_MS, readInput: readPollRequest },
    async (request, deadline) => {
      const { connection } = request;
      const { pageSize } = connection.requests;
      const source = createSourceApi(createClient(connection, deadline), { pageSize, now });
      const input = { feed, request, runId: system.uniqueId(), deadline };
      const report = await poll(input, { ...ports, source });
      // Of one feed, for both: what it stores of the other says whether that is in time.
      if (feed === 'timesheets') await beat(connection, deadline);
      return report;
    },
  );
}
