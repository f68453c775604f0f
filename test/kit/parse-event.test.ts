import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  isPayPeriodEvent,
  isRecordEvent,
  isTimesheetEvent,
  parseEvent,
  type WorkforceEvent,
} from 'workforce-change-notifier';
import { SHORT_EVENT_TYPES, toEventType } from '#shared/core/event-types.ts';
import { inBusEnvelope } from '#test/support/bus-envelope.ts';
import { exampleEvent } from '#test/support/example-event.ts';

const TEXT = JSON.stringify(exampleEvent('workforce.timesheet.approved'));
const EVENT = JSON.parse(TEXT);

/** Every form of message. */
const CARRIERS: readonly (readonly [string, unknown])[] = [
  ['the event itself', EVENT],
  ['the body of a raw message or of a webhook', TEXT],
  ['the bytes of it', new TextEncoder().encode(TEXT)],
  ['a Buffer of it', Buffer.from(TEXT)],
  ['an SNS envelope', notification(TEXT)],
  ['the body of a message that is not raw', JSON.stringify(notification(TEXT))],
  ["a queue's record of a Lambda", record(TEXT)],
  ["a queue's record with an SNS envelope", record(JSON.stringify(notification(TEXT)))],
  ['a record of a Lambda that SNS invokes', { EventSource: 'aws:sns', Sns: notification(TEXT) }],
  ['a message of ReceiveMessage', { MessageId: '1', ReceiptHandle: 'r', Body: TEXT }],
  ['a record with attributes', record(TEXT, { type: { stringValue: EVENT.type } })],
  ['what a rule of EventBridge sends to a Lambda', inBusEnvelope(EVENT)],
  ['what it sends to a queue', record(JSON.stringify(inBusEnvelope(EVENT)))],
  ['what it sends to a topic', { Sns: notification(JSON.stringify(inBusEnvelope(EVENT))) }],
  [
    'what it sends to a queue of a topic',
    record(JSON.stringify(notification(JSON.stringify(inBusEnvelope(EVENT))))),
  ],
];

describe('parseEvent', () => {
  it.each(CARRIERS)('reads %s', (_, input) => {
    expect(parseEvent(input)).toEqual({ outcome: 'event', event: EVENT });
  });

  it('knows the data of an event by its type', () => {
    const parsed = parseEvent(TEXT);
    if (parsed.outcome !== 'event' || parsed.event.type !== 'workforce.timesheet.approved') throw new Error();
    expectTypeOf(parsed.event).toEqualTypeOf<WorkforceEvent<'workforce.timesheet.approved'>>();
    expectTypeOf(parsed.event.data.current.hoursToPay).toEqualTypeOf<number>();
    expectTypeOf(parsed.event.data).not.toHaveProperty('account');
    expect(parsed.event.data.current.hoursToPay).toBe(7.5);
  });

  it('distinguishes timesheets, pay periods, other records and operations', () => {
    const kindOf = (event: WorkforceEvent) =>
      [isRecordEvent, isTimesheetEvent, isPayPeriodEvent].map((is) => Number(is(event))).join('');
    const kinds = SHORT_EVENT_TYPES.map((type) => {
      const parsed = parseEvent(JSON.stringify(exampleEvent(toEventType(type))));
      return `${type === 'employee.forgotten' ? type : type.split('.')[0]} ${parsed.outcome === 'event' ? kindOf(parsed.event) : ''}`;
    });
    expect(new Set(kinds)).toEqual(
      new Set([
        'timesheet 110',
        'employee.forgotten 100',
        'pay_period 101',
        'employee 100',
        'department 100',
        ...['baseline', 'trouble', 'feed'].map((name) => `${name} 000`),
      ]),
    );
  });
});

