import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import type { Resolve } from '#local/aws/template/resolver.ts';
import { adaptTemplate, findRetained, keepResources, type Resources } from './adapted-template.ts';
import { type ApplyTools, removeApplied, updateApplied } from './apply-unknown.ts';
import type { Aws } from './aws.ts';
import { type AwsApi, readElement } from './aws-api.ts';
import { disableMappings } from './deployed-functions.ts';
import { UNKNOWN_TYPES } from './moto.ts';
import { createIam } from './permissions/assume-role.ts';
import { createResolver, readCreated } from './references.ts';
import type { StackChoices } from './world/everything.ts';

interface SynthOptions {
  /** Name of the assembly, for `use`. */
  readonly as: string;
  /** Path of a config; default: `notifier.config.ts`. */
  readonly config?: string;
  /** What its stack is given beside the config. */
  readonly props?: StackChoices;
  /** Folder of another version of the project; default: this one. */
  readonly project?: string;
  /** Whether the CDK checks the template against its rules; default: no. */
  readonly checked?: boolean;
}

/** One stack of the account, from its template to its removal. */
export interface Stack {
  readonly name: string;
  /**
   * Synthesizes with the CDK CLI, and takes out of the template what the emulator does not know. The next deployment
   * uses it.
   */
  synth(options: SynthOptions): Promise<string>;
  /** The next deployment uses this assembly again. */
  use(name: string): void;
  /** Folder of the assembly in use, as it was synthesized. */
  synthesized(): string;
  /** Deploys with the CDK CLI, and makes or changes what the emulator does not know. Checks what is there then. */
  deploy(): Promise<string>;
  /** Deploys again what is deployed. Throws when CloudFormation finds a change. */
  deployUnchanged(): Promise<string>;
  destroy(): Promise<string>;
  /** Name of its table. */
  tableName(): Promise<string>;
  /** Keys of the code packages of its functions in the bucket of assets. */
  packageKeys(): readonly string[];
}

export class DeployedStack implements Stack {
  readonly name: string;
  readonly #aws: Aws;
  #current = '';
  #unknown: Resources = {};
  #applied: Resources = {};
  #retained: Resources = {};
  #deployments = 0;

  constructor(aws: Aws, name: string) {
    this.#aws = aws;
    this.name = name;
  }

