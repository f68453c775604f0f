import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import type { StartRequestInput } from '#shared/config/requests/replay-request.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readGeneration } from '#shared/config/schema/start-with.ts';
import type { Subscription } from '#shared/config/schema/subscription.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { allowSending } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';

/** A subscription or a webhook, with its queue. */
export interface ReplayReceiver {
  /** Such as `webhook-payroll`. */
  readonly name: string;
  readonly settings: Pick<Subscription | Webhook, 'topics' | 'filter' | 'startWith'>;
  /** Holds the queue and its subscriptions to topics. */
  readonly construct: Construct & { readonly queue: IQueue };
}

export interface ReplayerProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** Queues that a replay may target. */
  readonly queues: readonly IQueue[];
  /** Those of them that may get snapshots. */
  readonly receivers: readonly ReplayReceiver[];
}

type Target = ReplayReceiver['construct'];

/** What a replay may target, of a config and its constructs, which are in the same order. */
export function listTargets(
  config: Pick<NotifierConfig, 'subscriptions' | 'webhooks'>,
  constructs: Readonly<Record<'subscribers' | 'webhooks' | 'buses', readonly Target[]>>,
): Pick<ReplayerProps, 'queues' | 'receivers'> {
  const { subscribers, webhooks, buses } = constructs;
  return {
    queues: [...subscribers, ...webhooks, ...buses].map(({ queue }) => queue),
    receivers: [
      ...pair('subscription', config.subscriptions, subscribers),
      ...pair('webhook', config.webhooks, webhooks),
    ],
  };
}

function pair(
  kind: 'subscription' | 'webhook',
  settings: readonly (ReplayReceiver['settings'] & { readonly name: string })[],
  constructs: readonly Target[],
): ReplayReceiver[] {
  return constructs.flatMap((construct, index) => {
    const own = settings[index];
    return own === undefined ? [] : [{ name: `${kind}-${own.name}`, settings: own, construct }];
  });
}

/** Often enough for somebody who waits for it; while nothing is to be sent, a run reads one item for each receiver. */
const START_EVERY = Duration.minutes(5);

/**
 * Publishes logged events again, to the topics or to one queue, and sends the state of records to one queue. The command
 * line invokes it, and a schedule for receivers that start with a snapshot.
 */
export class Replayer extends NotifierFunction {
  constructor(scope: Construct, id: string, { context, topics, queues, receivers }: ReplayerProps) {
    const { config, encryption, table } = context;
    super(scope, id, {
      context,
      code: 'replay-events',
      description: 'Publishes logged events again, and sends snapshots of records',
      timeoutSeconds: 300,
      memoryMb: 512,
      environment: topics.environment,
      startedBy: 'invocation',
    });
    const connections = config.connections.map(({ name }) => name);
    table.allowRead(
      this.role,
      connections.map((name) => `${name}#*#events#*`),
      ['Query'],
    );
    topics.allowPublish(this.role, EVENT_TOPIC_NAMES);
    if (receivers.length > 0) table.allowReadingRecords(this.role, connections);
    if (queues.length > 0) {
      allowSending(this.role, queues);
      encryption.allowSending(this.role);
    }
    const starting = receivers.filter(({ settings }) => settings.startWith !== undefined);
    if (starting.length > 0) this.start(starting, connections, context);
    this.addAlarms(starting.length > 0, context);
  }

  private start(
    starting: readonly ReplayReceiver[],
    connections: readonly string[],
    { table }: StackContext,
  ): void {
    table.allowStarting(this.role);
    const request: StartRequestInput = {
      kind: 'start',
      connections: [...connections],
      receivers: starting.flatMap(({ name, settings, construct }) => {
        const { topics, filter, startWith } = settings;
        if (startWith === undefined) return [];
        const interest = { topics: [...topics], filter };
        return [
          { name, generation: readGeneration(startWith), queueUrl: construct.queue.queueUrl, interest },
        ];
      }),
    };
    const schedules = new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(START_EVERY),
      inputs: new Map([['start', request]]),
    });
    // A receiver is subscribed before its snapshot is taken, or what is published in between would reach it neither way.
    schedules.node.addDependency(...starting.map(({ construct }) => construct));
  }

  /**
   * Failures of a schedule are heard of when they go on; whoever runs a command sees its own. Without a schedule only
   * somebody who does not wait for the answer leaves dead letters, and nothing makes up for them.
   */
  private addAlarms(isScheduled: boolean, { alarmTopics }: StackContext): void {
    if (isScheduled)
      new NotifierAlarm(this, 'FailingAlarm', {
        alarm: 'replay-failing',
        metric: this.metricOf('Errors', START_EVERY),
        when: { atLeast: 1 },
        periods: 2,
        of: 3,
        alarmTopics,
      });
    this.addRequestsAlarm({
      alarm: 'replay-dead-letters',
      ...(isScheduled ? {} : { atLeast: 1 }),
      alarmTopics,
    });
  }
}
