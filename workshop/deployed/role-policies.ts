import type { Resources } from './adapted-template.ts';
import type { AwsApi } from './aws-api.ts';
import type { Resolve } from './references.ts';

const VERSION = '2010-05-08';

interface InlinePolicy {
  readonly PolicyName: string;
  readonly PolicyDocument: unknown;
}

interface PolicyTools {
  readonly api: AwsApi;
  readonly resolve: Resolve;
  /** Name of the role that CloudFormation made, by its logical id. */
  readonly roleName: (logicalId: string) => string;
}

/**
 * Puts the inline policies of all roles of a template. moto's CloudFormation writes them as a Python text instead of
 * JSON, and leaves them as they are when a template changes.
 */
export async function putRolePolicies(
  resources: Resources,
  { api, resolve, roleName }: PolicyTools,
): Promise<void> {
  for (const [id, { Type, Properties = {} }] of Object.entries(resources)) {
    if (Type !== 'AWS::IAM::Role') continue;
    for (const { PolicyName, PolicyDocument } of (Properties.Policies ?? []) as InlinePolicy[]) {
      await api.query('iam', {
        Action: 'PutRolePolicy',
        Version: VERSION,
        RoleName: roleName(id),
        PolicyName,
        PolicyDocument: JSON.stringify(resolve(PolicyDocument)),
      });
    }
  }
}
