import type { Logger } from '@aws-lambda-powertools/logger';
import { toTraceParent } from '#shared/core/events/envelope.ts';
import type { OutcomeLine, Telemetry } from '#shared/flow/system.ts';

/** An event's id, which is that of the trace that it begins; an example has none. */
const TRACE_ID = /^[0-9a-f]{32}$/;

/** One log line per outcome; one about an event names its trace. In a module of its own, so that functions without metrics do not bundle their library. */
export function createLogTelemetry(logger: Pick<Logger, 'info'>): Telemetry {
  return { report: (line) => logger.info(line.outcome, { ...line, ...traceOf(line) }) };
}

function traceOf({ eventId }: OutcomeLine): { readonly traceparent?: string } {
  return typeof eventId === 'string' && TRACE_ID.test(eventId) ? { traceparent: toTraceParent(eventId) } : {};
}
