import type { Command } from 'commander';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { openAwsTarget } from './aws-target.ts';
import { openDataTarget } from './data-target.ts';
import type { Target, TargetFlags } from './target.ts';

/** The options that say where a command works and how it answers. */
export function addTargetOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'use this data folder of `npm start` instead of AWS')
    .option('--stack <name>', 'use this stack in AWS (default: stackName of the config)')
    .option('--json', 'print JSON');
}

/** Opens the target that the user named. Throws a `NotifierError`. */
export async function openTarget(flags: TargetFlags): Promise<Target> {
  return { ...(await openNamedTarget(flags)), placeOptions: listPlaceOptions(flags) };
}

function listPlaceOptions({ data, stack }: TargetFlags): string[] {
  return [
    ...(data === undefined ? [] : ['--data', data]),
    ...(stack === undefined ? [] : ['--stack', stack]),
  ];
}

async function openNamedTarget({ data, stack }: TargetFlags): Promise<Target> {
  const read = await loadNotifierConfig(process.env.NOTIFIER_CONFIG);
  const config = stack === undefined ? read : { ...read, stackName: stack };
  if (data === undefined) return await openAwsTarget(config);
  return await openDataTarget(data, {
    config,
    synthesize: () => synthesize((text) => console.error(text)),
    environment: process.env,
  });
}

/** Runs with a target, and closes it also after an error. */
export async function withTarget<Result>(
  flags: TargetFlags,
  run: (target: Target) => Promise<Result>,
): Promise<Result> {
  const target = await openTarget(flags);
  try {
    return await run(target);
  } finally {
    await target.close();
  }
}
