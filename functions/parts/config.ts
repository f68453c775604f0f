import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { CONFIG_FILE, ENVIRONMENT } from '#shared/config/names.ts';

/** Reads the config, which was checked when it was put beside the code. */
export function readConfig(variables: NodeJS.ProcessEnv): DeployedConfig {
  const { LAMBDA_TASK_ROOT = '', [ENVIRONMENT.configFile]: file = join(LAMBDA_TASK_ROOT, CONFIG_FILE) } =
    variables;
  return JSON.parse(readFileSync(file, 'utf8')) as DeployedConfig;
}

/** Days for which alerts and deliveries are remembered: the longest of all connections. */
export function findRetentionDays({ connections }: DeployedConfig): number {
  return Math.max(...connections.map(({ retentionDays }) => retentionDays));
}
