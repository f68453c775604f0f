import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { CHANNEL_ATTRIBUTE } from '#shared/config/names.ts';
import { toChatQueueName } from '#shared/config/part-names.ts';
import type { Channel, ChatChannel } from '#shared/config/schema/channel.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { toQueueSafeJson } from '#shared/core/queue-safe-json.ts';
import type { ChannelSender } from '#shared/people/flow/release-alerts.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import type { Message } from '#shared/people/message.ts';

export interface ChannelSenderOptions {
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly channels: readonly Channel[];
  /** URL of the queue of a channel of Slack or Teams, if there is one: those of all others differ in the name alone. */
  readonly chatQueueUrl: string | undefined;
  readonly alertsTopicArn: string;
  /** For the footer of a mail, and the names of queues. */
  readonly stackName: string;
}

/** Errors of SQS and SNS that are due to the message itself, so that sending it again does not help. */
const REFUSALS = new Set(['InvalidMessageContents', 'InvalidParameterException']);

/**
 * Sends messages to the queue of their channel of Slack or Teams, or to the topic that mailboxes are subscribed to. Throws
 * `NotifierError`: `outlet_failed` (retryable), `outlet_refused` if sending it again does not help, `channel_unknown`.
 */
export function createChannelSender(options: ChannelSenderOptions): ChannelSender {
  const channels = new Map(options.channels.map((channel) => [channel.name, channel]));
  return {
    async send(name, message) {
      const channel = channels.get(name);
      if (channel === undefined) throw unknownChannel(name);
      if (isChat(channel)) await sendToQueue(channel, message, options);
      else await publishMail(name, message, options);
    },
  };
}

/** The queue keeps the order, and drops a message that is sent again within five minutes. */
async function sendToQueue(channel: ChatChannel, message: Message, options: ChannelSenderOptions) {
  const { chatQueueUrl, stackName } = options;
  if (chatQueueUrl === undefined) throw unknownChannel(channel.name);
  const QueueUrl = new URL(toChatQueueName(stackName, channel), chatQueueUrl).href;
  await translateErrors(channel.name, () =>
    options.sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: toQueueSafeJson(message),
        MessageGroupId: channel.name,
        MessageDeduplicationId: message.id,
      }),
    ),
  );
}

/** The mailboxes of the channel are those whose subscriptions filter on its name. */
async function publishMail(channel: string, message: Message, options: ChannelSenderOptions) {
  const { subject, body } = buildMail(message, { channel, stackName: options.stackName });
  await translateErrors(channel, () =>
    options.sns.send(
      new PublishCommand({
        TopicArn: options.alertsTopicArn,
        Subject: subject,
        Message: body,
        MessageAttributes: { [CHANNEL_ATTRIBUTE]: { DataType: 'String', StringValue: channel } },
      }),
    ),
  );
}

async function translateErrors(channel: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : 'unknown error';
    if (REFUSALS.has(name)) {
      throw new NotifierError(
        'outlet_refused',
        `a message for "${channel}" is refused (${name}); see dead-letters in docs/runbook.md`,
        { cause },
      );
    }
    throw new NotifierError(
      'outlet_failed',
      `a message for "${channel}" was not accepted (${name}); it is sent again by the next run`,
      { cause, retryable: true },
    );
  }
}

function unknownChannel(channel: string): NotifierError {
  return new NotifierError(
    'channel_unknown',
    `the channel "${channel}" is not known; deploy the stack with it in people.channels`,
  );
}
