/**
 * Decides by policies as IAM documents it, for the elements that this project's template has: `NotAction`,
 * `NotResource`, `NotPrincipal` and any operator that is not listed here throw.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export interface Statement {
  /** Its `Sid`, or its first action when it has none. */
  readonly name: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** ARNs of roles or accounts, or `*`. Null in the policy of a role. */
  readonly principals: readonly string[] | null;
  readonly conditions: Conditions;
}

type Conditions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** One authorization that a request needs. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
  /** Values of condition keys, by their names in lower case. */
  readonly context: Context;
}

export type Context = Readonly<Record<string, readonly string[]>>;

export type Decision =
  | { readonly allowed: true; readonly by: readonly Statement[] }
  | { readonly allowed: false; readonly because: string };

export interface Policies {
  readonly roleArn: string;
  readonly ofRole: readonly Statement[];
  readonly ofResource: readonly Statement[];
}

/** For a role and a resource of one account: allowed by either policy, denied by neither. */
export function decide(permission: Permission, { roleArn, ofRole, ofResource }: Policies): Decision {
  const context = { ...permission.context, 'aws:principalarn': [roleArn] };
  const matching = [...ofRole, ...ofResource].filter((statement) =>
    matches(statement, { ...permission, context }, roleArn),
  );
  const denial = matching.find(({ effect }) => effect === 'Deny');
  if (denial !== undefined) return { allowed: false, because: `denied by ${denial.name}` };
  const by = matching.filter(({ effect }) => effect === 'Allow');
  return by.length > 0 ? { allowed: true, by } : { allowed: false, because: 'no statement allows it' };
}

/** Reads a policy document in any of its spellings. */
export function parsePolicy(document: string): readonly Statement[] {
  const { Statement: statements } = JSON.parse(document) as { Statement: unknown };
  return toList(statements).map((statement) =>
    parseStatement(statement as Readonly<Record<string, unknown>>),
  );
}

function parseStatement(statement: Readonly<Record<string, unknown>>): Statement {
  const { Sid, Effect, Action, Resource, Principal, Condition = {} } = statement;
  const unknown = Object.keys(statement).filter((name) => !KNOWN_ELEMENTS.has(name));
  if (unknown.length > 0) throw new Error(`cannot decide by ${unknown.join(', ')} of a policy`);
  const conditions = Object.entries(Condition as Record<string, Record<string, unknown>>).map(
    ([operator, keys]) => [
      operator,
      Object.fromEntries(Object.entries(keys).map(([key, values]) => [key.toLowerCase(), toTexts(values)])),
    ],
  );
  return {
    name: typeof Sid === 'string' && Sid !== '' ? Sid : (toTexts(Action)[0] ?? ''),
    effect: Effect === 'Deny' ? 'Deny' : 'Allow',
    actions: toTexts(Action),
    resources: toTexts(Resource),
    principals: Principal === undefined ? null : toPrincipals(Principal),
    conditions: Object.fromEntries(conditions),
  };
}

const KNOWN_ELEMENTS = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Principal', 'Condition']);

/** Services act in their own name; none of them is a role. */
function toPrincipals(principal: unknown): readonly string[] {
  if (typeof principal === 'string') return [principal];
  const { AWS = [] } = principal as { AWS?: unknown };
  return toTexts(AWS);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function toTexts(value: unknown): readonly string[] {
  return toList(value).map(String);
}

function matches(statement: Statement, permission: Permission, roleArn: string): boolean {
  const { actions, resources, principals, conditions } = statement;
  return (
    (principals === null || principals.some((principal) => isPrincipal(principal, roleArn))) &&
    actions.some((action) => matchGlob(action.toLowerCase(), permission.action.toLowerCase())) &&
    resources.some((resource) => resource === '*' || matchArn(resource, permission.resource)) &&
    Object.entries(conditions).every(([operator, keys]) => holds(operator, keys, permission.context))
  );
}

/** An account as principal stands for whoever its own policies allow; that is not decided here. */
function isPrincipal(principal: string, roleArn: string): boolean {
  return principal === '*' || principal === roleArn;
}

type Test = (wanted: string, value: string) => boolean;

const OPERATORS: Readonly<Record<string, Test>> = {
  StringEquals: (wanted, value) => wanted === value,
  StringLike: matchGlob,
  ArnEquals: matchArn,
  ArnLike: matchArn,
  Bool: (wanted, value) => wanted.toLowerCase() === value.toLowerCase(),
};

const NEGATED: ReadonlySet<string> = new Set(['ArnNotEquals', 'StringNotEquals']);

const ALL_VALUES = 'ForAllValues:';

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-logic-multiple-context-keys-or-values.html */
function holds(
  operator: string,
  keys: Readonly<Record<string, readonly string[]>>,
  context: Context,
): boolean {
  const all = operator.startsWith(ALL_VALUES);
  const plain = all ? operator.slice(ALL_VALUES.length) : operator;
  const negated = NEGATED.has(plain);
  const test = OPERATORS[negated ? plain.replace('Not', '') : plain];
  if (test === undefined) throw new Error(`cannot decide by the condition ${operator}`);
  return Object.entries(keys).every(([key, wanted]) => {
    const values = context[key];
    // Without a value, set operators and negated ones hold.
    if (values === undefined) return all || negated;
    const isWanted = (value: string) => wanted.some((each) => test(each, value));
    if (negated) return !values.some(isWanted);
    return all ? values.every(isWanted) : values.length === 1 && values.every(isWanted);
  });
}

/** `*` and `?` within each of the first five parts; the resource part is one text. */
function matchArn(pattern: string, arn: string): boolean {
  const [wanted, parts] = [splitArn(pattern), splitArn(arn)];
  return wanted.length === parts.length && wanted.every((part, index) => matchGlob(part, parts[index] ?? ''));
}

const ARN_PARTS = 6;

function splitArn(arn: string): readonly string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(':')];
}

function matchGlob(pattern: string, value: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}
