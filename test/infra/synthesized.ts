import { readFileSync } from 'node:fs';
import { App, NestedStack, type Stack, type StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect } from 'vitest';
import { NotifierStack, type WorkforceNotifierProps } from '#infra/notifier-stack.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';

export const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};

export const WEBHOOK = {
  name: 'system',
  url: 'https://payroll.acme.example/hook',
  secretName: 'notifier/webhooks/system',
  topics: ['timesheets', 'pay-periods'],
} satisfies NonNullable<NotifierConfigInput['webhooks']>[number];

/** A config, and what the stack is given beside it. */
export type Given = Partial<NotifierConfigInput & Omit<WorkforceNotifierProps, 'config'>>;

/** A config with every kind of entry. */
export const EVERYTHING: Partial<NotifierConfigInput> = {
  alarms: { email: 'operations@acme.example' },
  queues: [{ name: 'payroll', topics: ['timesheets'] }],
  people: {
    names: ['departments'],
    channels: [
      { name: 'payroll', kind: 'slack', secretName: 'notifier/slack/payroll' },
      { name: 'office', kind: 'email', addresses: ['office@acme.example', 'payroll@acme.example'] },
    ],
  },
  webhooks: [WEBHOOK],
};

/** The configs whose templates are reviewed (`golden/`), and which rules hold for. Between them they have every option. */
export const CONFIGS = {
  smallest: {},
  everything: {
    ...EVERYTHING,
    connections: [
      {
        ...CONNECTION,
        absences: { clockInMinutes: 15 },
        calendars: [{ name: 'Weekly', closesAt: '+2d 10:30' }],
        heartbeat: { secretName: 'notifier/heartbeat' },
        watermark: true,
      },
      { ...CONNECTION, name: 'north', secretName: 'ssm:/secrets/notifier/north' },
    ],
    poll: { directory: true },
    people: {
      names: ['departments'],
      channels: [
        {
          ...{ name: 'payroll', kind: 'slack', secretName: 'notifier/slack/payroll' },
          channelId: 'C0123456789',
        },
        { name: 'office', kind: 'email', addresses: ['office@acme.example'] },
        {
          ...{ name: 'board', kind: 'teams', secretName: 'ssm:/secrets/notifier/teams/board' },
          dailySummary: { at: '08:00' },
        },
        { name: 'night', kind: 'email', addresses: ['Office@acme.example'], dailySummary: { at: '08:00' } },
      ],
    },
    webhooks: [
      WEBHOOK,
      { ...WEBHOOK, name: 'paused', secretName: 'ssm:/secrets/notifier/webhooks/paused', paused: true },
    ],
    network: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0e3f4a5b'] },
    operators: ['arn:aws:iam::123456789012:role/on-call'],
    existingTable: 'workforce-notifier-restored',
  },
  'own-key': {
    encryption: 'customer-managed',
    alarms: { topicArn: 'arn:aws:sns:eu-west-1:111122223333:on-call' },
    queues: [
      {
        name: 'payroll',
        topics: ['timesheets', 'pay-periods'],
        filter: { type: ['workforce.timesheet.approved'], organisationId: [7, 'north'], late: true },
      },
      { name: 'archive', topics: ['operations'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:archive' },
    ],
    people: {
      names: ['managers'],
      channels: [{ name: 'payroll', kind: 'slack', secretName: 'notifier/slack/payroll' }],
    },
    webhooks: [{ ...WEBHOOK, url: 'https://payroll.acme.example/hook?code=canary' }],
  },
} satisfies Readonly<Record<string, Given>>;

export interface Resource {
  readonly logicalId: string;
  /** Path of the construct, without the stack: `Poll/Function`. */
  readonly path: string;
  readonly type: string;
  /** With references written as `<path>` or `<path.Attribute>`. */
  readonly properties: Record<string, unknown>;
  readonly deletionPolicy: unknown;
  readonly updateReplacePolicy: unknown;
  /** Paths of the resources that are created before it, besides those that it refers to. */
  readonly dependsOn: readonly string[];
}

/** A template with its references resolved to paths of constructs. */
export interface Synthesized {
  readonly stack: NotifierStack;
  readonly resources: readonly Resource[];
  readonly outputs: Record<string, unknown>;
  /** The resource of a construct. Throws when there is none or there are several. */
  at(path: string): Resource;
  ofType(type: string): readonly Resource[];
}

interface RawResource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
  readonly DeletionPolicy?: unknown;
  readonly UpdateReplacePolicy?: unknown;
  readonly DependsOn?: string | string[];
  readonly Metadata?: Record<string, unknown>;
}

const made = new Map<string, Synthesized>();

/** The template of a config as `cdk synth` makes it, without bundling: once, for all tests of the process. */
export function synthesize(config: Given = {}): Synthesized {
  const key = JSON.stringify(config);
  const known = made.get(key) ?? makeTemplate(config);
  made.set(key, known);
  return known;
}

function makeTemplate(config: Given): Synthesized {
  const stack = buildStack(config);
  const template = readTemplate(stack) as {
    Resources: Record<string, RawResource>;
    Outputs: Record<string, { Value: unknown }>;
  };
  const pathOf = (logicalId: string) => {
    const path = String(template.Resources[logicalId]?.Metadata?.['aws:cdk:path'] ?? logicalId);
    return path
      .replace(`${stack.stackName}/`, '')
      .replace(/^Default\//, '')
      .replace(/^Watch\//, '')
      .replace(/\/Resource$/, '');
  };
  const resources = Object.entries(template.Resources).map(([logicalId, resource]) => ({
    logicalId,
    path: pathOf(logicalId),
    type: resource.Type,
    properties: resolveReferences(resource.Properties ?? {}, pathOf) as Record<string, unknown>,
    deletionPolicy: resource.DeletionPolicy,
    updateReplacePolicy: resource.UpdateReplacePolicy,
    dependsOn: [resource.DependsOn ?? []].flat().map(pathOf),
  }));
  const outputs = Object.entries(template.Outputs).map(([name, { Value }]) => [
    name,
    resolveReferences(Value, pathOf),
  ]);
  return {
    stack,
    resources,
    outputs: Object.fromEntries(outputs),
    at: (path) => findOnly(resources, path),
    ofType: (type) => resources.filter((resource) => resource.type === type),
  };
}

/** The template of a stack, with what watches it as if it were in the same one. */
export function readTemplate(stack: Stack): TemplateJson {
  const read = (part: Stack) => withoutTraces(() => Template.fromStack(part).toJSON() as TemplateJson);
  const template = read(stack);
  const nested = stack.node.findAll().filter((part) => part instanceof NestedStack);
  expect(nested).toHaveLength(1);
  const inner = read(nested[0] as NestedStack).Resources;
  const resources = Object.entries(template.Resources).flatMap(([id, resource]): [string, unknown][] => {
    const { Type, Properties } = resource as RawResource;
    if (Type !== 'AWS::CloudFormation::Stack') return [[id, resource]];
    return Object.entries(replaceParameters(inner, Properties?.Parameters ?? {}) as object);
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}

function replaceParameters(value: unknown, parameters: object): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceParameters(item, parameters));
  if (typeof value !== 'object' || value === null) return value;
  const [, given] = Object.entries(parameters).find(([name]) => 'Ref' in value && value.Ref === name) ?? [];
  if (given !== undefined) return given;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceParameters(item, parameters)]),
  );
}

