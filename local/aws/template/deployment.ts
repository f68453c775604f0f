import type * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import type { Assembly } from './assembly.ts';
import type { Resolver } from './resolver.ts';
import {
  eventSourceProperties,
  functionProperties,
  scheduleProperties,
  subscriptionProperties,
} from './resource-properties.ts';
import { type AppliedType, isApplied, isIgnored } from './resource-types.ts';

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
  readonly logicalId: string;
  readonly functionName: string;
  readonly intervalMs: number;
  readonly input: unknown;
}

/** An event source mapping of the template. */
export interface DeployedTrigger {
  readonly logicalId: string;
  readonly functionName: string;
  readonly queueName: string;
  readonly batchSize: number;
  /** Whether the function reports which messages failed; otherwise a batch fails as a whole. */
  readonly partialFailures: boolean;
}

/** A mail subscription of the template. */
export interface DeployedMailbox {
  readonly logicalId: string;
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

/** A resource with its physical name and resolved properties. */
export interface ResolvedResource {
  readonly logicalId: string;
  readonly name: string;
  readonly properties: unknown;
}

/** The resources of one type. */
export function findResources(assembly: Assembly, resolver: Resolver, type: AppliedType): ResolvedResource[] {
  return Object.entries(assembly.template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([logicalId, resource]) => ({
      logicalId,
      name: resolver.nameOf(logicalId),
      properties: resolver.resolve(resource.Properties),
    }));
}

/** Throws unless every resource of the template is either created or deliberately ignored. */
export function checkTypes({ template }: Assembly): void {
  for (const [logicalId, { Type }] of Object.entries(template.Resources)) {
    if (isApplied(Type) || isIgnored(Type)) continue;
    throw new NotifierError(
      'template_unsupported',
      `resource ${logicalId} is of type ${Type}, which npm start neither creates nor ignores; add it to local/aws/template/resource-types.ts`,
    );
  }
}

/** Parses properties. Throws a `NotifierError` (`template_unsupported`) that names the resource. */
export function readProperties<Schema extends z.ZodType>(
  schema: Schema,
  { logicalId, properties }: ResolvedResource,
): z.output<Schema> {
  const result = schema.safeParse(properties);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new NotifierError(
    'template_unsupported',
    `resource ${logicalId}: ${issue?.path.join('.')}: ${issue?.message}`,
    { cause: result.error },
  );
}

/** Functions, schedules, triggers and mailboxes of the template. */
export function readDeployment(assembly: Assembly, resolver: Resolver): Deployment {
  return {
    functions: findResources(assembly, resolver, 'AWS::Lambda::Function').map((resource) =>
      readFunction(assembly, resource),
    ),
    schedules: findResources(assembly, resolver, 'AWS::Scheduler::Schedule').flatMap(readSchedule),
    triggers: findResources(assembly, resolver, 'AWS::Lambda::EventSourceMapping').flatMap(readTrigger),
    mailboxes: findResources(assembly, resolver, 'AWS::SNS::Subscription').flatMap(readMailbox),
  };
}

function readFunction(assembly: Assembly, resource: ResolvedResource): DeployedFunction {
  const { Code, Handler, Environment, Timeout, MemorySize } = readProperties(functionProperties, resource);
  const codeFolder = assembly.assetFolder(Code.S3Key);
  if (codeFolder === undefined) {
    throw new NotifierError(
      'template_unsupported',
      `function ${resource.logicalId}: its code ${Code.S3Key} is not an asset of the assembly`,
    );
  }
  return {
    logicalId: resource.logicalId,
    name: resource.name,
    codeFolder,
    handler: Handler,
    environment: Environment.Variables,
    timeoutMs: Timeout * 1_000,
    memoryMb: MemorySize,
  };
}

function readSchedule(resource: ResolvedResource): DeployedSchedule[] {
  const { ScheduleExpression, State, Target } = readProperties(scheduleProperties, resource);
  if (State === 'DISABLED') return [];
  return [
    {
      logicalId: resource.logicalId,
      functionName: parseArnName(Target.Arn),
      intervalMs: parseInterval(ScheduleExpression),
      input: JSON.parse(Target.Input),
    },
  ];
}

function readTrigger(resource: ResolvedResource): DeployedTrigger[] {
  const properties = readProperties(eventSourceProperties, resource);
  if (!properties.Enabled) return [];
  return [
    {
      logicalId: resource.logicalId,
      functionName: parseArnName(properties.FunctionName),
      queueName: parseArnName(properties.EventSourceArn),
      batchSize: properties.BatchSize,
      partialFailures: properties.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    },
  ];
}

function readMailbox(resource: ResolvedResource): DeployedMailbox[] {
  const properties = readProperties(subscriptionProperties, resource);
  const { TopicArn, Protocol, Endpoint, FilterPolicy, FilterPolicyScope } = properties;
  if (Protocol !== 'email') return [];
  return [
    {
      logicalId: resource.logicalId,
      topicArn: TopicArn,
      address: Endpoint,
      filterPolicy: FilterPolicy ?? null,
      filterPolicyScope: FilterPolicyScope ?? null,
    },
  ];
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
