import { ACCOUNT, buildArn } from '../account.ts';
import type { Aws } from '../aws.ts';
import { type AwsApi, readElement } from '../aws-api.ts';
import type { Caller } from './authorize.ts';

/** Temporary credentials, as variables of a function. */
export interface RoleCredentials extends Readonly<Record<string, string>> {
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
  readonly AWS_SESSION_TOKEN: string;
}

/** Credentials of a role. In AWS only Lambda or Scheduler may assume those of the stack; the emulator lets anyone. */
export async function assumeRole(api: AwsApi, roleArn: string): Promise<RoleCredentials> {
  const xml = await api.query('sts', {
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'function',
  });
  return {
    AWS_ACCESS_KEY_ID: readElement(xml, 'AccessKeyId'),
    AWS_SECRET_ACCESS_KEY: readElement(xml, 'SecretAccessKey'),
    AWS_SESSION_TOKEN: readElement(xml, 'SessionToken'),
  };
}

/** Operations of IAM on a role. */
export function createIam(api: AwsApi, RoleName: string) {
  return (Action: string, more: Readonly<Record<string, string>> = {}) =>
    api.query('iam', { Action, Version: '2010-05-08', RoleName, ...more });
}

interface NewRole {
  readonly role: string;
  readonly policy: string;
  readonly caller: Omit<Caller, 'roleArn'>;
}

/** Makes a role that is none of the stack's. The gate judges what it asks for. */
export async function admitRole(
  { api, gate }: Aws,
  { role, policy, caller }: NewRole,
): Promise<RoleCredentials> {
  const iam = createIam(api, role);
  await iam('CreateRole', { AssumeRolePolicyDocument: JSON.stringify(TRUST_IN_OPERATOR) });
  await iam('PutRolePolicy', { PolicyName: 'Own', PolicyDocument: policy });
  const roleArn = buildArn('iam', `role/${role}`);
  const credentials = await assumeRole(api, roleArn);
  await gate.admit(credentials.AWS_ACCESS_KEY_ID, { ...caller, roleArn });
  return credentials;
}

const TRUST_IN_OPERATOR = {
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` }, Action: 'sts:AssumeRole' },
  ],
};
