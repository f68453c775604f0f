import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import { EXAMPLE_EVENTS } from '#kit/testing.ts';
import { toEventMessage } from '#shared/adapters/sns/message.ts';
import { EXAMPLE_ATTRIBUTE, EXAMPLE_ID_PREFIX } from '#shared/config/names.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { SHORT_EVENT_TYPES, type ShortEventType, toEventType, topicOf } from '#shared/core/event-types.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import { findQueue, findReceiver, type Receiver } from '#shared/operator/receivers.ts';
import { explainDenial } from '#shared/operator/send/send-to-queue.ts';
import type { Target } from '#shared/operator/target.ts';
import type { Message } from '#shared/people/message.ts';
import { deliverableEventSchema } from '#shared/systems/delivery-message.ts';
import { isFor } from '#shared/systems/filter.ts';
import { print } from '#shared/terminal/output.ts';

const RECEIVERS = ['webhook', 'queue', 'slack', 'teams'] as const;
/** What a channel is shown, unless another type is asked for. */
const OF_PEOPLE = 'pay_period.closed';

export interface ExampleFlags {
  readonly to: string;
  readonly type?: string;
}

/** Sends an example through the queue of a receiver of the config. Throws a `NotifierError` when it would not get it. */
export async function sendExample({ to: name, type: wanted }: ExampleFlags, target: Target): Promise<void> {
  const to = findReceiver(name, RECEIVERS, target);
  const queueUrl = findQueue(to, target);
  const type = wanted === undefined ? chooseType(to, target) : checkType(wanted);
  const example = buildExample(type, target);
  const unwanted = explainUnwanted(type, example, to);
  if (unwanted !== null)
    throw new NotifierError(
      'example_unwanted',
      `nothing was sent: ${to.label} would not receive it because ${unwanted}`,
    );
  if (to.kind === 'webhook') await checkEnabled(to.name, target);
  await explainDenial(queueUrl, () => send(example, { ...to, queueUrl }, target));
  print(`sent ${type} with the id ${example.id} to ${to.label}`);
}

/** The first that the receiver gets. */
function chooseType(to: Receiver, target: Target): ShortEventType {
  if (to.interest === null) return OF_PEOPLE;
  const wanted = SHORT_EVENT_TYPES.find(
    (type) => explainUnwanted(type, buildExample(type, target), to) === null,
  );
  if (wanted !== undefined) return wanted;
  throw new NotifierError(
    'example_unwanted',
    `nothing was sent: the filter of ${to.label} excludes every example; name another receiver`,
  );
}

function checkType(wanted: string): ShortEventType {
  const type = SHORT_EVENT_TYPES.find((each) => each === wanted);
  if (type !== undefined) return type;
  throw new NotifierError(
    'options_wrong',
    `--type is ${JSON.stringify(wanted)}, which is no event type; use one such as timesheet.approved`,
  );
}

/** Why the receiver does not receive events like this one; null when it does. */
function explainUnwanted(type: ShortEventType, { text }: Example, to: Receiver): string | null {
  if (to.interest === null) return null;
  const { topics, filter } = to.interest;
  if (isFor(deliverableEventSchema.parse(JSON.parse(text)), to.interest)) return null;
  const topic = topicOf(toEventType(type));
  return topics.includes(topic)
    ? `its filter ${JSON.stringify(filter)} excludes this ${type}`
    : `${type} is on the topic ${topic} and it subscribes to ${topics.join(', ')}`;
}

interface Example {
  readonly id: string;
  readonly type: ShortEventType;
  readonly text: string;
}

/** The sample event of a type, seen now, with an id that marks it as an example. */
function buildExample(type: ShortEventType, { system }: Target): Example {
  const id = `${EXAMPLE_ID_PREFIX}${system.uniqueId()}`;
  return {
    id,
    type,
    text: JSON.stringify({ ...EXAMPLE_EVENTS[toEventType(type)], id, time: toIso(system.now()) }),
  };
}

async function send(
  { id, type, text }: Example,
  to: Receiver & { readonly queueUrl: string },
  { sqs, system, connections }: Target,
): Promise<void> {
  if (to.kind !== 'slack' && to.kind !== 'teams') {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: to.queueUrl,
        MessageBody: text,
        MessageAttributes: buildAttributes(text),
      }),
    );
    return;
  }
  const message: Message = {
    id,
    heading: 'Example: messages reach this channel',
    lines: [{ spans: ['Nothing to do. A message about ', { bold: type }, ' would stand here.'] }],
    more: 0,
    urgent: false,
    at: system.now(),
    timeZone: connections[0]?.timeZone ?? 'UTC',
  };
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: to.queueUrl,
      MessageBody: JSON.stringify(message),
      MessageGroupId: to.name,
      MessageDeduplicationId: id,
    }),
  );
}

/** The attributes SNS would pass on with the event, and the one that marks it as an example. */
function buildAttributes(text: string): Record<string, MessageAttributeValue> {
  return { ...toEventMessage(text, 0, { [EXAMPLE_ATTRIBUTE]: 'true' })?.entry.MessageAttributes };
}
