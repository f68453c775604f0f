import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { ACCOUNT, buildArn, REGION } from '../account.ts';
import type { Aws } from '../aws.ts';
import { FOUND_QUEUE } from '../world/everything.ts';
import { assumeRole, type RoleCredentials, TRUST_IN_OPERATOR } from './assume-role.ts';

/** The policy that `docs/console.md` shows. */
const POLICY = join(PROJECT_ROOT, 'examples', 'console-policy.json');
const ROLE = 'console-reader';
/** Its place in `docs/permissions.md`. */
export const CONSOLE_KIND = 'console';

/** Somebody who may only look: a role with the policy of the documents. The gate judges what it asks for. */
export async function createConsoleRole({ api, gate }: Aws, stackName: string): Promise<RoleCredentials> {
  const iam = (Action: string, more: Readonly<Record<string, string>>) =>
    api.query('iam', { Action, Version: '2010-05-08', RoleName: ROLE, ...more });
  await iam('CreateRole', { AssumeRolePolicyDocument: JSON.stringify(TRUST_IN_OPERATOR) });
  const values = { STACK: stackName, REGION, ACCOUNT, QUEUE: FOUND_QUEUE };
  const PolicyDocument = readFileSync(POLICY, 'utf8').replaceAll(
    /\b(?:STACK|REGION|ACCOUNT|QUEUE)\b/g,
    (name) => values[name as keyof typeof values],
  );
  await iam('PutRolePolicy', { PolicyName: 'Read', PolicyDocument });
  const roleArn = buildArn('iam', `role/${ROLE}`);
  const credentials = await assumeRole(api, roleArn);
  await gate.admit(credentials.AWS_ACCESS_KEY_ID, { functionName: `${stackName}-${CONSOLE_KIND}`, roleArn });
  return credentials;
}
