import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  GetFunctionCommand,
  type LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { createFunctionHost, type FunctionHost } from '#local/aws/functions/function-host.ts';
import type { DeployedFunction } from '#local/aws/template/deployment.ts';
import { ACCOUNT, REGION } from './account.ts';
import type { AwsApi } from './aws-api.ts';
import { assumeRole } from './permissions/assume-role.ts';
import type { Gate } from './permissions/gate.ts';

const ASSETS = `cdk-hnb659fds-assets-${ACCOUNT}-${REGION}`;

export interface FunctionTools {
  readonly api: AwsApi;
  readonly lambda: LambdaClient;
  readonly endpoint: string;
  readonly gate: Gate;
  /** For code packages and the log of the functions. */
  readonly folder: string;
  /** Its functions are hosted. */
  readonly stackName: string;
  /** Keys of the packages in the bucket of assets are in the template; moto does not give them back. */
  readonly packageKeys: readonly string[];
  /** Returns the environment that a function gets here. */
  readonly adapt: (
    deployed: Pick<DeployedFunction, 'environment' | 'codeFolder'>,
  ) => Readonly<Record<string, string>>;
}

/** Hosts for every function of a stack, by name: each with what `GetFunction` gives back, under its own role. */
export async function hostFunctions(tools: FunctionTools): Promise<ReadonlyMap<string, FunctionHost>> {
  const { Functions = [] } = await tools.lambda.send(new ListFunctionsCommand({}));
  const packages = await readPackages(tools);
  const log = openSync(join(tools.folder, 'functions.log'), 'a');
  const hosts = new Map<string, FunctionHost>();
  for (const { FunctionName = '' } of Functions) {
    if (!FunctionName.startsWith(`${tools.stackName}-`)) continue;
    hosts.set(FunctionName, await hostFunction(FunctionName, packages, { ...tools, log }));
  }
  return hosts;
}

/** moto would run the functions of the mappings itself, in Docker, and lose the messages when it cannot. */
export async function disableMappings(lambda: LambdaClient): Promise<number> {
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
  for (const { UUID } of EventSourceMappings) {
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
  }
  return EventSourceMappings.length;
}

async function readPackages({ api, packageKeys }: FunctionTools): Promise<Map<string, Buffer>> {
  const packages = await Promise.all([...new Set(packageKeys)].map((key) => api.download(ASSETS, key)));
  return new Map(packages.map((bytes) => [createHash('sha256').update(bytes).digest('base64'), bytes]));
}

async function hostFunction(
  name: string,
  packages: ReadonlyMap<string, Buffer>,
  { api, lambda, endpoint, gate, folder, adapt, log }: FunctionTools & { log: number },
): Promise<FunctionHost> {
  const { Configuration = {} } = await lambda.send(new GetFunctionCommand({ FunctionName: name }));
  const { CodeSha256 = '', Handler = '', Timeout = 0, MemorySize = 0, Role = '' } = Configuration;
  const bytes = packages.get(CodeSha256);
  if (bytes === undefined) throw new Error(`${name}: no package in the bucket has the digest ${CodeSha256}`);
  const digest = CodeSha256.replaceAll(/\W/g, '').slice(0, 12);
  const codeFolder = unpack(bytes, join(folder, 'code', `${name}-${digest}`));
  const deployed = {
    logicalId: name,
    name,
    codeFolder,
    handler: Handler,
    environment: adapt({ environment: Configuration.Environment?.Variables ?? {}, codeFolder }),
    timeoutMs: Timeout * 1_000,
    memoryMb: MemorySize,
  };
  const credentials = await assumeRole(api, Role);
  await gate.admit(credentials.AWS_ACCESS_KEY_ID, { functionName: name, roleArn: Role });
  const variables = {
    ...credentials,
    AWS_REGION: REGION,
    LOCAL_FUNCTION_ARN: Configuration.FunctionArn ?? '',
  };
  const endpoints = { dynamoDb: endpoint, messaging: endpoint, secretsManager: endpoint, accessKeyId: '' };
  return createFunctionHost(deployed, { environment: process.env, endpoints, clock: null, log, variables });
}

function unpack(bytes: Buffer, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = `${folder}.zip`;
  writeFileSync(file, bytes);
  // Python is there for the emulator; not every machine has unzip.
  execFileSync('python3', ['-m', 'zipfile', '-e', file, folder]);
  // Keeps the "type" of this project's package.json from applying to the bundle.
  writeFileSync(join(folder, 'package.json'), '{}\n');
  return folder;
}
