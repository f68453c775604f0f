import { devNull } from 'node:os';
import { expect, test } from 'vitest';
import { dropAwsSettings } from '#local/aws/user-settings.ts';

test('of the settings for AWS, only the address of another DynamoDB stays, and no file has more', () => {
  const others = {
    PATH: '/bin',
    HOME: '/home/a',
    NOT_AWS_: 'x',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000',
  };
  const files = { AWS_CONFIG_FILE: '/home/a/config', AWS_SHARED_CREDENTIALS_FILE: '/home/a/credentials' };
  const dropped = { AWS_REGION: 'eu-west-1', AWS_USE_FIPS_ENDPOINT: 'true', aws_profile: 'company' };
  const environment: NodeJS.ProcessEnv = { ...others, ...files, ...dropped };
  dropAwsSettings(environment);
  expect(environment).toEqual({
    ...others,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  });
});

test('a user without a home, for whom the SDK fails, gets one without files', () => {
  const environment: NodeJS.ProcessEnv = {};
  dropAwsSettings(environment);
  expect(environment.HOME).toBe(devNull);
});
