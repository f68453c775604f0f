import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import {
  adaptTemplate,
  dropBootstrapVersion,
  findRetained,
  keepResources,
  type Resources,
} from './adapted-template.ts';
import type { ApplyTools } from './apply-unknown.ts';
import type { Aws } from './aws.ts';
import { disableMappings } from './deployed-functions.ts';
import type { UnknownTypes } from './emulators/emulator.ts';
import { createResolver, readCreated } from './references.ts';
import { putRolePolicies } from './role-policies.ts';
import { describeLastEvents } from './stack-events.ts';
import { removeApplied, updateApplied } from './update-unknown.ts';

interface SynthOptions {
  /** Name of the assembly, for `use`. */
  readonly as: string;
  /** Path of a config; default: `notifier.config.ts`. */
  readonly config?: string;
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

export function createStack(aws: Aws, name: string): Stack {
  const { api, sns, sqs, lambda } = aws;
  const { unknownTypes } = aws.emulator;
  let current = '';
  let unknown: Resources = {};
  let applied: Resources = {};
  let retained: Resources = {};
  let deployments = 0;

  const synthesized = () => join(aws.folder, 'synthesized', current);
  const assembly = () => join(aws.folder, 'assemblies', current);
  const use = (as: string) => {
    current = as;
    rmSync(assembly(), { recursive: true, force: true });
    cpSync(synthesized(), assembly(), { recursive: true });
    if (aws.emulator.mangles.has('AWS::SSM::Parameter::Value<String>')) {
      dropBootstrapVersion(join(assembly(), `${name}.template.json`));
    }
    unknown = adaptTemplate(join(assembly(), `${name}.template.json`), aws.emulator);
    if (!aws.emulator.retains) keepResources(join(assembly(), `${name}.template.json`), retained);
  };
  const readTemplate = () =>
    JSON.parse(readFileSync(join(assembly(), `${name}.template.json`), 'utf8')) as { Resources: Resources };
  const runCdk = async (args: readonly string[]) => {
    try {
      return await aws.commands.cdk(args);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${message}\n${await describeLastEvents(api, name)}`, { cause });
    }
  };
  const deploy = () => {
    deployments += 1;
    return runCdk([
      ...['deploy', name, '--app', assembly(), '--require-approval', 'never', '--ci'],
      // moto finds a change set by its name alone: that of another stack, or of one that was destroyed. The CLI would
      // wait for ever for the end of that one.
      ...['--change-set-name', `deploy-${name}-${deployments}`],
    ]);
  };
  const checkCreated = async () => {
    const created = await readCreated(api, name);
    const expected = Object.keys(readTemplate().Resources);
    const missing = expected.filter((id) => !created.has(id));
    if (missing.length > 0) throw new Error(`not created: ${missing.join(', ')}`);
    return created;
  };

  return {
    name,
    synthesized,
    synth: async ({ as, config, project, checked = false }) => {
      const environment = {
        ...(config === undefined ? {} : { NOTIFIER_CONFIG: config }),
        // The CDK's checks take longer than the synthesis.
        ...(checked ? {} : { CDK_VALIDATION: 'false' }),
      };
      const commands = aws.commands.with({ environment, ...(project === undefined ? {} : { project }) });
      await commands.cdk(['synth', '--quiet', '--output', join(aws.folder, 'synthesized', as)]);
      use(as);
      return describeUnknown(unknown, unknownTypes);
    },
    use,
    deploy: async () => {
      await deploy();
      const created = await checkCreated();
      const resolve = createResolver(created);
      const tools: ApplyTools = { api, sns, sqs, unknownTypes, resolve };
      applied = await updateApplied({ before: applied, wanted: unknown }, tools);
      if (aws.emulator.mangles.has('AWS::IAM::Role')) {
        const roleName = (id: string) => created.get(id)?.physicalId ?? '';
        await putRolePolicies(readTemplate().Resources, { api, resolve, roleName });
      }
      await disableMappings(lambda);
      retained = findRetained(readTemplate().Resources);
      return `${created.size} resources by CloudFormation, ${Object.keys(applied).length} by the test`;
    },
    deployUnchanged: async () => {
      const printed = await deploy();
      if (!aws.emulator.comparesTemplates) return 'the emulator changes every resource to what it is';
      if (!printed.includes('(no changes)')) throw new Error(`there were changes: ${printed.slice(-400)}`);
      return 'no changes';
    },
    destroy: async () => {
      await runCdk(['destroy', name, '--app', assembly(), '--force']);
      await removeApplied(applied, { api, sns });
      applied = {};
      retained = {};
      const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
      const left = Functions.filter(({ FunctionName = '' }) => FunctionName.startsWith(`${name}-`));
      if (left.length > 0) throw new Error(`${left.length} functions are still there`);
      return 'no function is left';
    },
    tableName: async () => {
      const created = [...(await readCreated(api, name)).values()];
      const table = created.find(({ type }) => type === 'AWS::DynamoDB::Table');
      if (table === undefined) throw new Error(`the stack ${name} has no table`);
      return table.physicalId;
    },
    packageKeys: () =>
      Object.values(readTemplate().Resources)
        .filter(({ Type }) => Type === 'AWS::Lambda::Function')
        .map(({ Properties }) => (Properties as { Code: { S3Key: string } }).Code.S3Key),
  };
}

function describeUnknown(unknown: Resources, unknownTypes: UnknownTypes): string {
  const types = Object.values(unknown).map(({ Type }) => Type);
  const count = (fate: string) => types.filter((type) => unknownTypes.get(type) === fate).length;
  return `taken out of the template: ${count('applied')} resources to apply, ${count('left out')} to leave out`;
}
