import { expect, test } from 'vitest';
import { EXAMPLE_EVENTS } from 'workforce-change-notifier/testing';
import { toOtlpSpan, toXRaySegment } from '../../examples/in-your-company/traces.ts';

const event = EXAMPLE_EVENTS['workforce.timesheet.approved'];
const startMs = Date.parse('2026-11-12T05:16:01.250Z');
const work = { event, name: 'pay', service: 'payroll', startMs, endMs: startMs + 40 };
const [, , parent] = event.traceparent.split('-');

test('a span is in the trace that its event begins, whose id is that of the event', () => {
  const span = { traceId: event.id, parentSpanId: parent, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) };
  const times = { startTimeUnixNano: '1794460561250000000', endTimeUnixNano: '1794460561290000000' };
  expect(toOtlpSpan(work)).toMatchObject({
    resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...times }] }] }],
  });
});

test('a segment is in the same trace, in the form of X-Ray', () => {
  const segment = toXRaySegment(work) as { trace_id: string };
  expect(segment).toMatchObject({ parent_id: parent, start_time: startMs / 1_000, name: 'payroll' });
  expect(segment.trace_id).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  expect(segment.trace_id.slice(2).replace('-', '')).toBe(event.id);
});
