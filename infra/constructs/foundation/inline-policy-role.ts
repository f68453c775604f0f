import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role with an inline policy. A separate policy would count towards the 500 resources of a stack, and for a moment of
 * each deployment the role would exist without it.
 */
export class InlinePolicyRole extends Role {
  private readonly permissions: PolicyDocument;

  constructor(scope: Construct, id: string, props: RoleProps) {
    const permissions = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Permissions: permissions } });
    this.permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