describe('an event of a newer sender', () => {
  it('may have more members, everywhere', () => {
    const event = changed((copy) => {
      copy.tracestate = 'acme=1';
      copy.data.reason = { code: 7 };
      copy.data.current.costCentre = 'K1';
      copy.data.current.clockIn.source = 'face';
      copy.data.observed.precision = 'minute';
    });
    expect(parseEvent(event)).toEqual({ outcome: 'event', event });
  });

  it('may have more enum values, and longer texts and lists', () => {
    const event = changed((copy) => {
      copy.data.late = ['approval', 'audit'];
      copy.data.current.approvedPayroll = 'P'.repeat(5_000);
    });
    expect(parseEvent(event)).toMatchObject({ outcome: 'event', event });
    const [leftOver] = exampleEvent('workforce.pay_period.closed').data.account?.leftOver ?? [];
    if (leftOver === undefined) throw new Error('the example leaves nothing over');
    const all = Array.from({ length: 80 }, () => ({ ...leftOver, missing: ['audit'] }));
    const closed = exampleEvent('workforce.pay_period.closed', { data: { account: { leftOver: all } } });
    expect(parseEvent(closed)).toMatchObject({ outcome: 'event', event: closed });
    const baseline = exampleEvent('workforce.baseline.completed', { data: { feed: 'employees' } });
    expect(parseEvent(baseline)).toMatchObject({ outcome: 'event', event: baseline });
  });

  it.each([
    ['of a new type', { type: 'workforce.timesheet.teleported' }],
    [
      'of a new version of a type',
      { dataschema: 'urn:workforce-change-notifier:schema:timesheet.approved:2' },
    ],
    ['of a type that is called like something of JavaScript', { type: 'constructor' }],
  ])('may be %s: it can be taken, and told apart', (_, members) => {
    const event = { ...EVENT, ...members };
    expect(parseEvent(record(JSON.stringify(event)))).toEqual({
      outcome: 'unknown_type',
      event,
    });
  });
});

it('an example is recognized in every form of message', () => {
  const example = { ...EVENT, id: 'example-7b0f' };
  const text = JSON.stringify(example);
  for (const message of [example, text, notification(text), record(text), inBusEnvelope(example)]) {
    expect(parseEvent(message)).toEqual({ outcome: 'example', event: example });
  }
});

describe('an invalid message', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'Invalid input: expected object, received undefined'],
    ['an empty text', ' ', 'the text is empty'],
    ['no JSON', '{"secret', 'the text is not JSON'],
    ['a number', 7, 'Invalid input: expected object, received number'],
    ['a list', [EVENT], 'Invalid input: expected object, received array'],
    ['an empty object', {}, 'specversion: Invalid input: expected "1.0"'],
    [
      'a confirmation of SNS',
      { ...notification(TEXT), Type: 'SubscriptionConfirmation' },
      'an SNS message of type SubscriptionConfirmation is not an event',
    ],
    [
      'what EventBridge sends of another sender',
      { ...inBusEnvelope(EVENT), detail: { instance: 'i-1' } },
      'specversion: Invalid input: expected "1.0"',
    ],
    ['a text in a text, without end', wrapped(TEXT, 9), 'too many nested envelopes'],
    [
      'an event without its data',
      { ...EVENT, data: undefined },
      'data: Invalid input: expected object, received undefined',
    ],
    ['an event of no sequence', { ...EVENT, sequence: 0 }, 'sequence: Too small: expected number to be >=1'],
    [
      'an event without a value that it promises',
      changed((copy) => {
        delete copy.data.current.hoursToPay;
      }),
      'data.current.hoursToPay: Invalid input: expected number, received undefined',
    ],
    [
      'an event with a value of another kind',
      changed((copy) => {
        copy.data.observed.by = 'yesterday';
      }),
      'data.observed.by: Invalid ISO datetime',
    ],
  ])('%s is refused with the reason, without its values', (_, input, issue) => {
    const parsed = parseEvent(input);
    expect(parsed.outcome === 'invalid' && parsed.issues[0]).toBe(issue);
  });
});

function notification(message: string): object {
  return {
    Type: 'Notification',
    MessageId: '8f1c',
    TopicArn: 'arn:aws:sns:ap-southeast-2:123456789012:workforce-notifier-timesheets',
    Message: message,
    MessageAttributes: { type: { Type: 'String', Value: EVENT.type } },
  };
}

function record(body: string, messageAttributes: object = {}): object {
  return { messageId: '19dd', receiptHandle: 'r', body, messageAttributes, eventSource: 'aws:sqs' };
}

function wrapped(text: string, times: number): string {
  return times === 0 ? text : JSON.stringify(wrapped(text, times - 1));
}

// biome-ignore lint/suspicious/noExplicitAny: tests spoil events in ways that no type allows
function changed(change: (copy: any) => void): object {
  const copy = structuredClone(EVENT);
  change(copy);
  return copy;
}
