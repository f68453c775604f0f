import {
  DescribeParametersCommand,
  GetParameterCommand,
  GetParametersByPathCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { beforeEach, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { openAwsTarget } from '#shared/operator/aws-target.ts';
import { checkSource } from '#shared/operator/doctor/source-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import { CONNECTION, synthesize } from '#test/infra/synthesized.ts';
import { mockClient } from '#test/support/mock-client.ts';

/** Secrets of a deployed stack that are parameters, as its operator sees them. */

const ssm = mockClient(SSMClient);
const connections = [{ ...CONNECTION, secretName: 'ssm:/secrets/main' }];

beforeEach(() => {
  ssm.reset();
  const Parameters = synthesize({ connections })
    .ofType('AWS::SSM::Parameter')
    .map(({ properties: { Name, Value } }) => ({ Name: String(Name), Value: String(Value) }));
  ssm.on(GetParametersByPathCommand).resolves({ Parameters });
});

test('are read decrypted', async () => {
  ssm
    .on(GetParameterCommand, { Name: '/secrets/main', WithDecryption: true })
    .resolves({ Parameter: { Type: 'SecureString', Value: 'token' } });
  const target = await open();
  expect(await target.readSecret('ssm:/secrets/main')({ fresh: true })).toBe('token');
});

test('are looked for among those that are encrypted, and not read, where somebody only looks', async () => {
  ssm.on(DescribeParametersCommand).resolves({ Parameters: [{ Name: '/secrets/main' }] });
  const target = { ...(await open()), onlyLooks: true };
  expect(await check(target)).toMatchObject([{ outcome: 'ok' }]);
  expect(ssm.commandCalls(DescribeParametersCommand)[0]?.args[0].input).toEqual({
    ParameterFilters: [
      { Key: 'Name', Option: 'Equals', Values: ['/secrets/main'] },
      { Key: 'Type', Option: 'Equals', Values: ['SecureString'] },
    ],
  });
  expect(ssm.commandCalls(GetParameterCommand)).toEqual([]);
  ssm.on(DescribeParametersCommand).resolves({ Parameters: [] });
  expect(await check(target)).toMatchObject([
    { outcome: 'wrong', says: 'there is no secret ssm:/secrets/main' },
  ]);
});

async function open(): Promise<Target> {
  return await openAwsTarget(parseNotifierConfig({ connections }));
}

async function check(target: Target) {
  return (await Promise.all(target.connections.map((connection) => checkSource(connection, target)))).flat();
}
