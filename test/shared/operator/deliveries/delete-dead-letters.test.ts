import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from 'vitest';
import { deleteDeadLetters } from '#shared/operator/deliveries/resend.ts';
import { readDelivery, writeDelivery } from '#shared/systems/delivery-message.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { mockClient } from '#test/support/mock-client.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const sqs = mockClient(SQSClient);

afterEach(() => {
  sqs.reset();
});

test('only letters of the events that were sent are deleted, and none that came later', async () => {
  sqs
    .on(ReceiveMessageCommand)
    .resolvesOnce({ Messages: [letter('a', -1), letter('other', -1), letter('b', 1)] })
    .resolvesOnce({ Messages: [{ ReceiptHandle: 'none', Body: 'x', Attributes: sentAt(-1) }] })
    .resolvesOnce({ Messages: [letter('b', -2)] })
    .resolves({});
  sqs.on(DeleteMessageBatchCommand).resolves({});
  expect(await deleteLetters('a', 'b')).toBe(2);
  const deleted = sqs.commandCalls(DeleteMessageBatchCommand).map(({ args }) => args[0].input.Entries);
  expect(deleted).toEqual([[{ Id: '0', ReceiptHandle: 'a -1' }], [{ Id: '0', ReceiptHandle: 'b -2' }]]);
});

test('the queue is not asked again once all are deleted', async () => {
  sqs.on(ReceiveMessageCommand).resolves({ Messages: [letter('a', -1)] });
  sqs.on(DeleteMessageBatchCommand).resolves({});
  await deleteLetters('a');
  expect(sqs.commandCalls(ReceiveMessageCommand)).toHaveLength(1);
});

async function deleteLetters(...ids: string[]): Promise<number> {
  const client = new SQSClient({ region: 'ap-southeast-2' });
  return await deleteDeadLetters(client, { queueUrl: 'https://q', eventIds: new Set(ids), sentBefore: NOON });
}

function letter(id: string, second: number) {
  const text = JSON.stringify({ ...exampleEvent('workforce.timesheet.approved'), id });
  const delivery = readDelivery(text, { now: NOON, sentAgain: false });
  if (delivery === null) throw new Error('the sample is none');
  return {
    ReceiptHandle: `${id} ${second}`,
    Body: writeDelivery({ ...delivery, attempt: 10 }, NOON),
    Attributes: sentAt(second),
  };
}

function sentAt(second: number) {
  return { SentTimestamp: String(NOON + second * 1_000) };
}
