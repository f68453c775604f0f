import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { applyQueue, applySubscription } from '#local/aws/template/apply.ts';
import { LOCAL_ACCOUNT, localArn } from '#local/aws/template/local-account.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { type PublishedType, type ShortEventType, topicOf } from '#shared/core/event-types.ts';

const QUEUE = 'everything';
const BATCH_SIZE = 10;
/** Long enough that a slow test does not receive a message twice. */
const VISIBILITY_SECONDS = '43200';

/** The members of an event that tests use; all members are checked by its schema. */
interface Event {
  readonly id: string;
  readonly type: PublishedType;
  readonly connection: string;
  readonly subject?: string;
  readonly sequence: number;
  readonly time: string;
  readonly data: {
    readonly [member: string]: unknown;
    readonly changed?: readonly string[];
    readonly collapsed?: boolean;
    readonly late?: readonly string[];
    readonly reverses?: string;
  };
}

/** An event received from a topic. */
export interface WireEvent {
  /** The message, byte for byte. */
  readonly text: string;
  readonly type: ShortEventType;
  readonly event: Event;
}

/** A queue subscribed to every event topic. */
export interface Inbox {
  /** Takes the received events; each must conform to the catalogue and its schema. */
  take(): Promise<WireEvent[]>;
}

export async function createInbox(aws: LocalAws): Promise<Inbox> {
  await applyQueue(aws.sqs, QUEUE, { VisibilityTimeout: VISIBILITY_SECONDS });
  const topics = new Map(
    aws.deployment.functions.flatMap(({ environment }) =>
      EVENT_TOPIC_NAMES.map((name) => [environment[ENVIRONMENT.topicArns[name]] ?? '', name] as const),
    ),
  );
  topics.delete('');
  for (const topicArn of topics.keys())
    await applySubscription(aws.sns, { topicArn, queueArn: localArn('sqs', QUEUE), attributes: {} });
  return {
    take: async () =>
      (await takeMessages(aws.sqs, QUEUE)).map(({ Body = '' }) => readWireEvent(JSON.parse(Body), topics)),
  };
}

/** Receives and deletes messages until the queue is empty. */
export async function takeMessages(sqs: SQSClient, queueName: string): Promise<Message[]> {
  const QueueUrl = `http://sqs.local/${LOCAL_ACCOUNT}/${queueName}`;
  const taken: Message[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: BATCH_SIZE,
        WaitTimeSeconds: 0,
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return taken;
    taken.push(...Messages);
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

/** What SNS puts around a message, without raw message delivery. */
interface Notification {
  readonly TopicArn: string;
  readonly Message: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value: string }>>;
}

function readWireEvent(notification: Notification, topics: ReadonlyMap<string, string>): WireEvent {
  const { TopicArn, Message, MessageAttributes = {} } = notification;
  const event: Event = JSON.parse(Message);
  const type = event.type.slice('workforce.'.length) as ShortEventType;
  const attributes = Object.entries(MessageAttributes).map(([name, { Value }]) => [name, Value]);
  expect(eventSchema(type).safeParse(event).error, Message).toBeUndefined();
  expect(topics.get(TopicArn), Message).toBe(topicOf(event.type));
  expect(Object.fromEntries(attributes), Message).toEqual(listAttributes(event));
  return { text: Message, type, event };
}

/** The message attributes that docs/events.md promises to filter policies. */
function listAttributes({ type, connection, data }: Event): Record<string, unknown> {
  const places = ['organisationId', 'departmentId', 'previousOrganisationId', 'previousDepartmentId'];
  const known = places.flatMap((name) => (data[name] ? [[name, data[name]] as const] : []));
  const late = data.late === undefined ? {} : { late: String(data.late.length > 0) };
  return { type, connection, ...Object.fromEntries(known), ...late };
}
