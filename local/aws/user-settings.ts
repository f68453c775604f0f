import { devNull } from 'node:os';

/** The setting of a user that is meant for a run: another DynamoDB than the embedded one. */
export const DYNAMODB_VARIABLE = 'AWS_ENDPOINT_URL_DYNAMODB';
/** For the AWS SDK: no profiles, also not the default one of the user. */
export const NO_PROFILES = { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull } as const;

/** Whether a variable is one of the user's settings for AWS. */
export function isAwsSetting(name: string): boolean {
  return /^AWS_/i.test(name);
}

/**
 * Takes the AWS settings of the user out of an environment, before a client of the local engines is made: they are meant
 * for real accounts. Some, such as FIPS endpoints, no local engine can serve. A user without a home, as those that
 * containers run as, gets one without files: the SDK and the CDK fail where there is none.
 */
export function dropAwsSettings(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (isAwsSetting(name) && name !== DYNAMODB_VARIABLE) delete environment[name];
  }
  Object.assign(environment, { HOME: devNull, ...environment, ...NO_PROFILES });
}
