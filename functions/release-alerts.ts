import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';
import { releaseChannels } from '#shared/people/flow/release-alerts.ts';
import { createAlertParts } from './parts/alert-parts.ts';
import { compose, createLogger, entry, type Handler } from './parts/compose.ts';

/** Sends the messages that are due. */
export const handler = entry(createReleaseHandler);

/** `system`: clock, timer and random numbers, which tests replace. */
export function createReleaseHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<void> {
  const logger = createLogger();
  const { settings, ports } = createAlertParts(variables, system, logger);
  return compose({ logger, clock: system, readInput: readReleaseRequest }, ({ scope }) =>
    releaseChannels(settings.alerting.channels, { scope, settings, ports }),
  );
}
