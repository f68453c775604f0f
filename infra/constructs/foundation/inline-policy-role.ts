import { Stack } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  type CfnRole,
  ManagedPolicy,
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

/** The same for a policy of its own, and how many of them a role takes. */
const MAX_MANAGED_CHARACTERS = 6_144;
const MAX_MANAGED_POLICIES = 10;

/**
 * A role with an inline policy. A separate policy would count towards the 500 resources of a stack, so there is one only
 * for what the inline policy has no room for.
 */
export class InlinePolicyRole extends Role {
  private readonly permissions: PolicyDocument;
  private readonly statements: PolicyStatement[] = [];
  /** What the app adds from now on goes into a policy of its own. */
  private isFull = false;

  constructor(scope: Construct, id: string, props: RoleProps) {
    const permissions = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Permissions: permissions } });
    this.permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    if (this.isFull) return super.addToPrincipalPolicy(statement);
    this.permissions.addStatements(statement);
    this.statements.push(statement);
    return { statementAdded: true, policyDependable: this };
  }

  /**
   * Moves statements into policies of their own, the longest first, while all of them are longer than IAM takes, by the
   * longest values that references may have. Throws `config_invalid` when that is not enough.
   */
  fitPolicies(): void {
    const all = this.measure(this.statements);
    if (all <= MAX_POLICY_CHARACTERS) return;
    this.isFull = true;
    const moved: PolicyStatement[][] = [];
    let kept = this.statements.toSorted((a, b) => this.measure([b]) - this.measure([a]));
    for (const statement of kept) {
      if (this.measure(kept) <= MAX_POLICY_CHARACTERS) break;
      const fits = (others: readonly PolicyStatement[]) =>
        this.measure([...others, statement]) <= MAX_MANAGED_CHARACTERS;
      const policy = moved.find(fits);
      if (policy !== undefined) policy.push(statement);
      else if (fits([]) && moved.length < MAX_MANAGED_POLICIES) moved.push([statement]);
      else continue;
      kept = kept.filter((each) => each !== statement);
    }
    if (this.measure(kept) > MAX_POLICY_CHARACTERS) {
      throw new NotifierError(
        'config_invalid',
        `connections: the policies of ${this.node.path} take up to ${all} characters, and IAM allows ${MAX_POLICY_CHARACTERS} and ${MAX_MANAGED_CHARACTERS}; use fewer connections, webhooks or queues, shorter names of them and of their secrets, or several stacks`,
      );
    }
    const policyDocument = new PolicyDocument({ statements: kept });
    (this.node.defaultChild as CfnRole).policies = [{ policyName: 'Permissions', policyDocument }];
    // The role refers to them, so that it is never without them.
    for (const [index, statements] of moved.entries())
      this.addManagedPolicy(
        new ManagedPolicy(this, index === 0 ? 'More' : `More${index + 1}`, { statements }),
      );
  }

  private measure(statements: PolicyStatement[]): number {
    return JSON.stringify(estimateReferences(Stack.of(this).resolve(new PolicyDocument({ statements }))))
      .length;
  }
}

/** Makes the policies of all roles below a construct fit, once all permissions are given. */
export function fitPolicies(scope: IConstruct): void {
  for (const construct of scope.node.findAll()) {
    if (construct instanceof InlinePolicyRole) construct.fitPolicies();
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
