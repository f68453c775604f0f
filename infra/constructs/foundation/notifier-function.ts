import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type CfnFunction, Function as LambdaFunction, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from '#infra/acknowledge.ts';
import { buildCodeProps } from '#infra/bundling/bundling.ts';
import { buildServiceName, partsPrefixOf } from '#infra/settings.ts';
import { ENVIRONMENT, METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { Part } from '#shared/config/part-names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import type { Encryption } from './encryption.ts';
import { InlinePolicyRole } from './inline-policy-role.ts';
import { createDeadLetterQueue, type GuardedQueue } from './queues.ts';
import type { StateTable } from './state-table.ts';

/**
 * Subnets and security groups of the functions that call the source and the receivers, so that they come from addresses
 * that are known and reach what is private. The subnets need a way to AWS and to the source: a NAT gateway, or endpoints.
 */
export interface Network {
  readonly subnetIds: string[];
  readonly securityGroupIds: string[];
}

/** Shared by all functions of the stack. */
export interface StackContext {
  readonly config: NotifierConfig;
  readonly network: Network | undefined;
  readonly encryption: Encryption;
  readonly table: StateTable;
  /** For alarms. */
  readonly alarmTopic: ITopic;
}

export interface NotifierFunctionProps {
  readonly context: StackContext;
  /** Folder of its code under `functions/`. */
  readonly code: string;
  /** Name without that of the stack; default: `code`. */
  readonly name?: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  /** Variables besides those that every function has. */
  readonly environment: Readonly<Record<string, string>>;
  /** `invocation`: by a schedule. `queue`: only by messages of its queue. */
  readonly startedBy: 'invocation' | 'queue';
  /** The dead-letter queue of a function that is started in the same way, to share; default: one of its own. */
  readonly deadLetters?: GuardedQueue;
  /** Its queue and its dead-letter queue are FIFO. */
  readonly fifo?: boolean;
  /** Of a function for each of several receivers, which share it; default: one of its own. */
  readonly log?: LogGroup;
  /** It calls the source or receivers, from the network if there is one. */
  readonly callsOut?: boolean;
  /** It sends messages to its own queue, which Lambda would otherwise stop as a recursive loop. */
  readonly sendsToItself?: boolean;
}

/**
 * Of glibc, where pages and compressed texts lie beside V8's heap: what one thread frees, another takes, and what is large
 * goes back to the system at once. It is 10 to 40 MB of a poll.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** By which Lambda connects a function with a network. */
const NETWORK_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** Rules of cdk-nag that functions do not follow, with reasons. */
const ACKNOWLEDGED = {
  IAMNoInlinePolicy: 'each policy belongs to one role, comes with it and goes with it',
  LambdaAsyncFailureDestination:
    'failed requests go to the dead-letter queue; a destination would store each twice',
  LambdaConcurrency: 'schedules and queues bound concurrency, and correctness does not depend on it',
  LambdaInsideVPC: 'it only calls public endpoints: of AWS, of the source, and of receivers',
  LambdaTracing: 'log lines contain stages and times; tracing needs access to *',
};
const ACKNOWLEDGED_FOR_QUEUES = {
  LambdaDLQ: 'it is only invoked by a queue, whose dead-letter queue takes failed messages',
  LambdaEventSourceMappingDestination: 'the dead-letter queue of its queue takes failed messages',
};

/**
 * A function with its role, log and dead-letter queue. It has no reserved concurrency, which would take that share from
 * the other functions of the account, and which a new account does not have; concurrent invocations do no harm.
 */
export abstract class NotifierFunction extends Construct {
  /** Name of the function, and the `service` of its log lines and metrics. */
  readonly serviceName: string;
  /** Published as parameters of the stack. */
  readonly parts: Part[] = [];
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly deadLetters: GuardedQueue;
  /** Where it writes, as lines of JSON. */
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: NotifierFunctionProps) {
    super(scope, id);
    const { context, startedBy } = props;
    const { network, encryption } = context;
    const name = props.name ?? props.code;
    this.serviceName = buildServiceName(partsPrefixOf(this), name);
    this.deadLetters = props.deadLetters ?? this.createDeadLetters(props);
    this.log = props.log ?? createLog(this, context);
    this.role = new InlinePolicyRole(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    this.log.grantWrite(this.role);
    this.function = new LambdaFunction(this, 'Function', {
      functionName: this.serviceName,
      description: props.description,
      ...buildCodeProps(props.code, context.config),
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      role: this.role,
      logGroup: this.log,
      ...this.buildAsyncProps(props),
      ...(props.sendsToItself === true ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      environment: { ...this.buildCommonEnvironment(context), ...props.environment },
    });
    const acknowledged = { ...ACKNOWLEDGED, ...(startedBy === 'queue' ? ACKNOWLEDGED_FOR_QUEUES : {}) };
    for (const [rule, reason] of Object.entries(acknowledged)) acknowledge(this, rule, reason);
    if (props.callsOut === true && network !== undefined) this.joinNetwork(network);
    encryption.allowUse(this.role);
  }

  /** By ids alone: an imported VPC would ask for zones and route tables, which nothing here needs. */
  private joinNetwork({ subnetIds, securityGroupIds }: Network): void {
    const resource = this.function.node.defaultChild as CfnFunction;
    resource.vpcConfig = { subnetIds, securityGroupIds };
    // Lambda makes and removes its network interfaces as this role; none of the actions takes a resource.
    this.role.addToPrincipalPolicy(
      new PolicyStatement({ sid: 'JoinNetwork', actions: NETWORK_ACTIONS, resources: ['*'] }),
    );
    // Written out: the function refers to its role, and a reference back would go in a circle.
    const functionArn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: `function:${this.serviceName}`,
    });
    // As AWS recommends: requests of the code carry the ARN of the function, those of Lambda itself do not.
    // https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'CodeLeavesNetworkAlone',
        effect: Effect.DENY,
        actions: [...NETWORK_ACTIONS, 'ec2:DetachNetworkInterface'],
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
      }),
    );
    const reason = 'network interfaces have no ARN before they are made';
    acknowledge(this.role, 'LambdaStarPermissions', reason);
    Validations.of(this.role).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason });
  }

  private createDeadLetters({ context, ...props }: NotifierFunctionProps): GuardedQueue {
    const { startedBy, fifo = false, sendsToItself = false } = props;
    const { alarmTopic, encryption } = context;
    return createDeadLetterQueue(this, props.name ?? props.code, {
      alarmTopic,
      // Messages of a queue are events and messages to people: kept longer, and encrypted.
      ...(startedBy === 'queue'
        ? { fifo, key: encryption.customerKey, ofQueue: true }
        : { requests: true, ofQueue: sendsToItself }),
    });
  }

  /** Allows it to read secrets by name. The key with which AWS encrypts them lets whoever may read them. */
  protected allowReadingSecrets(names: readonly string[]): void {
    const { partition, region, account } = Stack.of(this);
    const arn = `arn:${partition}`;
    const distinct = [...new Set(names)];
    // Secrets Manager appends a hyphen and six characters to the ARN of a secret.
    const secrets = distinct
      .filter((name) => readParameterName(name) === null)
      .map((name) => `${arn}:secretsmanager:${region}:${account}:secret:${name}-??????`);
    const parameters = distinct
      .flatMap((name) => readParameterName(name) ?? [])
      .map((name) => `${arn}:ssm:${region}:${account}:parameter${name}`);
    this.allowReading('Secrets', 'secretsmanager:GetSecretValue', secrets);
    this.allowReading('Parameters', 'ssm:GetParameter', parameters);
  }

  private allowReading(what: string, action: string, resources: readonly string[]): void {
    if (resources.length === 0) return;
    this.role.addToPrincipalPolicy(
      new PolicyStatement({ sid: `Read${what}`, actions: [action], resources: [...resources] }),
    );
  }

  private buildAsyncProps({ startedBy }: NotifierFunctionProps) {
    if (startedBy === 'queue') return {};
    this.deadLetters.admit(this.role.roleArn);
    return {
      deadLetterQueue: this.deadLetters,
      // The next scheduled run is the retry; a delayed invocation would only overlap it.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
    };
  }

  private buildCommonEnvironment({ table }: StackContext) {
    return {
      [ENVIRONMENT.tableName]: table.table.tableName,
      POWERTOOLS_SERVICE_NAME: this.serviceName,
      POWERTOOLS_METRICS_NAMESPACE: METRIC_NAMESPACE,
      ...ALLOCATOR,
    };
  }
}

/**
 * A log that stays when the stack goes, as the table does: what happened can be read for a month, longer than any queue
 * keeps a message.
 */
export function createLog(
  scope: Construct,
  { encryption: { customerKey } }: Pick<StackContext, 'encryption'>,
): LogGroup {
  // Without a name of its own: what is retained would stand in the way of the next one of that name.
  const group = new LogGroup(scope, 'Logs', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.RETAIN,
    ...(customerKey === undefined ? {} : { encryptionKey: customerKey }),
  });
  if (customerKey === undefined) {
    acknowledge(
      group,
      'CloudWatchLogGroupEncrypted',
      'CloudWatch encrypts logs with its own key, and no line contains personal data',
    );
  }
  return group;
}
