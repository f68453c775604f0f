import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { toChatPart } from '#shared/config/part-names.ts';
import { type ChatChannel, destinationOf } from '#shared/config/schema/channel.ts';
import type { ChatKind } from '#shared/config/schema/chat-kind.ts';
import type { StackContext } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import { allowSending } from '../foundation/queues.ts';

const TIMEOUT_SECONDS = 60;
/** Little more than the timeout, so that no two invocations have one message. */
const VISIBILITY_TIMEOUT_SECONDS = 75;
const RETRY_PERIOD_SECONDS = 7_200;

export interface ChatDeliveryProps {
  /** Of all channels. */
  readonly log: LogGroup;
  readonly context: StackContext;
  readonly channel: ChatChannel;
}

/** The product as people know it. */
const TITLES: Readonly<Record<ChatKind, string>> = { slack: 'Slack', teams: 'Teams' };

/** Posts the messages of one channel of Slack or Teams, in their order. */
export class ChatDelivery extends QueueFunction {
  constructor(scope: Construct, id: string, { context, channel, log }: ChatDeliveryProps) {
    const { encryption, table, alarmTopic } = context;
    const { kind, name, secretName } = channel;
    const channelId = channel.kind === 'slack' ? channel.channelId : undefined;
    super(scope, id, {
      context,
      code: 'deliver-chat',
      callsOut: true,
      name: toChatPart(channel),
      log,
      description: `Posts messages to the ${TITLES[kind]} channel ${name}`,
      // It may be asked for a pause of half a minute.
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: { [ENVIRONMENT.channel]: name },
      fifo: true,
      // A hidden message blocks all messages behind it.
      visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
      // Retries for two hours, since both have outages.
      maxReceives: RETRY_PERIOD_SECONDS / VISIBILITY_TIMEOUT_SECONDS,
    });
    this.function.addEnvironment(ENVIRONMENT.deadLetterQueueUrl, this.deadLetters.queueUrl);
    allowSending(this.role, [this.deadLetters]);
    encryption.allowSending(this.role);
    table.allowRecordingDeliveries(this.role, destinationOf(channel));
    if (channelId !== undefined) table.allowKeepingThreads(this.role, name);
    this.allowReadingSecrets([secretName]);
    this.addLateAlarm(toChatPart(channel), alarmTopic);
  }
}
