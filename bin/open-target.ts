import { loadNotifierConfig } from '#infra/load-config.ts';
import { dropAwsSettings } from '#local/aws/user-settings.ts';
import type { Target, TargetFlags } from '#shared/operator/target.ts';

/** Opens the target that the user named: the data folder of a local run, or a stack in AWS. Throws a `NotifierError`. */
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
  if (data !== undefined) dropAwsSettings(process.env);
  const read = await loadNotifierConfig(process.env.NOTIFIER_CONFIG);
  const config = stack === undefined ? read : { ...read, stackName: stack };
  // Imported late: the clients of AWS and the local engines are most of what a command loads, and it needs only one.
  if (data === undefined) {
    const { openAwsTarget } = await import('#shared/operator/aws-target.ts');
    return await openAwsTarget(config);
  }
  const { synthesize } = await import('#local/aws/template/synthesize.ts');
  const { openDataTarget } = await import('#local/data-target.ts');
  return await openDataTarget(data, {
    config,
    synthesize: () => synthesize((text) => console.error(text), { data }),
    environment: process.env,
  });
}
