import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import { Argument, Command } from 'commander';
import { toEventMessage } from '#shared/adapters/sns/message.ts';
import type { ChannelMessage } from '#shared/alerts/alert.ts';
import { EXAMPLE_ATTRIBUTE, EXAMPLE_ID_PREFIX } from '#shared/config/names.ts';
import { toIso } from '#shared/core/dates.ts';
import { readableEventSchema, toSentence } from '#shared/core/definitions/sentences.ts';
import { SHORT_EVENT_TYPES, type ShortEventType, toEventType, topicOf } from '#shared/core/event-types.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import { explainDenial } from '#shared/operator/send/send-to-queue.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { print } from '#shared/terminal/output.ts';
import { deliverableEventSchema } from '#shared/webhooks/delivery-message.ts';
import { isFor } from '#shared/webhooks/filter.ts';
import { addTargetOptions } from '../options.ts';
import { findReceiver, type Receiver } from '../receiver.ts';
import { buildSampleEvent } from '../sample-events/sample-events.ts';

interface SendFlags extends TargetFlags {
  readonly to: string;
}

const RECEIVERS = ['webhook', 'subscription', 'slack', 'teams'] as const;

const HELP = `
The example travels like a real event, through the queue of the receiver. Its id
begins with "example-" and its message has the attribute "example", so that
nobody acts on it. When the topics or the filter of the receiver exclude the type,
nothing is sent and the exit code is 1.

Examples:
  $ npm run notifier -- send-example timesheet.approved --to webhooks/payroll-system
  $ npm run notifier -- send-example pay_period.closed --to slack/payroll`;

export function sendExampleCommand(withTarget: WithTarget): Command {
  const command = new Command('send-example')
    .summary('send an example event to one receiver')
    .description('Sends an example event to one webhook, one subscription, or one channel of Slack or Teams.')
    .addArgument(
      new Argument('<type>', 'event type without the prefix "workforce."').choices(SHORT_EVENT_TYPES),
    )
    .requiredOption(
      '--to <receiver>',
      'required: webhooks/<name>, subscriptions/<name>, slack/<channel> or teams/<channel>',
    )
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (type: ShortEventType, flags: SendFlags) => {
    await withTarget(flags, async (target) => {
      const example = buildExample(type, target);
      const to = findReceiver(flags.to, RECEIVERS, target);
      const unwanted = explainUnwanted(type, example, to);
      if (unwanted === null && to.kind === 'webhook') await checkEnabled(to.name, target);
      if (unwanted === null) await explainDenial(to.queueUrl, () => send(example, to, target));
      else process.exitCode = 1;
      const id = unwanted === null ? example.id : null;
      if (flags.json === true) print(JSON.stringify({ id, to: flags.to, unwanted }));
      else if (unwanted === null) print(`sent ${type} with the id ${id} to ${flags.to}`);
      else print(`nothing was sent: ${flags.to} would not receive it because ${unwanted}`);
    });
  });
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
  readonly text: string;
}

/** The sample event of a type, seen now, with an id that marks it as an example. */
function buildExample(type: ShortEventType, { system }: Target): Example {
  const event: Record<string, unknown> = JSON.parse(buildSampleEvent(type));
  const id = `${EXAMPLE_ID_PREFIX}${system.uniqueId()}`;
  return { id, text: JSON.stringify({ ...event, id, time: toIso(system.now()) }) };
}

async function send(
  { id, text }: Example,
  to: Receiver,
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
  const timeZone = connections[0]?.timeZone ?? 'UTC';
  const sentence = toSentence(readableEventSchema.parse(JSON.parse(text)), { timeZone, names: NO_NAMES });
  const message: ChannelMessage = {
    id,
    title: `Example: ${sentence}`,
    lines: [],
    more: 0,
    urgent: false,
    at: system.now(),
    timeZone,
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
