import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const CONFIG = `[default]
use_fips_endpoint = true

[profile company]
use_dualstack_endpoint = true
retry_mode = of the company
`;

/** The environment of a user whose AWS settings make every client of the SDK fail that takes one of them. */
export function writeAwsSettings(): Readonly<Record<string, string>> {
  const home = createTemporaryFolder('home');
  mkdirSync(join(home, '.aws'));
  writeFileSync(join(home, '.aws', 'config'), CONFIG);
  return {
    HOME: home,
    USERPROFILE: home,
    AWS_PROFILE: 'company',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_MAX_ATTEMPTS: 'many',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1',
  };
}
