import { SNSClient } from '@aws-sdk/client-sns';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createDeliveryIndex } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createInterestStore } from '#shared/adapters/dynamo/deliveries/interest-store.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { createEndpointList } from '#shared/adapters/sns/subscribed-endpoints.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { readCheckRequest } from '#shared/config/requests/check-request.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import { type CheckReport, findWithheldDeliveries } from '#shared/systems/flow/check-deliveries.ts';
import { CLIENT_OPTIONS } from './parts/client-options.ts';
import { compose, createLogger, entry, type Handler } from './parts/compose.ts';

/** Compares what was published and is wanted with what was tried. */
export const handler = entry(createCheckHandler);

/** Time reserved for the current batch, the response and the last log line. */
const MARGIN_MS = 20_000;

const CHECK_ENVIRONMENT = { tableName: [ENVIRONMENT.tableName, textSchema] } as const;

/** `system`: clock, timer and random numbers, which tests replace. */
export function createCheckHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<CheckReport> {
  const { sleep, random } = system;
  const { tableName } = readEnvironment(CHECK_ENVIRONMENT, variables);
  const logger = createLogger();
  const table = { client: createDynamoClient(), tableName, sleep, random };
  const ports = {
    clock: system,
    telemetry: createLogTelemetry(logger),
    log: createEventLog(createDynamoStore(table)),
    deliveryStore: createDeliveryIndex(table),
    interests: createInterestStore(table),
    listEndpoints: createEndpointList(new SNSClient(CLIENT_OPTIONS)),
  };
  return compose(
    { logger, clock: system, marginMs: MARGIN_MS, readInput: readCheckRequest },
    async (request, deadline) => await findWithheldDeliveries({ request, deadline }, ports),
  );
}
