import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import type { Assembly } from './assembly.ts';
import type { Resolver } from './resolver.ts';

/** A function of the template. */
export interface DeployedFunction {
  readonly logicalId: string;
  readonly name: string;
  /** Folder of its bundled code. */
  readonly codeFolder: string;
  /** `file.export`, as in the template. */
  readonly handler: string;
  /** The environment in the template. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** A schedule of the template. */
export interface DeployedSchedule {
  readonly functionName: string;
  readonly intervalMs: number;
  readonly input: unknown;
}

/** An event source mapping of the template. */
export interface DeployedTrigger {
  readonly functionName: string;
  readonly queueName: string;
  readonly batchSize: number;
  /** Whether the function reports which messages failed; otherwise a batch fails as a whole. */
  readonly partialFailures: boolean;
}

/** A mail subscription of the template. */
export interface DeployedMailbox {
  readonly topicArn: string;
  readonly address: string;
  /** `null` for all messages of the topic. */
  readonly filterPolicy: Readonly<Record<string, unknown>> | null;
  readonly filterPolicyScope: string | null;
}

/** What is run on this machine, with every reference resolved. */
export interface Deployment {
  readonly functions: readonly DeployedFunction[];
  readonly schedules: readonly DeployedSchedule[];
  readonly triggers: readonly DeployedTrigger[];
  readonly mailboxes: readonly DeployedMailbox[];
}

const flag = z.union([z.boolean(), z.stringbool()]);

/** Of each type of resource that is made or run here, the properties that are used, once references are resolved. */
export const PROPERTIES = {
  'AWS::DynamoDB::Table': z.looseObject({
    KeySchema: z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })),
    AttributeDefinitions: z.array(
      z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
    ),
  }),
  'AWS::SNS::Topic': z.looseObject({}),
  'AWS::SNS::Subscription': z.looseObject({
    TopicArn: z.string(),
    Protocol: z.string(),
    Endpoint: z.string(),
    RawMessageDelivery: flag.optional(),
    FilterPolicy: z.record(z.string(), z.unknown()).optional(),
    FilterPolicyScope: z.string().optional(),
  }),
  'AWS::SQS::Queue': z.looseObject({
    FifoQueue: flag.optional(),
    VisibilityTimeout: z.coerce.number().optional(),
    MessageRetentionPeriod: z.coerce.number().optional(),
    RedrivePolicy: z
      .looseObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() })
      .optional(),
  }),
  'AWS::Lambda::Function': z.looseObject({
    Code: z.looseObject({ S3Key: z.string() }),
    Handler: z.string(),
    Environment: z
      .looseObject({ Variables: z.record(z.string(), z.coerce.string()).default({}) })
      .prefault({}),
    Timeout: z.coerce.number().default(3),
    MemorySize: z.coerce.number().default(128),
  }),
  'AWS::Scheduler::Schedule': z.looseObject({
    ScheduleExpression: z.string(),
    Target: z.looseObject({ Arn: z.string(), Input: z.string().default('{}') }),
  }),
  'AWS::Lambda::EventSourceMapping': z.looseObject({
    EventSourceArn: z.string(),
    FunctionName: z.string(),
    BatchSize: z.coerce.number().default(10),
    Enabled: flag.default(true),
    FunctionResponseTypes: z.array(z.string()).default([]),
  }),
} as const;

/** A resource with its physical name and its resolved properties. */
export interface ResolvedResource<Type extends keyof typeof PROPERTIES> {
  readonly logicalId: string;
  readonly name: string;
  readonly properties: z.output<(typeof PROPERTIES)[Type]>;
}

/** The resources of one type. Throws a `NotifierError` (`template_unsupported`) that names what cannot be read. */
export function findResources<Type extends keyof typeof PROPERTIES>(
  { template }: Pick<Assembly, 'template'>,
  resolver: Resolver,
  type: Type,
): ResolvedResource<Type>[] {
  const resources = Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
  return resources.map(([logicalId, { Properties }]) => {
    const result = PROPERTIES[type].safeParse(resolver.resolve(Properties));
    if (!result.success) {
      const [issue] = result.error.issues;
      const what = `resource ${logicalId}: ${issue?.path.join('.')}: ${issue?.message}`;
      throw new NotifierError('template_unsupported', what, { cause: result.error });
    }
    const properties = result.data as ResolvedResource<Type>['properties'];
    return { logicalId, name: resolver.nameOf(logicalId), properties };
  });
}

/** Functions, schedules, triggers and mailboxes of the template. */
export function readDeployment(assembly: Assembly, resolver: Resolver): Deployment {
  return {
    functions: findResources(assembly, resolver, 'AWS::Lambda::Function').map((resource) =>
      readFunction(assembly, resource),
    ),
    schedules: findResources(assembly, resolver, 'AWS::Scheduler::Schedule').map(
      ({ properties: { ScheduleExpression, Target } }) => ({
        functionName: parseArnName(Target.Arn),
        intervalMs: parseInterval(ScheduleExpression),
        input: JSON.parse(Target.Input),
      }),
    ),
    triggers: findResources(assembly, resolver, 'AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => properties.Enabled)
      .map(({ properties }) => ({
        functionName: parseArnName(properties.FunctionName),
        queueName: parseArnName(properties.EventSourceArn),
        batchSize: properties.BatchSize,
        partialFailures: properties.FunctionResponseTypes.includes('ReportBatchItemFailures'),
      })),
    mailboxes: findResources(assembly, resolver, 'AWS::SNS::Subscription')
      .filter(({ properties }) => properties.Protocol === 'email')
      .map(({ properties: { TopicArn, Endpoint, FilterPolicy, FilterPolicyScope } }) => ({
        topicArn: TopicArn,
        address: Endpoint,
        filterPolicy: FilterPolicy ?? null,
        filterPolicyScope: FilterPolicyScope ?? null,
      })),
  };
}

function readFunction(
  { assetFolder }: Assembly,
  { logicalId, name, properties }: ResolvedResource<'AWS::Lambda::Function'>,
): DeployedFunction {
  const { Code, Handler, Environment, Timeout, MemorySize } = properties;
  return {
    logicalId,
    name,
    codeFolder: assetFolder(Code.S3Key),
    handler: Handler,
    environment: Environment.Variables,
    timeoutMs: Timeout * 1_000,
    memoryMb: MemorySize,
  };
}

/** Name of a function or queue in an ARN. */
function parseArnName(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}

const MINUTE_MS = 60_000;
const UNIT_MS = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 1_440 * MINUTE_MS } as const;
const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;

/**
 * Milliseconds between two runs of a schedule. Throws a `NotifierError` (`template_unsupported`) for what has no fixed
 * interval.
 */
export function parseInterval(expression: string): number {
  const rate = RATE.exec(expression);
  if (rate !== null) return Number(rate[1]) * UNIT_MS[rate[2] as keyof typeof UNIT_MS];
  throw new NotifierError(
    'template_unsupported',
    `schedule expression ${JSON.stringify(expression)} has no fixed interval; use rate(...)`,
  );
}
