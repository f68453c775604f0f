import { Metrics } from '@aws-lambda-powertools/metrics';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createDelayedSender } from '#shared/adapters/sqs/sender.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createDelayMeter } from '#shared/adapters/telemetry/detection-delay.ts';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { readEnvironment, textSchema, topicArns } from '#shared/config/environment.ts';
import { ENVIRONMENT, METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import { poll } from '#shared/flow/poll.ts';
import { startFollowUp } from '#shared/flow/start-follow-up.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from './parts/client-options.ts';
import { compose, createLogger, entry, type Handler } from './parts/compose.ts';
import { createHeartbeats } from './parts/heartbeats.ts';
import { createSecretClients } from './parts/secret-clients.ts';
import { createSourceClients } from './parts/source-clients.ts';

/** Polls the connection in the request, and starts what follows before the next schedule by a message to its queue. */
export const handler = entry(createPollHandler);

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
  followUpQueueUrl: [ENVIRONMENT.followUpQueueUrl, textSchema],
  ...topicArns(),
} as const;

/** `system`: clock, timer and random numbers, which tests replace. */
export function createPollHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<PollReport> {
  const { now, sleep, random } = system;
  const { tableName, stackName, followUpQueueUrl, ...arns } = readEnvironment(POLL_ENVIRONMENT, variables);
  const logger = createLogger();
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: stackName });
  const secrets = createSecretClients();
  const createClient = createSourceClients({ secrets, system, patienceMs: PATIENCE_MS });
  const ports = {
    store: createDynamoStore({ client: createDynamoClient(), tableName, sleep, random }),
    publisher: createSnsPublisher({ client: new SNSClient(CLIENT_OPTIONS), topicArns: arns, sleep, random }),
    clock: system,
    telemetry: createTelemetry(logger, metrics),
    measureDelays: createDelayMeter(metrics),
  };
  const startLater = createDelayedSender(new SQSClient(SQS_CLIENT_OPTIONS), followUpQueueUrl);
  const beat = createHeartbeats({ ...ports, secrets, system });
  return compose(
    { logger, clock: system, marginMs: MARGIN_MS, readInput: readPollRequest },
    async (request, deadline) => {
      const { connection } = request;
      const source = createSourceApi(createClient(connection, deadline), now);
      const startedAt = now();
      const report = await poll({ request, deadline }, { ...ports, source });
      await startFollowUp({ request, report, startedAt }, { ...ports, startLater });
      // Once a minute is enough: a poll that follows another one has its end set.
      if (request.followUpUntil === undefined) await beat(connection, deadline);
      return report;
    },
  );
}
