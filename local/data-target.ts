import { resolve } from 'node:path';
import * as z from 'zod';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';
import { system } from '#shared/adapters/system/system.ts';
import { toPartsPrefix, unpackParts } from '#shared/config/part-names.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createPartLookup, MACHINE_STOPPED, type Target } from '#shared/operator/target.ts';
import { type Announcement, readAnnouncement } from './aws/engines/announcement.ts';
import {
  createDynamoDbClient,
  createSecretClients,
  createSnsClient,
  createSqsClient,
} from './aws/engines/clients.ts';
import { type DataFolder, findDataFolder, openDataFolder } from './aws/engines/data-folder.ts';
import { toVirtualTime, type VirtualClock } from './aws/functions/virtual-clock.ts';
import { startEngines } from './aws/local-aws.ts';
import { type Assembly, readAssembly } from './aws/template/assembly.ts';
import { createResolver, type Resolver } from './aws/template/resolver.ts';
import { readReachedTime } from './source/simulated-time.ts';

export interface DataTargetOptions {
  readonly config: NotifierConfig;
  /** Returns the folder of the cloud assembly. Used when no machine is running. */
  readonly synthesize: () => Promise<string>;
  readonly environment: NodeJS.ProcessEnv;
}

/** The engines of a data folder: those of the machine running on it, or started by this command. */
interface Engines {
  readonly endpoints: Announcement['endpoints'];
  readonly assembly: string;
  readonly clock: VirtualClock | null;
  /** Null when no machine is running: its secrets are then unavailable. */
  readonly machine: Announcement | null;
  /** Of the running machine, or the last one; null when there never was one. */
  readonly last: Announcement | null;
  stop(): Promise<void>;
}

/**
 * Opens a data folder. While a machine is running on it, commands use its engines; otherwise they start their own, and
 * nothing takes messages from the queues. Throws a `NotifierError`.
 */
export async function openDataTarget(directory: string, options: DataTargetOptions): Promise<Target> {
  const path = resolve(directory);
  const engines = await openEngines(path, options);
  try {
    return createTarget(engines, { title: `the data folder ${directory}`, directory, ...options });
  } catch (error) {
    await engines.stop();
    throw error;
  }
}

interface DataPlace extends DataTargetOptions {
  readonly title: string;
  /** The path as the user typed it. */
  readonly directory: string;
}

function createTarget(engines: Engines, { title, directory, config }: DataPlace): Target {
  const { endpoints, clock, machine, last } = engines;
  const assembly = readAssembly(engines.assembly);
  const resolver = createResolver(assembly, endpoints.messaging);
  const parts = readStackParts(assembly, resolver);
  const part = createPartLookup(parts, title);
  const dynamoDb = createDynamoDbClient(endpoints);
  const sqs = createSqsClient(endpoints);
  const sns = createSnsClient(endpoints);
  const secrets = createSecretClients(endpoints);
  const now = clock === null ? system.now : () => toVirtualTime(clock, system.now());
  return {
    title,
    config,
    connections: last === null ? config.connections : [last.connection],
    tableName: part('table/name'),
    dynamoDb,
    sqs,
    sns,
    system: { ...system, now },
    speed: clock?.speed ?? 1,
    redirects: true,
    ...(clock === null ? {} : { webhooksInRealTime: true }),
    isStopped: machine === null,
    tellsPeople: machine?.tellsPeople ?? true,
    parts,
    part,
    readSecret: (secretName) =>
      machine === null
        ? () => Promise.reject(createStoppedError({ title, directory, last }, secretName))
        : createSecretReader({ clients: secrets, secretName, now: system.now }),
    close: async () => {
      for (const client of [dynamoDb, sqs, sns, secrets.secretsManager, secrets.ssm]) client.destroy();
      await engines.stop();
    },
  };
}

async function openEngines(path: string, { synthesize, environment }: DataTargetOptions): Promise<Engines> {
  const folder = await openUnlessTaken(findDataFolder(path));
  if (folder !== null) return await openStopped(folder, { synthesize, environment });
  const machine = readAnnouncement(path);
  if (machine === null) {
    throw new NotifierError(
      'data_folder_locked',
      `data folder ${path} is in use by a run that is still starting; try again`,
    );
  }
  const { endpoints, assembly, clock } = machine;
  return { endpoints, assembly, clock, machine, last: machine, stop: async () => {} };
}

async function openUnlessTaken(path: string): Promise<DataFolder | null> {
  try {
    return await openDataFolder(path);
  } catch (error) {
    if (error instanceof NotifierError && error.code === 'data_folder_locked') return null;
    throw error;
  }
}

async function openStopped(
  folder: DataFolder,
  { synthesize, environment }: Pick<DataTargetOptions, 'synthesize' | 'environment'>,
): Promise<Engines> {
  const started: { stop(): Promise<void> }[] = [{ stop: async () => folder.release() }];
  const stop = async () => {
    for (const each of started.toReversed()) await each.stop();
  };
  try {
    const reached = readReachedTime(folder);
    const last = readAnnouncement(folder.path);
    const engines = await startEngines(folder, { environment, secrets: new Map() });
    started.push(engines);
    // Last: it takes longest, and a damaged folder is told before it.
    const assembly = await synthesize();
    const clock = reached === null ? null : { startsAtMs: reached, anchorMs: system.now(), speed: 1 };
    return { endpoints: engines.endpoints, assembly, clock, machine: null, last, stop };
  } catch (error) {
    // A running engine would keep this process alive.
    await stop();
    throw error;
  }
}

type StoppedPlace = Pick<DataPlace, 'title' | 'directory'> & Pick<Engines, 'last'>;

function createStoppedError({ title, directory, last }: StoppedPlace, secretName: string): NotifierError {
  // Without a simulated clock the source was a real one.
  const source = last === null || last.clock !== null ? '' : ` --base-url ${last.connection.baseUrl}`;
  return new NotifierError(
    MACHINE_STOPPED,
    `the secret "${secretName}" is known only while npm start is running on ${title}; start it with npm start -- --data ${directory}${source}, then try again`,
  );
}

const PARAMETER = 'AWS::SSM::Parameter';
const parameterSchema = z.looseObject({ Name: z.string(), Value: z.string() });

/** The SSM parameters of the template, by path without the name of the stack. */
function readStackParts({ template, stackName }: Assembly, resolver: Resolver): ReadonlyMap<string, string> {
  const prefix = `/${toPartsPrefix(stackName)}/`;
  const parameters = Object.values(template.Resources).filter(({ Type }) => Type === PARAMETER);
  return new Map(
    parameters.flatMap(({ Properties }) => {
      const { Name, Value } = parameterSchema.parse(resolver.resolve(Properties));
      return unpackParts([Name.slice(prefix.length), Value]);
    }),
  );
}
