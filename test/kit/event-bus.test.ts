import { describe, expect, test } from 'vitest';
import { parseEvent } from '#kit/parse-event.ts';
import { timesheetStateSchema } from '#shared/core/records/timesheet.ts';
import { exampleEvent } from '#test/support/example-event.ts';

/** As docs/subscribing.md shows it. */
const PATTERN = JSON.parse(`
{
  "source": [{ "prefix": "/connections/main/" }],
  "detail-type": [
    "workforce.timesheet.approved",
    "workforce.timesheet.approval_revoked",
    "workforce.timesheet.changed",
    "workforce.timesheet.removed"
  ],
  "detail": {
    "data": {
      "$or": [{ "departmentId": ["202_1"] }, { "previous": { "departmentId": ["202_1"] } }]
    }
  }
}
`);

const APPROVED = exampleEvent('workforce.timesheet.approved');

describe('an event from a rule of EventBridge', () => {
  test.each([
    ['to a Lambda', inBusEnvelope(APPROVED)],
    ['to a queue', { body: JSON.stringify(inBusEnvelope(APPROVED)), messageAttributes: {} }],
    ['to a topic', { Sns: { Type: 'Notification', Message: JSON.stringify(inBusEnvelope(APPROVED)) } }],
    [
      'to a queue of a topic',
      { body: JSON.stringify({ Type: 'Notification', Message: JSON.stringify(inBusEnvelope(APPROVED)) }) },
    ],
    ['as text', JSON.stringify(inBusEnvelope(APPROVED))],
  ])('%s is read', (_, message) => {
    expect(parseEvent(message)).toEqual({ outcome: 'event', event: APPROVED });
  });

  test('is an example by its id', () => {
    const example = { ...APPROVED, id: 'example-1' };
    expect(parseEvent(inBusEnvelope(example))).toEqual({ outcome: 'example', event: example });
  });

  test('is invalid when its detail is of another sender', () => {
    expect(parseEvent({ ...inBusEnvelope(APPROVED), detail: { instance: 'i-1' } }).outcome).toBe('invalid');
  });
});

test('the pattern of the guide names members that an event has', () => {
  expect(PATTERN['detail-type']).toContain(APPROVED.type);
  expect(APPROVED.source).toMatch(new RegExp(`^${PATTERN.source[0].prefix}`));
  const [now, before] = PATTERN.detail.data.$or;
  expect(now.departmentId).toEqual([APPROVED.data.departmentId]);
  expect(Object.keys(before.previous)).toEqual(['departmentId']);
  expect(timesheetStateSchema.shape).toHaveProperty('departmentId');
});

/** What EventBridge sends to the target of a rule. */
function inBusEnvelope(event: typeof APPROVED) {
  return {
    version: '0',
    id: '17793124-05d4-b198-2fde-7ededc63b103',
    'detail-type': event.type,
    source: event.source,
    account: '123456789012',
    time: event.time,
    region: 'ap-southeast-2',
    resources: [],
    detail: event,
  };
}
