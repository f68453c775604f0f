import { createHash } from 'node:crypto';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { ReceivedMessage } from '#shared/terminal/received.ts';
import {
  CONSOLE_QUEUE_ATTRIBUTES,
  type QueueAccess,
  type QueueReader,
  readQueue,
} from '../aws/functions/queue-messages.ts';
import { applyQueue, applySubscription, toAttributeTexts } from '../aws/template/apply.ts';
import type { DeployedMailbox } from '../aws/template/deployment.ts';
import { localArn } from '../aws/template/local-account.ts';

const DEFAULT_SUBJECT = 'AWS Notification Message';

/** The SNS envelope of a message. */
const notificationSchema = z.looseObject({
  Subject: z.string().default(DEFAULT_SUBJECT),
  Message: z.string(),
});

/** Addresses that receive the same messages of a topic, and the queue that stands in for their mailboxes. */
export interface MailGroup {
  readonly queueName: string;
  readonly addresses: readonly string[];
}

/**
 * Subscribes queues with the same filters in place of the mail addresses of a template, because the embedded SNS sends
 * no mail. Addresses with the same filter share a queue. Idempotent; unread messages stay.
 */
export async function subscribeMailboxes(
  { sns, sqs }: { sns: SNSClient; sqs: SQSClient },
  mailboxes: readonly DeployedMailbox[],
): Promise<MailGroup[]> {
  const groups = Map.groupBy(mailboxes, buildQueueName);
  return Promise.all(
    [...groups].map(async ([queueName, [first, ...others]]) => {
      if (first === undefined) return { queueName, addresses: [] };
      const { topicArn, filterPolicy, filterPolicyScope } = first;
      await applyQueue(sqs, queueName, CONSOLE_QUEUE_ATTRIBUTES);
      const attributes = toAttributeTexts({
        FilterPolicy: filterPolicy ?? undefined,
        FilterPolicyScope: filterPolicyScope ?? undefined,
      });
      await applySubscription(sns, { topicArn, queueArn: localArn('sqs', queueName), attributes });
      return { queueName, addresses: [first, ...others].map(({ address }) => address) };
    }),
  );
}

/** Starts showing the mails of a group. A mail is deleted once it is shown. */
export function readMails(
  queues: QueueAccess,
  { queueName, addresses }: MailGroup,
  show: (message: ReceivedMessage) => Promise<void>,
): QueueReader {
  return readQueue({ ...queues, queueName, batchSize: 1 }, (body) => show(formatMail(body, addresses)));
}

function buildQueueName({ topicArn, filterPolicy, filterPolicyScope }: DeployedMailbox): string {
  const text = JSON.stringify([topicArn, filterPolicy, filterPolicyScope]);
  return `local-mail-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function formatMail(body: string, addresses: readonly string[]): ReceivedMessage {
  const { Subject, Message } = notificationSchema.parse(JSON.parse(body));
  const lines = Message.trimEnd()
    .split('\n')
    .map((text) => ({ text }));
  return {
    kind: 'message',
    channel: `mail ${addresses.join(', ')}`,
    lines: [{ text: Subject, style: 'bold' }, ...lines],
  };
}
