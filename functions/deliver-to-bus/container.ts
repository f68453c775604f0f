import type { Logger } from '@aws-lambda-powertools/logger';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createEventBus } from '#shared/adapters/event-bus/event-bus.ts';
import { createBusDeadLetters } from '#shared/adapters/sqs/bus-dead-letters.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { readBusEnvironment } from '#shared/config/environment/bus-environment.ts';
import type { BusPorts } from '#shared/event-bus/flow/deliver-to-bus.ts';
import { CLIENT_OPTIONS, SQS_CLIENT_OPTIONS } from '../client-options.ts';
import { createLogger } from '../create-logger.ts';

/** Kept between invocations; created once from the environment of the function. */
export interface BusContainer {
  readonly logger: Logger;
  readonly system: System;
  readonly ports: BusPorts;
}

/** `system`: clock, timer and random numbers, which tests replace. */
export function createBusContainer(variables: NodeJS.ProcessEnv, system: System = ownSystem): BusContainer {
  const { now, sleep, random } = system;
  const { eventBus, deadLetterQueueUrl } = readBusEnvironment(variables);
  const logger = createLogger();
  const sqs = new SQSClient(SQS_CLIENT_OPTIONS);
  return {
    logger,
    system,
    ports: {
      bus: createEventBus({ client: new EventBridgeClient(CLIENT_OPTIONS), bus: eventBus, now }),
      deadLetters: createBusDeadLetters({ client: sqs, queueUrl: deadLetterQueueUrl }),
      clock: system,
      sleep,
      random,
      telemetry: createLogTelemetry(logger),
    },
  };
}
