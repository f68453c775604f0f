import type { Logger } from '@aws-lambda-powertools/logger';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createStartStore } from '#shared/adapters/dynamo/deliveries/start-store.ts';
import { createEventLog } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import { createRecordStore } from '#shared/adapters/dynamo/snapshot/record-store.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createQueuePublisher } from '#shared/adapters/sns/queue-publisher.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readPublishEnvironment } from '#shared/config/environment/poll-environment.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import type { ReplayRequest } from '#shared/config/requests/replay-request.ts';
import type { SnapshotRequest } from '#shared/config/requests/snapshot-request.ts';
import type { ReplayPorts } from '#shared/replay/flow/replay-events.ts';
import type { SnapshotPorts } from '#shared/snapshots/flow/send-snapshots.ts';
import type { StartPorts } from '#shared/snapshots/flow/start-receivers.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from '../client-options.ts';
import { createLogger } from '../create-logger.ts';

/** Kept between invocations; created once from the environment of the function. */
export interface ReplayContainer {
  readonly logger: Logger;
  readonly system: System;
  portsFor(target: ReplayRequest['target']): ReplayPorts;
  /** What is sent on request carries the mark of a replay: it may have been sent before, and is wanted again. */
  snapshotPortsFor(request: Pick<SnapshotRequest, 'queueUrl'>): SnapshotPorts;
  readonly startPorts: StartPorts;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createReplayContainer(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): ReplayContainer {
  const { sleep, random } = system;
  const { tableName, topicArns } = readPublishEnvironment(variables);
  const logger = createLogger();
  const sns = new SNSClient(CLIENT_OPTIONS);
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const attributes = { [REPLAYED_ATTRIBUTE]: 'true' };
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const ports = {
    clock: system,
    sleep,
    telemetry: createLogTelemetry(logger),
  };
  return {
    logger,
    system,
    portsFor: (target) => ({
      ...ports,
      log: createEventLog(table),
      publisher:
        target.kind === 'topics'
          ? createSnsPublisher({ client: sns, topicArns, sleep, random, attributes })
          : createQueuePublisher({ client: sqs, queueUrl: target.queueUrl, attributes }),
    }),
    startPorts: {
      ...ports,
      store: createRecordStore(table),
      starts: createStartStore(table),
      publisherFor: (queueUrl) => createQueuePublisher({ client: sqs, queueUrl }),
    },
    snapshotPortsFor: ({ queueUrl }) => ({
      ...ports,
      store: createRecordStore(table),
      publisher: createQueuePublisher({ client: sqs, queueUrl, attributes }),
    }),
  };
}