interface TemplateJson {
  readonly Resources: Record<string, unknown>;
}

/** The stack of a config, not synthesized yet. */
export function buildStack(given: Given = {}, own: StackProps = {}): NotifierStack {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({
    analyticsReporting: false,
    treeMetadata: false,
    context: { ...context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true },
  });
  const { network, encryption, existingTable, operators, ...config } = given;
  const props = { ...own, network, encryption, existingTable, operators };
  const whole = { connections: [CONNECTION], ...config };
  return withoutTraces(() => new NotifierStack(app, { ...props, config: whole }));
}

/** The CDK notes a stack trace for every construct, which takes a tenth of its time and which no test reads. */
function withoutTraces<Made>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function findOnly(resources: readonly Resource[], path: string): Resource {
  const found = resources.filter((resource) => resource.path === path);
  const [resource] = found;
  if (resource !== undefined && found.length === 1) return resource;
  throw new Error(
    `${found.length} resources at ${path}; there are ${resources.map((r) => r.path).join(', ')}`,
  );
}

function resolveReferences(value: unknown, pathOf: (logicalId: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, pathOf));
  if (typeof value !== 'object' || value === null) return value;
  const [[key, argument] = [], ...more] = Object.entries(value);
  if (more.length === 0 && key === 'Ref') return `<${pathOf(String(argument))}>`;
  if (more.length === 0 && key === 'Fn::GetAtt') return `<${pathOf(argument[0])}.${argument[1]}>`;
  if (more.length === 0 && key === 'Fn::Join') {
    return (resolveReferences(argument[1], pathOf) as unknown[]).join(argument[0]);
  }
  if (more.length === 0 && key === 'Fn::Sub') return String(argument).replaceAll(/\$\{([^}]+)\}/g, '<$1>');
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolveReferences(item, pathOf)]),
  );
}

export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: string | string[];
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/** Statements of the one inline policy of a role. */
export function permissionsOf({ path, properties }: Resource): readonly Statement[] {
  const policies = properties.Policies as { PolicyDocument: { Statement: Statement[] } }[];
  const [policy] = policies;
  if (policy === undefined || policies.length > 1) throw new Error(`${policies.length} policies at ${path}`);
  return policy.PolicyDocument.Statement;
}

/** Environment variables of a function, with references as `synthesize` writes them. */
export function environmentOf({ properties }: Resource): Record<string, string> {
  return (properties.Environment as { Variables: Record<string, string> }).Variables;
}

/** Statements of a policy resource. */
export function statementsOf({ properties }: Resource): readonly Statement[] {
  return (properties.PolicyDocument as { Statement: Statement[] }).Statement;
}
