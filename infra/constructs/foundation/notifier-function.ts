import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { buildCodeProps } from '#infra/bundling/bundling.ts';
import { buildServiceName } from '#infra/settings.ts';
import { ENVIRONMENT, METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Encryption } from './encryption.ts';
import { InlinePolicyRole } from './inline-policy-role.ts';
import { createDeadLetterQueue } from './queues.ts';
import type { Part } from './stack-parameters.ts';
import type { StateTable } from './state-table.ts';

/** What every function of the stack has to do with. */
export interface StackContext {
  readonly config: NotifierConfig;
  readonly encryption: Encryption;
  readonly table: StateTable;
  /** Topic that hears of alarms. */
  readonly notify: ITopic;
}

/** Lambda waits a minute before the first retry, and two before the second, which is the last it can do. */
interface Retries {
  readonly atMost: 1 | 2;
  readonly within: Duration;
}

export interface NotifierFunctionProps {
  readonly context: StackContext;
  /** Folder of its code under `functions/`. */
  readonly code: string;
  /** Its name without that of the stack; that of its code when left out. */
  readonly name?: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  /** What it is told besides the table and how to log and to try again. */
  readonly environment: Readonly<Record<string, string>>;
  /** `invocation`: by a schedule or by hand. `queue`: it is given messages, and never called otherwise. */
  readonly startedBy: 'invocation' | 'queue';
  /** How often Lambda starts it again when it fails, and for how long; not at all when left out. */
  readonly retries?: Retries;
  /** Its queue, and so its dead-letter queue, keeps the order of messages. */
  readonly fifo?: boolean;
  /** It sends messages to its own queue, which Lambda would take for a mistake and stop after some rounds. */
  readonly sendsToItself?: boolean;
}

/**
 * A request that failed is worth nothing once a later one did its work. It is kept for whoever looks into why, and is
 * gone before it is taken for a failure of today.
 */
const REQUEST_RETENTION = Duration.days(1);

/** Rules of the packs that check the template, and why a function does not follow them. */
const ACKNOWLEDGED = {
  IAMNoInlinePolicy: 'each policy belongs to one role, comes with it and goes with it',
  LambdaAsyncFailureDestination:
    'what failed goes to the dead-letter queue; a destination would keep each twice',
  LambdaConcurrency: 'schedules and queues bound concurrency, and correctness does not depend on it',
  LambdaInsideVPC:
    'it talks to public endpoints alone: those of AWS, of the source, and of those who are told',
  LambdaTracing: 'its log lines have the stages and times; tracing needs access to *',
};
const ACKNOWLEDGED_FOR_QUEUES = {
  LambdaDLQ: 'it is only given messages of a queue, whose dead-letter queue takes what failed',
  LambdaEventSourceMappingDestination: 'the dead-letter queue of its queue takes what failed',
};

/**
 * A function with its role, its log and its dead-letter queue. There is no reserved concurrency: it would take its
 * share of the account from everybody else, and two invocations at once do no harm anywhere.
 */
export abstract class NotifierFunction extends Construct {
  /** Name of the function, and the `service` of its log lines and metrics. */
  readonly serviceName: string;
  /** What of it is looked for by hand. */
  readonly parts: Part[];
  readonly function: NodejsFunction;
  readonly role: Role;
  readonly deadLetters: Queue;
  /** Its lines, as JSON. */
  protected readonly logGroup: LogGroup;
  private readonly secretKeyArns: readonly string[];

  constructor(scope: Construct, id: string, props: NotifierFunctionProps) {
    super(scope, id);
    const { context, startedBy } = props;
    const { config, encryption } = context;
    const name = props.name ?? props.code;
    this.secretKeyArns = config.secretKeyArns;
    this.serviceName = buildServiceName(Stack.of(this).stackName, name);
    // A function that works off a queue is never called by hand.
    this.parts = startedBy === 'queue' ? [] : [{ path: `functions/${name}/name`, value: this.serviceName }];
    this.deadLetters = createDeadLetterQueue(
      this,
      `${this.serviceName}-dead-letters`,
      // What lies here of a queue is what it was: events and messages to people.
      startedBy === 'queue'
        ? { fifo: props.fifo === true, key: encryption.ownKey }
        : { retention: REQUEST_RETENTION },
    );
    this.logGroup = this.createLogGroup(config, encryption);
    this.role = new InlinePolicyRole(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    this.logGroup.grantWrite(this.role);
    this.function = new NodejsFunction(this, 'Function', {
      functionName: this.serviceName,
      description: props.description,
      ...buildCodeProps(props.code),
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      role: this.role,
      logGroup: this.logGroup,
      ...this.buildAsyncProps(props),
      ...(props.sendsToItself === true ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      awsSdkConnectionReuse: false,
      environment: { ...this.buildCommonEnvironment(context), ...props.environment },
    });
    const acknowledged = { ...ACKNOWLEDGED, ...(startedBy === 'queue' ? ACKNOWLEDGED_FOR_QUEUES : {}) };
    for (const [rule, reason] of Object.entries(acknowledged)) acknowledge(this, rule, reason);
    encryption.allowUse(this.role);
  }

  /** Lets it read secrets, by name; Secrets Manager appends a hyphen and six characters to each. */
  protected allowReadingSecrets(names: readonly string[]): void {
    const { partition, region, account, urlSuffix } = Stack.of(this);
    const secrets = [...new Set(names)].map(
      (name) => `arn:${partition}:secretsmanager:${region}:${account}:secret:${name}-??????`,
    );
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'ReadSecrets',
        actions: ['secretsmanager:GetSecretValue'],
        resources: secrets,
      }),
    );
    if (this.secretKeyArns.length === 0) return;
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'DecryptSecrets',
        actions: ['kms:Decrypt'],
        resources: [...this.secretKeyArns],
        conditions: {
          StringEquals: { 'kms:ViaService': `secretsmanager.${region}.${urlSuffix}` },
          ArnLike: { 'kms:EncryptionContext:SecretARN': secrets },
        },
      }),
    );
  }

  private buildAsyncProps({ startedBy, retries }: NotifierFunctionProps) {
    if (startedBy === 'queue') return {};
    return {
      deadLetterQueue: this.deadLetters,
      // The next schedule is the retry: an invocation that comes late only stands in its way.
      retryAttempts: retries?.atMost ?? 0,
      maxEventAge: retries?.within ?? Duration.minutes(1),
    };
  }

  private buildCommonEnvironment({ config, table }: StackContext) {
    return {
      [ENVIRONMENT.tableName]: table.table.tableName,
      POWERTOOLS_SERVICE_NAME: this.serviceName,
      POWERTOOLS_METRICS_NAMESPACE: METRIC_NAMESPACE,
      POWERTOOLS_LOG_LEVEL: config.functions.logLevel,
      // The SDK's defaults change with its versions; these are what was tested.
      AWS_RETRY_MODE: 'standard',
      AWS_MAX_ATTEMPTS: '3',
    };
  }

  private createLogGroup(config: NotifierConfig, { ownKey }: Encryption): LogGroup {
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${this.serviceName}`,
      retention: config.logRetentionDays,
      // Its name is fixed: left behind, it would stand in the way of the next deployment.
      removalPolicy: RemovalPolicy.DESTROY,
      ...(ownKey === undefined ? {} : { encryptionKey: ownKey }),
    });
    if (ownKey === undefined) {
      acknowledge(
        logGroup,
        'CloudWatchLogGroupEncrypted',
        'CloudWatch encrypts logs with a key of its own, and no line holds anything personal',
      );
    }
    return logGroup;
  }
}
