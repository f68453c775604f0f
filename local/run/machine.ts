import type { DataFolder } from '#local/aws/data-folder.ts';
import { type LocalAws, startLocalAws } from '#local/aws/local-aws.ts';
import { type Polling, readPolling } from './connection.ts';
import { subscribeConsole } from './delivery.ts';
import type { RunOptions } from './options.ts';
import { type Source, startSourceOf } from './source.ts';

/** Everything that runs: the source, the template on this machine, and our own subscription to its topics. */
export interface Machine {
  readonly aws: LocalAws;
  readonly source: Source;
  readonly polling: Polling;
  stop(): Promise<void>;
}

export interface MachineOptions {
  readonly run: RunOptions;
  readonly folder: DataFolder;
  /** Answers the folder of the cloud assembly to run. */
  readonly assembly: () => Promise<string>;
  readonly environment: NodeJS.ProcessEnv;
}

/** Starts a machine, with its poll functions ready. What had been started is stopped when something fails. */
export async function startMachine({ run, folder, assembly, environment }: MachineOptions): Promise<Machine> {
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const part of started.reverse()) await part.stop();
  };
  try {
    const [assemblyFolder, source] = await Promise.all([
      assembly(),
      startSourceOf(run, folder).then((source) => {
        started.push(source);
        return source;
      }),
    ]);
    // Only the template says under which name the functions look for the credential.
    const secrets = new Map<string, string>();
    const { clock } = source;
    const aws = await startLocalAws({ folder, assembly: assemblyFolder, secrets, clock, environment });
    started.push(aws);
    const polling = readPolling(aws.deployment, run, source.baseUrl);
    secrets.set(polling.connection.secretName, source.token);
    aws.warm(polling.functions.map(({ name }) => name));
    await subscribeConsole(aws, polling.topicArns);
    return { aws, source, polling, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
