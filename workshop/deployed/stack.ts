import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { paginateListSubscriptions, type SNSClient, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { applySubscription, toAttributeTexts } from '#local/aws/template/apply.ts';
import { type Assembly, readAssembly } from '#local/aws/template/assembly.ts';
import { type Deployment, findResources, readDeployment } from '#local/aws/template/deployment.ts';
import { createResolver, type Resolver } from '#local/aws/template/resolver.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { Account } from './account.ts';
import { adaptTemplate } from './adapted-template.ts';
import type { Statement } from './permissions.ts';

/** One stack of the account, from its template to its removal. */
export interface Stack {
  /** Synthesizes a config with the CDK CLI, takes out what the emulator does not know, and deploys the rest with the CLI. */
  deploy(configFile: string): Promise<DeployedStack>;
  /** Throws when a function is left. */
  destroy(): Promise<void>;
}

export interface DeployedStack {
  /** Folder of the assembly as it was synthesized. */
  readonly assembly: string;
  /** What is to be run, with the variables that functions have in the account. */
  readonly deployment: Deployment;
  /** What the role of each function may do, by its name. */
  readonly permissions: ReadonlyMap<string, readonly Statement[]>;
  /** Number of resources that were deployed. */
  readonly resources: number;
}

export function openStack(account: Account, name: string): Stack {
  const { endpoint, folder, commands, lambda, sns } = account;
  const assembly = join(folder, 'assembly');
  let deployments = 0;
  return {
    deploy: async (configFile) => {
      const synthesized = join(folder, `synthesized-${deployments}`);
      await commands.cdk(['synth', '--quiet', '--output', synthesized], { NOTIFIER_CONFIG: configFile });
      rmSync(assembly, { recursive: true, force: true });
      cpSync(synthesized, assembly, { recursive: true });
      const resources = adaptTemplate(join(assembly, `${name}.template.json`));
      deployments += 1;
      // moto finds a change set by its name alone, that of a destroyed stack too: the CLI would wait for its end for ever.
      const changeSet = ['--change-set-name', `deploy-${deployments}`];
      const app = ['--app', assembly, '--require-approval', 'never', '--ci'];
      await commands.cdk(['deploy', name, ...app, ...changeSet]);
      const environments = await listEnvironments(lambda);
      const named = nameTable(readAssembly(synthesized), environments);
      const template = { assembly: named, resolver: createResolver(named, endpoint) };
      await subscribe(template, { sns, name });
      const deployment = readDeployment(template.assembly, template.resolver);
      const functions = deployment.functions.map((each) => {
        const environment = environments.get(each.name);
        if (environment === undefined) throw new Error(`the account has no function ${each.name}`);
        return { ...each, environment };
      });
      const permissions = readPermissions(template);
      return { assembly: synthesized, deployment: { ...deployment, functions }, permissions, resources };
    },
    destroy: async () => {
      await commands.cdk(['destroy', name, '--app', assembly, '--force']);
      const left = [...(await listEnvironments(lambda)).keys()];
      if (left.length > 0) throw new Error(`functions are still there: ${left.join(', ')}`);
    },
  };
}

type Environments = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The template with the name that CloudFormation gave the table: the others have theirs in the template. */
function nameTable({ template, ...assembly }: Assembly, environments: Environments): Assembly {
  const names = [...environments.values()].flatMap((variables) => variables[ENVIRONMENT.tableName] ?? []);
  const [TableName, ...others] = new Set(names);
  if (TableName === undefined || others.length > 0) throw new Error(`functions use the tables ${names}`);
  const resources = Object.entries(template.Resources).map(([id, resource]) => {
    if (resource.Type !== 'AWS::DynamoDB::Table') return [id, resource] as const;
    return [id, { ...resource, Properties: { ...resource.Properties, TableName } }] as const;
  });
  return { ...assembly, template: { ...template, Resources: Object.fromEntries(resources) } };
}

/** The variables of each function of the account. */
async function listEnvironments(client: LambdaClient): Promise<Environments> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    for (const { FunctionName = '', Environment } of Functions)
      found.set(FunctionName, Environment?.Variables ?? {});
  }
  return found;
}

/** A template, and what its references stand for in the account. */
interface ResolvedTemplate {
  readonly assembly: Assembly;
  readonly resolver: Resolver;
}

interface RoleProperties {
  readonly Policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[];
}

function readPermissions({ assembly, resolver }: ResolvedTemplate): Map<string, readonly Statement[]> {
  const { Resources } = assembly.template;
  const functions = findResources(assembly, resolver, 'AWS::Lambda::Function');
  return new Map(
    functions.map(({ name, logicalId }) => {
      const { Role } = Resources[logicalId]?.Properties ?? {};
      const [roleId] = (Role as { readonly 'Fn::GetAtt': [string] })['Fn::GetAtt'];
      const role = resolver.resolve(Resources[roleId]?.Properties) as RoleProperties;
      return [name, role.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
}

/** Makes the subscriptions of the template that have queues, as CloudFormation would, and removes those of before. */
async function subscribe(
  { assembly, resolver }: ResolvedTemplate,
  { sns, name }: { readonly sns: SNSClient; readonly name: string },
): Promise<void> {
  const wanted = findResources(assembly, resolver, 'AWS::SNS::Subscription')
    .map(({ properties }) => properties)
    .filter(({ Protocol }) => Protocol === 'sqs');
  const places = new Set(wanted.map(({ TopicArn, Endpoint }) => `${TopicArn} ${Endpoint}`));
  for await (const { Subscriptions = [] } of paginateListSubscriptions({ client: sns }, {})) {
    for (const { TopicArn, Endpoint = '', SubscriptionArn } of Subscriptions) {
      if (!Endpoint.includes(`:${name}-`) || places.has(`${TopicArn} ${Endpoint}`)) continue;
      await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
    }
  }
  for (const { TopicArn, Endpoint, RawMessageDelivery, FilterPolicy, FilterPolicyScope } of wanted) {
    // moto multiplies the branches of `$or`, and refuses what it takes for more than 150 combinations. Without it a queue
    // gets more than it asks for, never less.
    const { $or: _, ...filter } = FilterPolicy ?? {};
    const policy = Object.keys(filter).length === 0 ? undefined : filter;
    const attributes = toAttributeTexts({ RawMessageDelivery, FilterPolicy: policy, FilterPolicyScope });
    await applySubscription(sns, { topicArn: TopicArn, queueArn: Endpoint, attributes });
  }
}
