import type { SQSBatchResponse } from 'aws-lambda';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { createAlertParts } from './parts/alert-parts.ts';
import { composeForQueue, createLogger, entry, type Handler } from './parts/compose.ts';

/** Puts events of batches into the channels that are told of them, and sends what is due at once. */
export const handler = entry(createCollectHandler);

/** `system`: clock, timer and random numbers, which tests replace. */
export function createCollectHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<SQSBatchResponse> {
  const logger = createLogger();
  const { settings, ports } = createAlertParts(variables, system, logger);
  return composeForQueue({ logger, clock: system }, (messages) => collectAlerts(messages, settings, ports));
}
