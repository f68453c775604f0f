import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { findRetentionDays, readConfig } from '#functions/parts/config.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { configVariable } from '#test/support/config-file.ts';

const CONNECTION = { name: 'main', baseUrl: 'https://acme.example', timeZone: 'UTC', secretName: 'main' };

test('the config is beside the code, unless a variable names another file', () => {
  const beside = configVariable({ stackName: 'beside' })[ENVIRONMENT.configFile] ?? '';
  const variables = { LAMBDA_TASK_ROOT: dirname(beside) };
  expect(readConfig(variables).stackName).toBe('beside');
  expect(readConfig({ ...variables, ...configVariable({ stackName: 'other' }) }).stackName).toBe('other');
});

test('alerts and deliveries are remembered as long as the longest of all connections says', () => {
  const connections = [30, 60, 20].map((retentionDays, at) => ({
    ...CONNECTION,
    name: `c${at}`,
    retentionDays,
  }));
  expect(findRetentionDays(readConfig(configVariable({ connections })))).toBe(60);
});
