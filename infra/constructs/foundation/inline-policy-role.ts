import { Stack } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct, IConstruct } from 'constructs';
import { NotifierError } from '#shared/core/errors.ts';

/** Quota of IAM for all inline policies of a role, which no support case raises. Whitespace does not count. */
const MAX_POLICY_CHARACTERS = 10_240;

/** The longest values that AWS has for its own references; `aws-us-gov` has no region with a longer name than this. */
const PSEUDO_REFERENCES: Readonly<Record<string, string>> = {
  'AWS::AccountId': 'x'.repeat('123456789012'.length),
  'AWS::Partition': 'x'.repeat('aws-us-gov'.length),
  'AWS::Region': 'x'.repeat('us-gov-west-1'.length),
  'AWS::URLSuffix': 'x'.repeat('amazonaws.com.cn'.length),
};

/** What a reference is taken for: the longest ARN of this template is that of a queue, whose name has 80 characters. */
const REFERENCE = 'x'.repeat('arn:aws-us-gov:sqs:us-gov-west-1:123456789012:'.length + 80);

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

  /** Throws `config_invalid` when the policy is longer than IAM takes, by the longest values that references may have. */
  checkPolicyLength(): void {
    const { length } = JSON.stringify(estimateReferences(Stack.of(this).resolve(this.permissions)));
    if (length <= MAX_POLICY_CHARACTERS) return;
    throw new NotifierError(
      'config_invalid',
      `connections: the policy of ${this.node.path} takes up to ${length} characters, and IAM allows ${MAX_POLICY_CHARACTERS}; use fewer connections, webhooks or subscriptions, shorter names of them and of their secrets, or several stacks`,
    );
  }
}

/** Checks the policies of all roles below a construct, once all permissions are given. */
export function checkPolicyLengths(scope: IConstruct): void {
  for (const construct of scope.node.findAll()) {
    if (construct instanceof InlinePolicyRole) construct.checkPolicyLength();
  }
}

/** A resolved value with texts in place of references. */
function estimateReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(estimateReferences);
  if (typeof value !== 'object' || value === null) return value;
  const [[key, argument] = [], ...more] = Object.entries(value);
  if (more.length === 0 && key === 'Ref') return PSEUDO_REFERENCES[argument] ?? REFERENCE;
  if (more.length === 0 && key === 'Fn::GetAtt') return REFERENCE;
  if (more.length === 0 && key === 'Fn::Join') {
    return (estimateReferences(argument[1]) as unknown[]).join(argument[0]);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, estimateReferences(item)]));
}
