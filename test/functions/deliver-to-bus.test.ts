import { createContext, createQueueRecord } from './lambda.ts';
import 'aws-sdk-client-mock-vitest/extend';
import { DescribeEventBusCommand, EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { createBusHandler } from '#functions/deliver-to-bus.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { mockClient } from '#test/support/mock-client.ts';

/** The function that puts events on the bus, from its queue to the bus. */

const DEAD_LETTERS = 'https://sqs.example/dead-letters';
const VARIABLES: Record<string, string> = {
  [ENVIRONMENT.eventBus]: 'workforce',
  [ENVIRONMENT.deadLetterQueueUrl]: DEAD_LETTERS,
};
const APPROVED = buildSampleEvent('timesheet.approved');
const events = mockClient(EventBridgeClient);
const sqs = mockClient(SQSClient);

let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  for (const client of [events, sqs]) client.reset();
  events.on(DescribeEventBusCommand).resolves({});
  sqs.on(SendMessageCommand).resolves({});
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.spyOn(console, 'info').mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('an event goes on the bus byte for byte, and is logged in one line without a word of it', async () => {
  events.on(PutEventsCommand).resolves({ Entries: [{ EventId: 'b-1' }] });
  expect(await deliver(APPROVED)).toEqual({ batchItemFailures: [] });
  const { source, time } = JSON.parse(APPROVED);
  expect(events).toHaveReceivedCommandWith(PutEventsCommand, {
    Entries: [
      {
        EventBusName: 'workforce',
        Source: source,
        DetailType: 'workforce.timesheet.approved',
        Time: new Date(time),
        Detail: APPROVED,
      },
    ],
  });
  expect(lines).toMatchObject([{ outcome: 'events.forwarded', result: 'complete', messages: 1, taken: 1 }]);
  expect(JSON.stringify(lines)).not.toContain('timesheetId');
});

test('what the bus does not take returns to the queue, by itself', async () => {
  events
    .on(PutEventsCommand)
    .resolves({ Entries: [{ EventId: 'b-1' }, { ErrorCode: 'AccessDeniedException' }] });
  expect(await deliver(APPROVED, APPROVED)).toEqual({
    batchItemFailures: [{ itemIdentifier: 'queue-2' }],
  });
  expect(lines).toMatchObject([{ result: 'incomplete', reason: 'AccessDeniedException', left: 1 }]);
});

test('what is no event goes to the dead letters with its attributes', async () => {
  expect(await deliver('{}')).toEqual({ batchItemFailures: [] });
  expect(sqs).toHaveReceivedCommandWith(SendMessageCommand, {
    QueueUrl: DEAD_LETTERS,
    MessageBody: '{}',
    MessageAttributes: { connection: { DataType: 'String', StringValue: 'main' } },
  });
});

describe('bad input', () => {
  test.each(Object.keys(VARIABLES))(
    'without %s the function does not start, and the error names it',
    (name) => {
      expect(() => createBusHandler({ ...VARIABLES, [name]: undefined })).toThrow(name);
    },
  );
});

async function deliver(...bodies: readonly string[]) {
  const handler = createBusHandler(VARIABLES);
  const Records = bodies.map((body, index) =>
    createQueueRecord(`queue-${index + 1}`, body, { connection: 'main' }),
  );
  return await handler({ Records }, createContext('deliver-to-bus'));
}
