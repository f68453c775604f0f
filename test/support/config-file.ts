import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG_FILE, ENVIRONMENT } from '#shared/config/names.ts';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};

/** Writes a config for a function. Returns the variable by which it reads that. */
export function configVariable(config: Partial<NotifierConfigInput>): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), 'config-')), CONFIG_FILE);
  const parsed = parseNotifierConfig({ stackName: 'notifier-test', connections: [CONNECTION], ...config });
  writeFileSync(file, JSON.stringify(parsed));
  return { [ENVIRONMENT.configFile]: file };
}
