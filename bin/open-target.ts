import { loadNotifierConfig } from '#infra/load-config.ts';
import { dropAwsSettings } from '#local/aws/user-settings.ts';
import type { Target, TargetFlags } from '#shared/operator/target.ts';

/** Opens the target that the user named: the data folder of a local run, or the stack of the config in AWS. Throws a `NotifierError`. */
export async function openTarget({ data }: TargetFlags): Promise<Target> {
  const placeOptions = data === undefined ? [] : ['--data', data];
  return { ...(await openNamedTarget(data)), placeOptions };
}

async function openNamedTarget(data: string | undefined): Promise<Target> {
  if (data !== undefined) dropAwsSettings(process.env);
  const config = await loadNotifierConfig(process.env.NOTIFIER_CONFIG);
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
