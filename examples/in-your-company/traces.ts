import { randomBytes } from 'node:crypto';
import type { WorkforceEvent } from 'workforce-change-notifier';

/** What a consumer did with an event. */
export interface Work {
  readonly event: WorkforceEvent;
  /** `pay`, for example. */
  readonly name: string;
  /** Name of the service that did it. */
  readonly service: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A span in the trace of its event, as OTLP over HTTP takes it in JSON: POST it to `/v1/traces` of a collector. */
export function toOtlpSpan({ event, name, service, startMs, endMs }: Work): object {
  const [, traceId, parentSpanId] = event.traceparent.split('-');
  const span = {
    ...{ traceId, parentSpanId, spanId: randomBytes(8).toString('hex'), name },
    kind: 5, // consumer
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${endMs}000000`,
    attributes: [toAttribute('messaging.message.id', event.id), toAttribute('cloudevents.type', event.type)],
  };
  const resource = { attributes: [toAttribute('service.name', service)] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
}

/** The same as a segment for `PutTraceSegments` of X-Ray, which writes the id of a trace in its own way. */
export function toXRaySegment({ event, name, service, startMs, endMs }: Work): object {
  const [, traceId = '', parentId] = event.traceparent.split('-');
  return {
    trace_id: `1-${traceId.slice(0, 8)}-${traceId.slice(8)}`,
    ...{ parent_id: parentId, id: randomBytes(8).toString('hex'), name: service },
    start_time: startMs / 1_000,
    end_time: endMs / 1_000,
    annotations: { work: name, event_type: event.type },
  };
}

function toAttribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}
