import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import type { Adaptation } from '#local/aws/functions/running-functions.ts';
import { type LocalAws, type LocalAwsOptions, startLocalAws } from '#local/aws/local-aws.ts';
import { createTemporaryFolder, type Resources, writeAssembly } from './fixture-assembly.ts';

const stops: (() => Promise<void>)[] = [];

/** Stops all machines that a test started; for `afterEach`. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}

interface Given {
  /** Of the data folder; default: a new one. */
  readonly path?: string;
  readonly clock?: LocalAwsOptions['clock'];
  readonly adaptation?: Partial<Adaptation>;
}

/** A machine that runs a template with these resources. */
export async function startAws(
  resources: Resources,
  { path = createTemporaryFolder('data'), clock = null, adaptation = {} }: Given = {},
): Promise<LocalAws> {
  const folder = await openDataFolder(path);
  stops.push(async () => folder.release());
  const aws = await startLocalAws({
    ...{ folder, assembly: writeAssembly(resources), secrets: new Map(), clock },
    environment: { PATH: process.env.PATH },
    adapt: () => ({ adapt: (same) => same, inRealTime: () => false, serves: () => true, ...adaptation }),
  });
  stops[stops.length - 1] = async () => {
    await aws.stop();
    folder.release();
  };
  return aws;
}
