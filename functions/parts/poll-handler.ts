import { Metrics } from '@aws-lambda-powertools/metrics';
import { SNSClient } from '@aws-sdk/client-sns';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { createSecretReader, type SecretClients } from '#shared/adapters/secrets/secret-reader.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { after, system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createDelayMeter } from '#shared/adapters/telemetry/detection-delay.ts';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { createWebhookClient } from '#shared/adapters/webhook/client.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { readEnvironment, textSchema, topicArns } from '#shared/config/environment.ts';
import { ENVIRONMENT, METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { poll } from '#shared/flow/poll.ts';
import { type StartLater, startFollowUp } from '#shared/flow/start-follow-up.ts';
import type { Telemetry } from '#shared/flow/system.ts';
import { type HeartbeatPorts, sendHeartbeat } from '#shared/systems/flow/send-heartbeat.ts';
import { CLIENT_OPTIONS } from './client-options.ts';
import { compose, createLogger, type Handler } from './compose.ts';
import { createSecretClients } from './secret-clients.ts';
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

interface PollHandlerOptions {
  /** Without it, nothing follows a poll before the next scheduled one. */
  readonly startLater?: StartLater | undefined;
  /** Clock, timer and random numbers, which tests replace. */
  readonly system?: System;
}

/** The handler of both functions that poll. `feed`: what it polls unless a request names another. */
export function createPollHandler(
  feed: FeedName,
  variables: NodeJS.ProcessEnv,
  { startLater, system = ownSystem }: PollHandlerOptions = {},
): Handler<PollReport> {
  const { now, sleep, random } = system;
  const { tableName, stackName, ...arns } = readEnvironment(POLL_ENVIRONMENT, variables);
  const logger = createLogger();
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: stackName });
  const secrets = createSecretClients();
  const sns = new SNSClient(CLIENT_OPTIONS);
  const createClient = createSourceClients({ secrets, system, patienceMs: PATIENCE_MS });
  const ports = {
    store: createDynamoSnapshotStore({ client: createDynamoClient(), tableName, sleep, random }),
    publisher: createSnsPublisher({ client: sns, topicArns: arns, sleep, random }),
    clock: system,
    after,
    telemetry: createTelemetry(logger, metrics),
    measureDelays: createDelayMeter(metrics),
  };
  const beat = createHeartbeats({ ...ports, secrets, system });
  return compose(
    { logger, clock: system, marginMs: MARGIN_MS, readInput: readPollRequest },
    async (request, deadline) => {
      const { connection } = request;
      const { pageSize } = connection.requests;
      const source = createSourceApi(createClient(connection, deadline), { pageSize, now });
      const input = { feed: request.feed ?? feed, request, runId: system.uniqueId(), deadline };
      const report = await poll(input, { ...ports, source });
      if (startLater !== undefined) await startFollowUp(request, report, { ...ports, startLater });
      // Of one feed, for both: what it stores of the other says whether that is in time.
      if (input.feed === 'timesheets' && request.scope !== 'owed') await beat(connection, deadline);
      return report;
    },
  );
}

/** Whoever listens answers at once, and the function is paid for while it waits. */
const TIMEOUT_MS = 5_000;

interface HeartbeatOptions {
  readonly secrets: SecretClients;
  readonly system: Pick<System, 'now'>;
  readonly store: HeartbeatPorts['store'];
  readonly telemetry: Telemetry;
}

/** Kept between invocations. */
interface Address {
  readonly read: HeartbeatPorts['readAddress'];
  isFailing: boolean;
}

/**
 * Sends the heartbeat of a connection that has one, before the deadline (ms since 1970). A failure is logged when it
 * begins and when it is over, by each process: the address itself tells that nothing arrives.
 */
export function createHeartbeats({
  secrets,
  system: { now },
  store,
  telemetry,
}: HeartbeatOptions): (connection: Connection, deadline: number) => Promise<void> {
  const addresses = new Map<string, Address>();
  const open = (secretName: string): Address => {
    const read = createSecretReader({ clients: secrets, secretName, now });
    return { read: async () => (await read({ fresh: false })).trim(), isFailing: false };
  };
  return async ({ name: connection, heartbeat }, deadline) => {
    const timeoutMs = Math.min(TIMEOUT_MS, deadline - now());
    if (heartbeat === undefined || timeoutMs <= 0) return;
    const { secretName, allow } = heartbeat;
    const address = addresses.get(secretName) ?? open(secretName);
    addresses.set(secretName, address);
    const client = createWebhookClient({ allow, now, timeoutMs });
    const ports = { store, readAddress: address.read, client, clock: { now } };
    const sent = await sendHeartbeat(connection, ports);
    if (sent.outcome === 'failed' && !address.isFailing)
      telemetry.report({ outcome: 'heartbeat.failed', connection, reason: sent.reason });
    if (sent.outcome === 'sent' && address.isFailing)
      telemetry.report({ outcome: 'heartbeat.resumed', connection });
    if (sent.outcome !== 'held') address.isFailing = sent.outcome === 'failed';
  };
}
