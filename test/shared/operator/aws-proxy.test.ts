import { afterEach, expect, test, vi } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { openAwsTarget } from '#shared/operator/aws-target.ts';
import { CONNECTION } from '#test/infra/synthesized.ts';
import { startForwardProxy } from '#test/support/forward-proxy.ts';

afterEach(() => vi.unstubAllEnvs());

test('commands reach AWS through the proxy of the environment', async () => {
  const proxy = await startForwardProxy();
  const variables = {
    ...proxy.environment,
    ...{ AWS_REGION: 'eu-north-1', AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'B' },
    AWS_MAX_ATTEMPTS: '1',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  try {
    const config = parseNotifierConfig({ connections: [CONNECTION] });
    await expect(openAwsTarget(config)).rejects.toMatchObject({ code: 'aws_unreachable' });
    expect(proxy.asked).toEqual(['CONNECT ssm.eu-north-1.amazonaws.com:443']);
  } finally {
    await proxy.stop();
  }
});
