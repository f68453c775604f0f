import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { applyQueue, applySubscription } from '#local/aws/template/apply.ts';
import { LOCAL_ACCOUNT, localArn } from '#local/aws/template/local-account.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES, type EventTopicName } from '#shared/config/names.ts';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { EVENT_TYPES, type ShortEventType, topicOf } from '#shared/core/event-types.ts';

const QUEUE = 'everything';
const BATCH_SIZE = 10;
/** Long enough that a slow test does not receive a message twice. */
const VISIBILITY_SECONDS = '43200';

const eventEnvelope = z.looseObject({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  connection: z.string(),
  subject: z.string().optional(),
  sequence: z.int(),
  time: z.string(),
  data: z.looseObject({
    current: z.record(z.string(), z.unknown()).nullish(),
    previous: z.record(z.string(), z.unknown()).nullish(),
    changed: z.array(z.string()).optional(),
    previousOrganisationId: z.string().optional(),
    previousDepartmentId: z.string().optional(),
    late: z.array(z.string()).optional(),
    collapsed: z.boolean().optional(),
    reverses: z.string().optional(),
    occurredAt: z.string().nullish(),
    observed: z.object({ after: z.string().nullable(), by: z.string() }).optional(),
    organisationId: z.string().nullish(),
    departmentId: z.string().nullish(),
  }),
});
/** The members of an event that tests use; all members are checked by its schema. */
export type Event = z.output<typeof eventEnvelope>;

/** An event received from a topic. */
export interface WireEvent {
  /** The message, byte for byte. */
  readonly text: string;
  readonly type: ShortEventType;
  readonly event: Event;
}

/** What is wrong with a message. */
type Complaint = string;

/** A queue subscribed to every event topic. */
export interface Inbox {
  /** Takes the received events. Throws when a message does not conform to the catalogue and its schema. */
  take(): Promise<WireEvent[]>;
  /** Creates missing subscriptions. */
  subscribe(): Promise<void>;
}

export async function createInbox(aws: LocalAws): Promise<Inbox> {
  await applyQueue(aws.sqs, QUEUE, { VisibilityTimeout: VISIBILITY_SECONDS });
  const topics = findTopics(aws);
  const subscribe = async () => {
    for (const topicArn of topics.keys()) {
      await applySubscription(aws.sns, { topicArn, queueArn: localArn('sqs', QUEUE), attributes: {} });
    }
  };
  await subscribe();
  return {
    subscribe,
    take: async () =>
      (await takeMessages(aws.sqs, QUEUE)).map(({ Body = '' }) => readWireEvent(Body, topics)),
  };
}

/** The event topics by ARN, from the environment of the functions. */
export function findTopics({ deployment }: LocalAws): Map<string, EventTopicName> {
  return new Map(
    deployment.functions.flatMap(({ environment }) =>
      EVENT_TOPIC_NAMES.flatMap((name): [string, EventTopicName][] => {
        const arn = environment[ENVIRONMENT.topicArns[name]];
        return arn === undefined ? [] : [[arn, name]];
      }),
    ),
  );
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

/** The SNS envelope, absent with raw message delivery. */
const notificationSchema = z.looseObject({
  TopicArn: z.string(),
  Message: z.string(),
  MessageAttributes: z
    .record(z.string(), z.object({ Type: z.literal('String'), Value: z.string() }))
    .default({}),
});

function readWireEvent(body: string, topics: ReadonlyMap<string, EventTopicName>): WireEvent {
  const { TopicArn, Message, MessageAttributes } = notificationSchema.parse(JSON.parse(body));
  const event = eventEnvelope.parse(JSON.parse(Message));
  const type = shortTypeOf(event);
  const attributes = Object.entries(MessageAttributes).map(([name, { Value }]) => [name, Value]);
  const complaints: Complaint[] = [
    ...findSchemaErrors(type, Message),
    ...findDifferences('topic', topics.get(TopicArn), topicOf(event.type)),
    ...findDifferences('attributes', Object.fromEntries(attributes), buildExpectedAttributes(event)),
  ];
  if (complaints.length > 0) throw new Error(`${Message}\n${complaints.join('\n')}`);
  return { text: Message, type, event };
}

function shortTypeOf({ type }: Event): ShortEventType {
  return type.slice('workforce.'.length) as ShortEventType;
}

function findSchemaErrors(type: ShortEventType, text: string): Complaint[] {
  const result = eventSchema(type).safeParse(JSON.parse(text));
  return result.success ? [] : [z.prettifyError(result.error)];
}

function findDifferences(what: string, found: unknown, expected: unknown): Complaint[] {
  const [is, shouldBe] = [found, expected].map((value) => JSON.stringify(value));
  return is === shouldBe ? [] : [`${what}: ${is} instead of ${shouldBe}`];
}

/** The message attributes that docs/events.md promises to filter policies. */
function buildExpectedAttributes({ type, connection, data }: Event): Record<string, string> {
  const { organisationId, departmentId, previousOrganisationId, previousDepartmentId, late } = data;
  return {
    type,
    connection,
    ...(organisationId ? { organisationId } : {}),
    ...(departmentId ? { departmentId } : {}),
    ...(previousOrganisationId ? { previousOrganisationId } : {}),
    ...(previousDepartmentId ? { previousDepartmentId } : {}),
    ...(late === undefined ? {} : { late: String(late.length > 0) }),
  };
}
