import 'aws-sdk-client-mock-vitest/extend';
import {
  DescribeEventBusCommand,
  EventBridgeClient,
  EventBridgeServiceException,
  PutEventsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-eventbridge';
import { beforeEach, describe, expect, test } from 'vitest';
import { createEventBus } from '#shared/adapters/event-bus/event-bus.ts';
import { type BusEntry, MAX_REQUEST_BYTES } from '#shared/event-bus/bus-entry.ts';
import { mockClient } from '#test/support/mock-client.ts';

const events = mockClient(EventBridgeClient);
const TAKEN = { outcome: 'taken' };

let now: number;

beforeEach(() => {
  now = 0;
  events.reset();
  events.on(DescribeEventBusCommand).resolves({ Name: 'workforce' });
  events.on(PutEventsCommand).callsFake(({ Entries }) => ({
    FailedEntryCount: 0,
    Entries: Entries.map((_: unknown, index: number) => ({ EventId: `b-${index}` })),
  }));
});

test('an entry has the bus, the source, the type, the time and the bytes of its event', async () => {
  expect(await openBus().put([entry('e-1'), entry('e-2', { resources: ['replayed'] })])).toEqual([
    TAKEN,
    TAKEN,
  ]);
  const common = {
    EventBusName: 'workforce',
    Source: '/connections/main/timesheets',
    DetailType: 'workforce.timesheet.approved',
    Time: new Date('2026-11-22T00:00:00.000Z'),
  };
  expect(events).toHaveReceivedCommandWith(PutEventsCommand, {
    Entries: [
      { ...common, Detail: '{"id":"e-1"}' },
      { ...common, Detail: '{"id":"e-2"}', Resources: ['replayed'] },
    ],
  });
});

describe('EventBridge takes what is put on a bus that does not exist, and drops it', () => {
  test('so nothing is put there', async () => {
    events.on(DescribeEventBusCommand).rejects(new ResourceNotFoundException({ $metadata: {}, message: '' }));
    const bus = openBus();
    const missing = { outcome: 'unavailable', reason: 'bus_missing' };
    expect(await bus.put([entry('e-1'), entry('e-2')])).toEqual([missing, missing]);
    expect(events).not.toHaveReceivedCommand(PutEventsCommand);

    events.on(DescribeEventBusCommand).resolves({});
    expect(await bus.put([entry('e-1')])).toEqual([TAKEN]);
  });

  test('so the bus is looked up again after a minute', async () => {
    const bus = openBus();
    for (const at of [0, 59_999, 60_000]) {
      now = at;
      await bus.put([entry('e-1')]);
    }
    expect(events).toHaveReceivedCommandTimes(DescribeEventBusCommand, 2);
  });

  test.each([
    ['AccessDeniedException', 'client', 'unavailable'],
    ['ThrottlingException', 'client', 'busy'],
    ['InternalException', 'server', 'busy'],
  ] as const)('so nothing is put when %s keeps it from being looked up', async (name, $fault, outcome) => {
    events.on(DescribeEventBusCommand).rejects(failure(name, $fault));
    expect(await openBus().put([entry('e-1')])).toEqual([{ outcome, reason: name }]);
    expect(events).not.toHaveReceivedCommand(PutEventsCommand);
  });
});

test('every entry has its own answer', async () => {
  events.on(PutEventsCommand).resolves({
    FailedEntryCount: 4,
    Entries: [
      { EventId: 'b-1' },
      { ErrorCode: 'ThrottlingException' },
      { ErrorCode: 'MalformedDetail' },
      { ErrorCode: 'NotAuthorizedForSourceException' },
      {},
    ],
  });
  expect(await openBus().put(['1', '2', '3', '4', '5', '6'].map((id) => entry(id)))).toEqual([
    TAKEN,
    { outcome: 'busy', reason: 'ThrottlingException' },
    { outcome: 'refused', reason: 'MalformedDetail' },
    { outcome: 'unavailable', reason: 'NotAuthorizedForSourceException' },
    { outcome: 'unavailable', reason: 'answer_invalid' },
    { outcome: 'unavailable', reason: 'answer_invalid' },
  ]);
});

test.each([
  ['AccessDeniedException', 'client', 'unavailable'],
  ['ThrottlingException', 'client', 'busy'],
  ['InternalException', 'server', 'busy'],
] as const)('a request that fails with %s leaves all of its entries %s', async (name, $fault, outcome) => {
  events.on(PutEventsCommand).rejects(failure(name, $fault));
  const answer = { outcome, reason: name };
  expect(await openBus().put([entry('e-1'), entry('e-2')])).toEqual([answer, answer]);
});

test('a network that fails is busy', async () => {
  events.on(PutEventsCommand).rejects(Object.assign(new Error('canary'), { name: 'TimeoutError' }));
  expect(await openBus().put([entry('e-1')])).toEqual([{ outcome: 'busy', reason: 'TimeoutError' }]);
});

test('an event that is too large is refused alone; those beside it are put', async () => {
  const detail = 'x'.repeat(MAX_REQUEST_BYTES);
  events.on(PutEventsCommand).callsFake(({ Entries }: { Entries: { Detail: string }[] }) => {
    if (Entries.some(({ Detail }) => Detail === detail)) throw failure('ValidationException', 'client');
    return { Entries: Entries.map(() => ({ EventId: 'b' })) };
  });
  expect(await openBus().put([entry('e-1'), entry('e-2', { detail }), entry('e-3')])).toEqual([
    TAKEN,
    { outcome: 'refused', reason: 'too_large' },
    TAKEN,
  ]);
});

test('an event that is not too large is never given up for an invalid request', async () => {
  events.on(PutEventsCommand).rejects(failure('ValidationException', 'client'));
  const answer = { outcome: 'unavailable', reason: 'ValidationException' };
  expect(await openBus().put([entry('e-1'), entry('e-2')])).toEqual([answer, answer]);
});

function openBus() {
  return createEventBus({ client: new EventBridgeClient(), bus: 'workforce', now: () => now });
}

function entry(eventId: string, given: Partial<BusEntry> = {}): BusEntry {
  return {
    eventId,
    source: '/connections/main/timesheets',
    detailType: 'workforce.timesheet.approved',
    time: '2026-11-22T00:00:00.000Z',
    detail: JSON.stringify({ id: eventId }),
    resources: [],
    ...given,
  };
}

function failure(name: string, $fault: 'client' | 'server') {
  return new EventBridgeServiceException({ name, $fault, $metadata: {}, message: 'canary' });
}
