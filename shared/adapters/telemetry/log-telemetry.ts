import type { Logger } from '@aws-lambda-powertools/logger';
import type { Telemetry } from '#shared/flow/system.ts';

/** One log line per outcome. In a module of its own, so that functions without metrics do not bundle their library. */
export function createLogTelemetry(logger: Pick<Logger, 'info'>): Telemetry {
  return { report: (line) => logger.info(line.outcome, line) };
}
