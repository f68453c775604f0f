import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { createEventBus } from '#shared/adapters/event-bus/event-bus.ts';
import { createBusDeadLetters } from '#shared/adapters/sqs/sender.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { deliverToBus } from '#shared/event-bus/flow/deliver-to-bus.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from './parts/client-options.ts';
import { composeForQueue, createLogger, entry, type Handler } from './parts/compose.ts';

/** Puts batches of events on the bus. */
export const handler = entry(createBusHandler);

export const BUS_ENVIRONMENT = {
  /** Name or ARN of the bus. */
  eventBus: [ENVIRONMENT.eventBus, textSchema],
  deadLetterQueueUrl: [ENVIRONMENT.deadLetterQueueUrl, textSchema],
} as const;

/** `system`: clock, timer and random numbers, which tests replace. */
export function createBusHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<SQSBatchResponse> {
  const { now, sleep, random } = system;
  const { eventBus, deadLetterQueueUrl } = readEnvironment(BUS_ENVIRONMENT, variables);
  const logger = createLogger();
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  const ports = {
    bus: createEventBus({ client: new EventBridgeClient(CLIENT_OPTIONS), bus: eventBus, now }),
    deadLetters: createBusDeadLetters({ client: sqs, queueUrl: deadLetterQueueUrl }),
    clock: system,
    sleep,
    random,
    telemetry: createLogTelemetry(logger),
  };
  return composeForQueue({ logger, clock: system }, (messages, deadline) =>
    deliverToBus({ messages, deadline }, ports),
  );
}
