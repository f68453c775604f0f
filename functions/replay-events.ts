import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDeliveryIndex } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createInterestStore } from '#shared/adapters/dynamo/deliveries/interest-store.ts';
import { createStartStore } from '#shared/adapters/dynamo/deliveries/start-store.ts';
import { createEventLog } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import { createRecordStore } from '#shared/adapters/dynamo/snapshot/record-store.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createQueuePublisher } from '#shared/adapters/sns/queue-publisher.ts';
import { createEndpointList } from '#shared/adapters/sns/subscribed-endpoints.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readEnvironment, textSchema, topicArns } from '#shared/config/environment.ts';
import { ENVIRONMENT, REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import {
  type CheckRequest,
  isCheckRequest,
  readCheckRequest,
} from '#shared/config/requests/check-request.ts';
import {
  isSnapshotRequest,
  isStartRequest,
  type ReplayReport,
  type ReplayRequest,
  readReplayRequest,
  readSnapshotRequest,
  readStartRequest,
  type SnapshotReport,
  type SnapshotRequest,
  type StartRequest,
} from '#shared/config/requests/replay-request.ts';
import { replayEvents } from '#shared/replay/flow/replay-events.ts';
import { sendSnapshots } from '#shared/snapshots/flow/send-snapshots.ts';
import { type StartReport, startReceivers } from '#shared/snapshots/flow/start-receivers.ts';
import { type CheckReport, findWithheldDeliveries } from '#shared/webhooks/flow/check-deliveries.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from './parts/client-options.ts';
import { compose, createLogger, entry, type Handler } from './parts/compose.ts';

/** Replays, sends snapshots, starts receivers with one, or checks deliveries, until it is done or time is over. */
export const handler = entry(createReplayHandler);

/** Time reserved for the current batch, the response and the last log line. */
const MARGIN_MS = 20_000;
/** What is sent on request carries the mark of a replay: it may have been sent before, and is wanted again. */
const REPLAYED = { [REPLAYED_ATTRIBUTE]: 'true' };

type Request = ReplayRequest | SnapshotRequest | StartRequest | CheckRequest;
type Report = ReplayReport | SnapshotReport | StartReport | CheckReport;

const REPLAY_ENVIRONMENT = { tableName: [ENVIRONMENT.tableName, textSchema], ...topicArns() } as const;

/** `system`: clock, timer and random numbers, which tests replace. */
export function createReplayHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<Report> {
  const { sleep, random } = system;
  const { tableName, ...arns } = readEnvironment(REPLAY_ENVIRONMENT, variables);
  const logger = createLogger();
  const sns = new SNSClient(CLIENT_OPTIONS);
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const toTopics = createSnsPublisher({ client: sns, topicArns: arns, sleep, random, attributes: REPLAYED });
  const toQueue = (queueUrl: string, attributes = {}) =>
    createQueuePublisher({ client: sqs, queueUrl, attributes });
  const ports = { clock: system, sleep, telemetry: createLogTelemetry(logger) };
  const records = { ...ports, store: createRecordStore(table) };
  const starts = createStartStore(table);
  const log = createEventLog(table);
  const [ledger, interests] = [createDeliveryIndex(table), createInterestStore(table)];
  const checking = { ...ports, log, ledger, interests, listEndpoints: createEndpointList(sns) };

  return compose(
    { logger, clock: system, marginMs: MARGIN_MS, readInput },
    async (request, deadline): Promise<Report> => {
      if ('subscriptions' in request) return await findWithheldDeliveries({ request, deadline }, checking);
      if ('receivers' in request)
        return await startReceivers({ request, deadline }, { ...records, starts, publisherFor: toQueue });
      if ('select' in request) {
        const publisher = toQueue(request.queueUrl, REPLAYED);
        return await sendSnapshots({ request, deadline }, { ...records, publisher });
      }
      const { target } = request;
      const publisher = target.kind === 'topics' ? toTopics : toQueue(target.queueUrl, REPLAYED);
      return await replayEvents({ request, deadline }, { ...ports, log, publisher });
    },
  );
}

function readInput(event: unknown): Request {
  if (isCheckRequest(event)) return readCheckRequest(event);
  if (isStartRequest(event)) return readStartRequest(event);
  return isSnapshotRequest(event) ? readSnapshotRequest(event) : readReplayRequest(event);
}
