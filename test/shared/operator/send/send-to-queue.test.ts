import { ReceiveMessageCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resendTo } from '#shared/operator/deliveries/resend.ts';
import { sendToQueue } from '#shared/operator/send/send-to-queue.ts';
import type { Target } from '#shared/operator/target.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { mockClient } from '#test/support/mock-client.ts';

/** Requests to SQS when events are sent by hand. */

const QUEUE = 'https://sqs.example/queue';
const sqs = mockClient(SQSClient);
let slept: number[];
let counts: number[];

beforeEach(() => {
  slept = [];
  counts = [];
});

afterEach(() => {
  sqs.reset();
});

test('ten in a request, in order, with pauses that leave the receiver room', async () => {
  sqs.on(SendMessageBatchCommand).resolves({});
  const texts = Array.from({ length: 23 }, (_, index) => buildEvent(index));
  await send(texts);
  expect(listRequests().map((entries) => entries.length)).toEqual([10, 10, 3]);
  expect(listRequests().flatMap((entries) => entries.map(({ MessageBody }) => MessageBody))).toEqual(texts);
  expect(slept).toEqual([50, 50]);
  expect(counts).toEqual([10, 20, 23]);
});

test('no request is larger than SQS takes', async () => {
  sqs.on(SendMessageBatchCommand).resolves({});
  await send(Array.from({ length: 5 }, (_, index) => buildEvent(index, 'x'.repeat(100_000))));
  expect(listRequests().map((entries) => entries.length)).toEqual([2, 2, 1]);
});

test('an event that is named twice is sent once', async () => {
  sqs.on(SendMessageBatchCommand).resolves({});
  sqs.on(ReceiveMessageCommand).resolves({});
  const deliveries = [1, 2, 1].map((index) => ({ eventId: `event-${index}`, text: buildEvent(index) }));
  await resendTo('payroll', deliveries, targetOf());
  const sent = listRequests().flatMap((entries) => entries.map(({ MessageBody }) => MessageBody));
  expect(sent).toEqual([buildEvent(1), buildEvent(2)]);
});

test('a refusal ends it, and says how many were sent', async () => {
  sqs
    .on(SendMessageBatchCommand)
    .resolvesOnce({})
    .resolves({ Failed: [{ Id: '0', Code: 'AccessDenied', SenderFault: true }], Successful: [] });
  const texts = Array.from({ length: 12 }, (_, index) => buildEvent(index));
  await expect(send(texts)).rejects.toThrow(
    `11 events were sent, then the queue ${QUEUE} refused some (AccessDenied); run the command again`,
  );
  expect(counts).toEqual([10, 11]);
});

test.each([
  ['AccessDenied', /name the ARN of your role in operators of app\.ts/],
  ['QueueDoesNotExist', /^no$/],
])(
  'a queue that denies it says whom the app must name, and no other failure does: %s',
  async (name, message) => {
    sqs.on(SendMessageBatchCommand).rejects(Object.assign(new Error('no'), { name }));
    await expect(send([buildEvent(1)])).rejects.toThrow(message);
  },
);

async function send(texts: readonly string[]): Promise<void> {
  await sendToQueue(texts, QUEUE, { target: targetOf(), onSent: (count) => void counts.push(count) });
}

function targetOf(): Target {
  const client = new SQSClient({ region: 'ap-southeast-2' });
  const system = { sleep: async (milliseconds: number) => void slept.push(milliseconds) };
  return { sqs: client, system, part: () => QUEUE } as unknown as Target;
}

function listRequests() {
  return sqs.commandCalls(SendMessageBatchCommand).map(({ args }) => args[0].input.Entries ?? []);
}

function buildEvent(index: number, note = ''): string {
  const event = exampleEvent('workforce.timesheet.approved');
  return JSON.stringify({ ...event, id: `event-${index}`, data: { ...event.data, note } });
}
