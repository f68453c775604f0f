import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { ACCOUNT, REGION } from '../account.ts';
import type { Aws } from '../aws.ts';
import { FOUND_QUEUE } from '../world/everything.ts';
import { admitRole, type RoleCredentials } from './assume-role.ts';

/** The policy that `docs/console.md` names. */
const POLICY = join(PROJECT_ROOT, 'examples', 'console-policy.json');
const ROLE = 'console-reader';
/** Its place in `docs/security.md`. */
const CONSOLE_KIND = 'console';

/** Somebody who may only look: a role with the policy of the documents. */
export async function createConsoleRole(aws: Aws, stackName: string): Promise<RoleCredentials> {
  const values = { STACK: stackName, REGION, ACCOUNT, QUEUE: FOUND_QUEUE };
  const policy = readFileSync(POLICY, 'utf8').replaceAll(
    /\b(?:STACK|REGION|ACCOUNT|QUEUE)\b/g,
    (name) => values[name as keyof typeof values],
  );
  const caller = { functionName: `${stackName}-${CONSOLE_KIND}` };
  return await admitRole(aws, { role: ROLE, policy, caller });
}
