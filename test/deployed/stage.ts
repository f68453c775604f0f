import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { FunctionHost } from '#local/aws/functions/function-host.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { ACCOUNT, REGION } from './account.ts';
import { adaptTemplate, type Resources } from './adapted-template.ts';
import { applyUnknown, removeUnknown } from './apply-unknown.ts';
import { createAwsApi } from './aws-api.ts';
import type { Commands } from './command.ts';
import { disableMappings, hostFunctions } from './deployed-functions.ts';
import type { UnknownTypes } from './emulators/emulator.ts';
import { createResolver, readCreated } from './references.ts';
import { drain, poll, readSchedules, subscribeQueue } from './sample-world.ts';

const POLLS = 12;
/** A working day, shortly before the first clock-ins. */
const STARTS_AT = Date.parse('2026-11-17T07:45:00+13:00');
const TIME_ZONE = 'Pacific/Auckland';
/** Simulated seconds per real second. */
const SPEED = 600;
const SECRET = 'workforce-notifier/main';
const ASSETS = `cdk-hnb659fds-assets-${ACCOUNT}-${REGION}`;

export interface StageOptions {
  readonly commands: Commands;
  readonly endpoint: string;
  readonly unknownTypes: UnknownTypes;
  /** Folder of the assembly that is deployed. */
  readonly assembly: string;
  /** For logs and code packages. */
  readonly folder: string;
  readonly stackName: string;
}

/** What the steps of a run do and check beside the commands. Each returns what is said of it in the table. */
export interface Stage {
  /** Takes out of the template what the emulator does not know. */
  adapt(): Promise<string>;
  checkResources(): Promise<string>;
  applyUnknown(): Promise<string>;
  live(): Promise<string>;
  compare(): Promise<string>;
  checkRemains(): Promise<string>;
  stop(): Promise<void>;
}

export function createStage(options: StageOptions): Stage {
  const { commands, endpoint, unknownTypes, assembly, folder, stackName } = options;
  const client = { endpoint, region: REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const [lambda, sns] = [new LambdaClient(client), new SNSClient(client)];
  const sqs = new SQSClient({ ...client, useQueueUrlAsEndpoint: false });
  const api = createAwsApi(endpoint);
  let removed: Resources = {};
  let source: RunningSource | null = null;
  let hosts: ReadonlyMap<string, FunctionHost> = new Map();
  let queueUrl = '';

  const readTemplate = (path: string) =>
    JSON.parse(readFileSync(join(path, `${stackName}.template.json`), 'utf8')) as { Resources: Resources };
  const startSample = async () => {
    const started = await startSource({
      startsAt: STARTS_AT,
      resumeAt: STARTS_AT,
      timeZone: TIME_ZONE,
      speed: SPEED,
    });
    const secrets = new SecretsManagerClient(client);
    await secrets.send(new CreateSecretCommand({ Name: SECRET, SecretString: started.token }));
    return started;
  };
  const stopHosts = async () => {
    await Promise.all([...hosts.values()].map((host) => host.stop()));
    hosts = new Map();
  };
  const startHosts = (running: RunningSource) => {
    const packageKeys = Object.values(readTemplate(assembly).Resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => (Properties as { Code: { S3Key: string } }).Code.S3Key);
    const clock = { startsAtMs: running.now(), anchorMs: Date.now(), speed: SPEED };
    const readPackage = (key: string) => api.download(ASSETS, key);
    return hostFunctions({ api, lambda, endpoint, folder, clock, packageKeys, readPackage });
  };

  return {
    adapt: async () => {
      removed = adaptTemplate(join(assembly, `${stackName}.template.json`), unknownTypes);
      return describeRemoved(removed, unknownTypes);
    },
    checkResources: async () => {
      const created = await readCreated(api, stackName);
      const expected = Object.keys(readTemplate(assembly).Resources);
      const missing = expected.filter((id) => !created.has(id));
      if (missing.length > 0) throw new Error(`not created: ${missing.join(', ')}`);
      return `${expected.length} resources`;
    },
    applyUnknown: async () => {
      const resolve = createResolver(await readCreated(api, stackName));
      const made = await applyUnknown(removed, { api, sns, sqs, resolve });
      const topics = EVENT_TOPIC_NAMES.map((name) => `${stackName}-${name}`);
      queueUrl = await subscribeQueue({ sns, sqs }, topics);
      return `${made} resources; ${await disableMappings(lambda)} mappings disabled`;
    },
    live: async () => {
      source ??= await startSample();
      hosts = await startHosts(source);
      const schedules = await readSchedules(api, removed);
      let published = 0;
      for (let count = 0; count < POLLS; count += 1) {
        published += await poll(schedules, hosts, source.baseUrl);
      }
      await stopHosts();
      return `${POLLS} polls of each feed, ${published} events published`;
    },
    compare: async () => {
      const since = new Date(STARTS_AT).toISOString();
      const logged = await commands.notifier(['events', '--json', '--since', since]);
      const expected = logged.split('\n').filter((line) => line !== '');
      const arrived = await drain(sqs, queueUrl);
      checkEqual(arrived, expected);
      return `${arrived.length} events of ${new Set(arrived.map(typeOf)).size} types`;
    },
    checkRemains: async () => {
      await removeUnknown(removed, { api });
      const functions = await lambda.send(new ListFunctionsCommand({}));
      if (functions.Functions?.length !== 0) throw new Error('functions are still there');
      const { TableNames = [] } = await new DynamoDBClient(client).send(new ListTablesCommand({}));
      return `tables that stay: ${TableNames.length}`;
    },
    stop: async () => {
      await stopHosts();
      await source?.close();
    },
  };
}

function describeRemoved(removed: Resources, unknownTypes: UnknownTypes): string {
  const types = Object.values(removed).map(({ Type }) => Type);
  const counts = [...unknownTypes].map(
    ([type, fate]) => `${types.filter((each) => each === type).length} ${type} ${fate}`,
  );
  return `${types.length} resources taken out: ${counts.join(', ')}`;
}

function typeOf(text: string): string {
  return (JSON.parse(text) as { type: string }).type;
}

/** At least once: what arrives twice counts once. Compares byte for byte, whatever the order. */
function checkEqual(arrived: readonly string[], expected: readonly string[]): void {
  const [got, wanted] = [new Set(arrived), new Set(expected)];
  const lost = [...wanted].filter((text) => !got.has(text));
  const invented = [...got].filter((text) => !wanted.has(text));
  if (lost.length === 0 && invented.length === 0 && wanted.size > 0) return;
  throw new Error(
    `${wanted.size} events in the log, ${got.size} arrived, ${lost.length} lost, ${invented.length} invented; first: ${lost[0] ?? invented[0] ?? 'none'}`,
  );
}