  synthesized(): string {
    return join(this.#aws.folder, 'synthesized', this.#current);
  }

  async synth(options: SynthOptions): Promise<string> {
    const { as, config, props = {}, project = PROJECT_ROOT, checked = false } = options;
    const { commands, folder } = this.#aws;
    const environment = {
      // The CDK's checks take longer than the synthesis.
      ...(checked ? {} : { CDK_VALIDATION: 'false' }),
    };
    const own = commands.with({ environment, project });
    const app = join(folder, `${as}.app.ts`);
    if (config !== undefined) writeFileSync(app, renderApp(project, config, props));
    const ofApp = config === undefined ? [] : ['--app', `npx --no-install node ${app}`];
    await own.cdk(['synth', '--quiet', '--output', join(folder, 'synthesized', as), ...ofApp]);
    this.use(as);
    return describeUnknown(this.#unknown);
  }

  use(as: string): void {
    this.#current = as;
    rmSync(this.#assembly(), { recursive: true, force: true });
    cpSync(this.synthesized(), this.#assembly(), { recursive: true });
    this.#unknown = adaptTemplate(this.#template());
    keepResources(this.#template(), this.#retained);
  }

  async deploy(): Promise<string> {
    const { api, sns, sqs, lambda } = this.#aws;
    await this.#runDeploy();
    const created = await this.#checkCreated();
    const resolve = createResolver(created);
    const tools: ApplyTools = { api, sns, sqs, resolve };
    this.#applied = await updateApplied({ before: this.#applied, wanted: this.#unknown }, tools);
    const roleName = (id: string) => created.get(id)?.physicalId ?? '';
    await putRolePolicies(this.#resources(), { api, resolve, roleName });
    await disableMappings(lambda);
    this.#retained = findRetained(this.#resources());
    return `${created.size} resources by CloudFormation, ${Object.keys(this.#applied).length} by the test`;
  }

  async deployUnchanged(): Promise<string> {
    const printed = await this.#runDeploy();
    if (!printed.includes('(no changes)')) throw new Error(`there were changes: ${printed.slice(-400)}`);
    return 'no changes';
  }

  async destroy(): Promise<string> {
    const { api, sns, lambda } = this.#aws;
    await this.#runCdk(['destroy', this.name, '--app', this.#assembly(), '--force']);
    await removeApplied(this.#applied, { api, sns });
    this.#applied = {};
    this.#retained = {};
    const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
    const left = Functions.filter(({ FunctionName = '' }) => FunctionName.startsWith(`${this.name}-`));
    if (left.length > 0) throw new Error(`${left.length} functions are still there`);
    return 'no function is left';
  }

  async tableName(): Promise<string> {
    const created = [...(await readCreated(this.#aws.api, this.name)).values()];
    const table = created.find(({ type }) => type === 'AWS::DynamoDB::Table');
    if (table === undefined) throw new Error(`the stack ${this.name} has no table`);
    return table.physicalId;
  }

  packageKeys(): readonly string[] {
    return Object.values(this.#resources())
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => (Properties as { Code: { S3Key: string } }).Code.S3Key);
  }

  #assembly(): string {
    return join(this.#aws.folder, 'assemblies', this.#current);
  }

  #template(): string {
    return join(this.#assembly(), `${this.name}.template.json`);
  }

  #resources(): Resources {
    return (JSON.parse(readFileSync(this.#template(), 'utf8')) as { Resources: Resources }).Resources;
  }

  #runDeploy(): Promise<string> {
    this.#deployments += 1;
    return this.#runCdk([
      ...['deploy', this.name, '--app', this.#assembly(), '--require-approval', 'never', '--ci'],
      // moto finds a change set by its name alone: that of another stack, or of one that was destroyed. The CLI would
      // wait for ever for the end of that one.
      ...['--change-set-name', `deploy-${this.name}-${this.#deployments}`],
    ]);
  }

  async #runCdk(args: readonly string[]): Promise<string> {
    try {
      return await this.#aws.commands.cdk(args);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${message}\n${await describeLastEvents(this.#aws.api, this.name)}`, { cause });
    }
  }

  async #checkCreated() {
    const created = await readCreated(this.#aws.api, this.name);
    const missing = Object.keys(this.#resources()).filter((id) => !created.has(id));
    if (missing.length > 0) throw new Error(`not created: ${missing.join(', ')}`);
    return created;
  }
}

function describeUnknown(unknown: Resources): string {
  const types = Object.values(unknown).map(({ Type }) => Type);
  const count = (fate: string) => types.filter((type) => UNKNOWN_TYPES.get(type) === fate).length;
  return `taken out of the template: ${count('applied')} resources to apply, ${count('left out')} to leave out`;
}

interface InlinePolicy {
  readonly PolicyName: string;
  readonly PolicyDocument: unknown;
}

interface PolicyTools {
  readonly api: AwsApi;
  readonly resolve: Resolve;
  /** Name of the role that CloudFormation made, by its logical id. */
  readonly roleName: (logicalId: string) => string;
}

/**
 * Puts the inline policies of all roles of a template. moto's CloudFormation writes them as a Python text instead of
 * JSON, and leaves them as they are when a template changes.
 */
async function putRolePolicies(resources: Resources, { api, resolve, roleName }: PolicyTools): Promise<void> {
  for (const [id, { Type, Properties = {} }] of Object.entries(resources)) {
    if (Type !== 'AWS::IAM::Role') continue;
    for (const { PolicyName, PolicyDocument } of (Properties.Policies ?? []) as InlinePolicy[]) {
      await createIam(api, roleName(id))('PutRolePolicy', {
        PolicyName,
        PolicyDocument: JSON.stringify(resolve(PolicyDocument)),
      });
    }
  }
}

interface StackEvent {
  readonly logicalId: string;
  readonly status: string;
  /** Empty when CloudFormation says none. */
  readonly reason: string;
}

const MAX_DESCRIBED = 8;

/** The events that CloudFormation has of a stack, latest first. None when there is no such stack. */
async function readStackEvents(api: AwsApi, StackName: string): Promise<readonly StackEvent[]> {
  const request = { Action: 'DescribeStackEvents', Version: '2010-05-15', StackName };
  const xml = await api.query('cloudformation', request).catch(() => '');
  return [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, event = '']) => ({
    logicalId: readElement(event, 'LogicalResourceId'),
    status: readElement(event, 'ResourceStatus'),
    reason: event.includes('<ResourceStatusReason>') ? readElement(event, 'ResourceStatusReason') : '',
  }));
}

/** For the message of a deployment that failed. */
async function describeLastEvents(api: AwsApi, stackName: string): Promise<string> {
  const events = (await readStackEvents(api, stackName)).slice(0, MAX_DESCRIBED);
  if (events.length === 0) return `CloudFormation has no events of ${stackName}`;
  const lines = events.map(({ logicalId, status, reason }) => `  ${logicalId} ${status} ${reason}`.trimEnd());
  return [`last events of ${stackName}, latest first:`, ...lines].join('\n');
}

/** An `app.ts` as an operator writes it, of a project. */
function renderApp(project: string, config: string, props: StackChoices): string {
  return [
    `import { App } from '${project}/node_modules/aws-cdk-lib/index.js';`,
    `import { NotifierStack } from '${project}/infra/notifier-stack.ts';`,
    `import config from '${config}';`,
    `new NotifierStack(new App({ analyticsReporting: false }), { config, ...${JSON.stringify(props)} });`,
  ].join('\n');
}
