import 'aws-sdk-client-mock-vitest/extend';
import { PublishCommand, SNSClient, SNSServiceException } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, test } from 'vitest';
import { createChannelSender } from '#shared/adapters/channels/channel-sender.ts';
import { peopleSchema } from '#shared/config/schema/people.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import { type Message, messageSchema } from '#shared/people/message.ts';
import { mockClient } from '#test/support/mock-client.ts';

const sqs = mockClient(SQSClient);
const sns = mockClient(SNSClient);
const { channels } = peopleSchema.parse({
  channels: [
    { kind: 'slack', name: 'payroll', secretName: 's' },
    { kind: 'slack', name: 'new', secretName: 's' },
    { kind: 'email', name: 'office', addresses: ['office@acme.example'] },
  ],
});
const QUEUE_URL = 'https://sqs.local/0/notifier-test-teams-board.fifo';
const MESSAGE: Message = {
  id: 'f'.repeat(32),
  heading: 'Käthe <!channel> was removed',
  lines: [{ spans: ['one'] }, { spans: [{ bold: 'two' }], isInner: true }],
  more: 3,
  urgent: false,
  at: Date.parse('2026-03-05T01:00:00Z'),
  timeZone: 'Pacific/Auckland',
};

beforeEach(() => {
  for (const client of [sqs, sns]) client.reset();
  sqs.on(SendMessageCommand).resolves({});
  sns.on(PublishCommand).resolves({});
});

test('a message for Slack goes to the queue of its channel, in order and once', async () => {
  await sender().send('payroll', MESSAGE);

  const { MessageBody = '', ...input } = sqs.commandCalls(SendMessageCommand)[0]?.args[0].input ?? {};
  expect(input).toEqual({
    QueueUrl: 'https://sqs.local/0/notifier-test-slack-payroll.fifo',
    MessageGroupId: 'payroll',
    MessageDeduplicationId: MESSAGE.id,
  });
  expect(messageSchema.parse(JSON.parse(MessageBody))).toEqual(MESSAGE);
  expect(sns).not.toHaveReceivedAnyCommand();
});

test('what not every queue takes is escaped', async () => {
  const heading = 'Ana \u{1F600} Lee\uFFFF was removed';
  await sender().send('payroll', { ...MESSAGE, heading });

  const { MessageBody = '' } = sqs.commandCalls(SendMessageCommand)[0]?.args[0].input ?? {};
  expect(MessageBody).toMatch(/^[ -\uD7FF\uE000-\uFFFD]*$/);
  expect(messageSchema.parse(JSON.parse(MessageBody)).heading).toBe(heading);
});

test('a mail goes to the topic, marked with its channel', async () => {
  await sender().send('office', MESSAGE);

  const { subject, body } = buildMail(MESSAGE, { channel: 'office', stackName: 'notifier-test' });
  expect(sns).toHaveReceivedCommandExactlyOnceWith(PublishCommand, {
    TopicArn: 'arn:alerts',
    Subject: subject,
    Message: body,
    MessageAttributes: { channel: { DataType: 'String', StringValue: 'office' } },
  });
  expect(sqs).not.toHaveReceivedAnyCommand();
});

describe('what is not taken', () => {
  const later = 'was not accepted (InternalError); it is sent again by the next run';
  const SEE = 'see dead-letters in docs/runbook.md';
  test.each([
    ['payroll', 'InternalError', 'outlet_failed', later],
    ['office', 'InternalError', 'outlet_failed', later],
    ['payroll', 'InvalidMessageContents', 'outlet_refused', `is refused (InvalidMessageContents); ${SEE}`],
    [
      'office',
      'InvalidParameterException',
      'outlet_refused',
      `is refused (InvalidParameterException); ${SEE}`,
    ],
  ])('for "%s" (%s) is an error: %s', async (channel, name, code, says) => {
    const metadata = { $fault: 'client', $metadata: {}, name, message: 'canary' } as const;
    sqs.on(SendMessageCommand).rejects(new SQSServiceException(metadata));
    sns.on(PublishCommand).rejects(new SNSServiceException(metadata));
    await expect(sender().send(channel, MESSAGE)).rejects.toMatchObject({
      ...{ code, retryable: code === 'outlet_failed' },
      message: `a message for "${channel}" ${says}`,
    });
  });

  test.each([
    ['nobody', QUEUE_URL],
    ['new', undefined],
  ])('because there is no way to "%s" says what to do', async (channel, chatQueueUrl) => {
    await expect(sender({ chatQueueUrl }).send(channel, MESSAGE)).rejects.toMatchObject({
      code: 'channel_unknown',
      message: `the channel "${channel}" is not known; deploy the stack with it in people.channels`,
    });
  });
});

function sender(more: { readonly chatQueueUrl?: string | undefined } = {}) {
  return createChannelSender({
    sqs: new SQSClient({ region: 'local' }),
    sns: new SNSClient({ region: 'local' }),
    channels,
    chatQueueUrl: QUEUE_URL,
    alertsTopicArn: 'arn:alerts',
    stackName: 'notifier-test',
    ...more,
  });
}
