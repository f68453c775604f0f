import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  ENVIRONMENT,
  EVENT_TOPIC_NAMES,
  type EventTopicName,
  METRIC_NAMESPACE,
} from '#shared/config/names.ts';
import type { NotifierConfig, ScheduledFeed } from '#shared/config/notifier-config.ts';
import { acknowledge } from '../acknowledge.ts';
import { codeOf } from '../bundling/bundling.ts';
import type { Encryption } from './encryption.ts';
import { PollSchedules } from './poll-schedules.ts';
import { addPollerAlarms } from './poller-alarms.ts';
import { createDeadLetterQueue } from './queues.ts';
import type { StateTable } from './state-table.ts';
import type { Topics } from './topics.ts';

/** What a poller keeps, tells and is told. */
export interface PollerProps {
  readonly feed: ScheduledFeed;
  readonly config: NotifierConfig;
  readonly encryption: Encryption;
  readonly table: StateTable;
  readonly topics: Topics;
  readonly notify: ITopic;
}

/** Topics that the events of a feed go to. */
const TOPICS_OF: Readonly<Record<ScheduledFeed, readonly EventTopicName[]>> = {
  timesheets: ['timesheets', 'clockings', 'operations'],
  'pay-periods': ['pay-periods', 'operations'],
};

/** Rules of the packs that check the template, and why a poller does not follow them. */
const ACKNOWLEDGED = {
  IAMNoInlinePolicy: 'each policy belongs to one role, comes with it and goes with it',
  LambdaAsyncFailureDestination:
    'failed invocations go to the dead-letter queue; a destination would keep each twice',
  LambdaConcurrency: 'concurrency is bounded by the schedules, and correctness does not depend on it',
  LambdaInsideVPC: 'it talks to public endpoints alone: those of AWS and the API of the source',
  LambdaTracing: 'a poll is one function, whose log line has its stages and times; tracing needs access to *',
};

/**
 * The function that polls a feed, with its schedules (one for each connection), its dead-letter queue and its alarms.
 * There is no reserved concurrency: two polls at once do no harm, and the lease in the table makes them rare.
 */
export class Poller extends Construct {
  readonly feed: ScheduledFeed;
  /** Name of the function, and the `service` of its log lines and metrics. */
  readonly serviceName: string;
  readonly function: NodejsFunction;
  readonly deadLetters: Queue;
  readonly schedules: PollSchedules;

  constructor(scope: Construct, id: string, props: PollerProps) {
    super(scope, id);
    this.feed = props.feed;
    this.serviceName = `${Stack.of(this).stackName}-poll-${props.feed}`;
    this.deadLetters = createDeadLetterQueue(this, `${this.serviceName}-dead-letters`);
    this.function = this.createFunction(props);
    this.schedules = new PollSchedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      everyMinutes: props.config.schedules[props.feed].everyMinutes,
      connections: props.config.connections,
    });
    addPollerAlarms(this, props.config, props.notify);
    for (const [rule, reason] of Object.entries(ACKNOWLEDGED)) acknowledge(this, rule, reason);
  }

  private createFunction({ feed, config, encryption, table, topics }: PollerProps): NodejsFunction {
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${this.serviceName}`,
      retention: config.logRetentionDays,
      // Its name is fixed: left behind, it would stand in the way of the next deployment.
      removalPolicy: RemovalPolicy.DESTROY,
      ...(encryption.ownKey === undefined ? {} : { encryptionKey: encryption.ownKey }),
    });
    if (encryption.ownKey === undefined) {
      acknowledge(
        logGroup,
        'CloudWatchLogGroupEncrypted',
        'CloudWatch encrypts logs with a key of its own, and no line holds anything personal',
      );
    }
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    table.allowUse(role);
    topics.allowPublish(role, TOPICS_OF[feed]);
    encryption.allowUse(role);
    this.allowReadingSecrets(role, config);
    return new NodejsFunction(this, 'Function', {
      functionName: this.serviceName,
      description: `Polls ${feed} and publishes what changed`,
      ...codeOf(`poll-${feed}`),
      memorySize: config.functions.memoryMb,
      timeout: Duration.seconds(config.functions.timeoutSeconds),
      role,
      logGroup,
      deadLetterQueue: this.deadLetters,
      // The next schedule is the retry: a poll that comes late only stands in its way.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      awsSdkConnectionReuse: false,
      environment: this.environmentOf(config, table, topics),
    });
  }

  private environmentOf(config: NotifierConfig, { table }: StateTable, topics: Topics) {
    const arns = EVENT_TOPIC_NAMES.map((name) => [ENVIRONMENT.topicArns[name], topics.events[name].topicArn]);
    return {
      [ENVIRONMENT.tableName]: table.tableName,
      ...Object.fromEntries(arns),
      POWERTOOLS_SERVICE_NAME: this.serviceName,
      POWERTOOLS_METRICS_NAMESPACE: METRIC_NAMESPACE,
      POWERTOOLS_LOG_LEVEL: config.functions.logLevel,
      // The SDK's defaults change with its versions; these are what was tested.
      AWS_RETRY_MODE: 'standard',
      AWS_MAX_ATTEMPTS: '3',
    };
  }

  /** The secrets of the connections, by name; Secrets Manager appends a hyphen and six characters to each. */
  private allowReadingSecrets(role: Role, { connections }: NotifierConfig): void {
    const names = [...new Set(connections.map(({ secretName }) => secretName))];
    const { partition, region, account } = Stack.of(this);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'ReadSecrets',
        actions: ['secretsmanager:GetSecretValue'],
        resources: names.map(
          (name) => `arn:${partition}:secretsmanager:${region}:${account}:secret:${name}-??????`,
        ),
      }),
    );
  }
}
