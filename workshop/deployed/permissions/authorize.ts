import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import { GetTopicAttributesCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { buildArn, REGION } from '../account.ts';
import type { AwsClients } from '../aws.ts';
import { type AwsApi, readElement } from '../aws-api.ts';
import { createIam } from './assume-role.ts';
import { type Context, decide, type Permission, parsePolicy, type Statement } from './policy.ts';
import type { Need } from './request.ts';

/** Whose request it is. */
export interface Caller {
  readonly functionName: string;
  readonly roleArn: string;
  /** It tries what it must not do. */
  readonly intrudes?: boolean;
}

/** What IAM has to decide about a request, and what it decides. */
export interface Verdict {
  readonly caller: Caller;
  readonly permission: Permission;
  /** Null when it is refused. */
  readonly by: readonly Statement[] | null;
  readonly because: string;
}

export interface Authorizer {
  /** One verdict for each permission that is needed. The request is refused when one of them is. */
  authorize(caller: Caller, needs: readonly Need[]): Promise<readonly Verdict[]>;
  statementsOf(roleArn: string): Promise<readonly Statement[]>;
  /** Policies are read once, until this is called. */
  forget(): void;
}

/** Decides by the policies of the account, as they are after a deployment. */
export function createAuthorizer(clients: AccountClients): Authorizer {
  let roles = new Map<string, Promise<readonly Statement[]>>();
  let resources = new Map<string, Promise<Touched>>();
  const statementsOf = (roleArn: string) =>
    remember(roles, roleArn, () => readRolePolicies(clients.api, roleArn));
  const touch = (arn: string) => remember(resources, arn, () => readTouched(clients, arn));
  return {
    statementsOf,
    authorize: async (caller, needs) => {
      const ofRole = await statementsOf(caller.roleArn);
      const verdicts = needs.map(async (need) => {
        const touched = await touch(need.resource);
        return toPermissions(need, touched, caller).map((permission) =>
          reach({ caller, ofRole, touched }, permission),
        );
      });
      return (await Promise.all(verdicts)).flat();
    },
    forget: () => {
      roles = new Map();
      resources = new Map();
    },
  };
}

interface Case {
  readonly caller: Caller;
  readonly ofRole: readonly Statement[];
  readonly touched: Touched;
}

/** The policy of a key leaves the decision to the roles of its account. */
function reach({ caller, ofRole, touched }: Case, permission: Permission): Verdict {
  const ofResource = permission.action.startsWith('kms:') ? [] : touched.statements;
  const decision = decide(permission, { roleArn: caller.roleArn, ofRole, ofResource });
  return decision.allowed
    ? { caller, permission, by: decision.by, because: '' }
    : { caller, permission, by: null, because: decision.because };
}

function remember<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? read();
  known.set(key, value);
  return value;
}

/** The service calls KMS in the name of the caller, whose role must allow that too. */
function toPermissions(need: Need, { arn, keyArn }: Touched, caller: Caller): readonly Permission[] {
  const own = { action: need.action, resource: arn, context: toContext(need, caller) };
  if (keyArn === null) return [own];
  const [service = '', operation = ''] = need.action.split(':');
  const actions = KEY_ACTIONS[service]?.(operation) ?? [];
  const context = {
    'kms:viaservice': [`${service}.${REGION}.amazonaws.com`],
    ...encryptionContext(service, arn),
  };
  return [own, ...actions.map((action) => ({ action, resource: keyArn, context }))];
}

/** TLS is what AWS sees; the loopback of the emulator has none. Lambda names the function in the credentials of its code. */
function toContext({ partitionKeys }: Need, { functionName }: Caller): Context {
  return {
    'aws:securetransport': ['true'],
    'lambda:sourcefunctionarn': [buildArn('lambda', `function:${functionName}`)],
    ...(partitionKeys === undefined ? {} : { 'dynamodb:leadingkeys': partitionKeys }),
  };
}

/** What each service does with the key when a role calls an operation. */
const KEY_ACTIONS: Readonly<Record<string, (operation: string) => readonly string[]>> = {
  // https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#sns-what-permissions-for-sse
  sns: (operation) => (operation === 'Publish' ? ['kms:GenerateDataKey', 'kms:Decrypt'] : []),
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
  sqs: (operation) => {
    if (operation === 'SendMessage') return ['kms:GenerateDataKey', 'kms:Decrypt'];
    return operation === 'ReceiveMessage' ? ['kms:Decrypt'] : [];
  },
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
  dynamodb: (operation) => (operation === 'DescribeTable' ? [] : ['kms:Decrypt']),
  // https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
  secretsmanager: (operation) => (operation === 'GetSecretValue' ? ['kms:Decrypt'] : []),
};

const CONTEXT_KEYS: Readonly<Record<string, string>> = {
  sns: 'aws:sns:topicarn',
  sqs: 'aws:sqs:arn',
  secretsmanager: 'secretarn',
};

function encryptionContext(service: string, arn: string): Context {
  const key = CONTEXT_KEYS[service];
  return key === undefined ? {} : { [`kms:encryptioncontext:${key}`]: [arn] };
}

/** What a request touches, as the account describes it. */
interface Touched {
  /** Of the secret, where the request names it otherwise. */
  readonly arn: string;
  /** Of its resource policy. */
  readonly statements: readonly Statement[];
  /** ARN of a key that the customer manages. AWS's own keys ask for no permission of a role in the account. */
  readonly keyArn: string | null;
}

type AccountClients = Pick<AwsClients, 'api' | 'dynamoDb' | 'secrets' | 'sns' | 'sqs'>;

/** The statements of all inline policies of a role. Throws when it has attached ones, which no role of the stack has. */
async function readRolePolicies(api: AwsApi, roleArn: string): Promise<readonly Statement[]> {
  const RoleName = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  const ask = createIam(api, RoleName);
  if ((await ask('ListAttachedRolePolicies')).includes('<PolicyArn>')) {
    throw new Error(`${RoleName} has attached policies, which this test does not read`);
  }
  const names = (await ask('ListRolePolicies')).matchAll(/<member>([^<]+)<\/member>/g);
  const policies = await Promise.all(
    [...names].map(async ([, PolicyName = '']) => {
      const xml = await ask('GetRolePolicy', { PolicyName });
      return parsePolicy(decodeURIComponent(readElement(xml, 'PolicyDocument')));
    }),
  );
  return policies.flat();
}

/** Reads what a resource of a request is. Something that is not there has no policy and no key. */
async function readTouched(clients: AccountClients, arn: string): Promise<Touched> {
  const isArn = arn.startsWith('arn:') || arn === '*';
  const service = isArn ? arn.split(':')[2] : 'secretsmanager';
  // Requests name a secret by its name. Secrets Manager adds six characters to it.
  const fullArn = isArn ? arn : buildArn('secretsmanager', `secret:${arn}-AbCdEf`);
  const nothing = { arn: fullArn, statements: [], keyArn: null };
  return (await READERS[service ?? '']?.(clients, arn).catch(() => nothing)) ?? nothing;
}

const READERS: Readonly<Record<string, (clients: AccountClients, arn: string) => Promise<Touched>>> = {
  sns: async ({ sns }, arn) => {
    const { Attributes = {} } = await sns.send(new GetTopicAttributesCommand({ TopicArn: arn }));
    return describe(arn, Attributes.KmsMasterKeyId, Attributes.Policy);
  },
  sqs: async ({ sqs }, arn) => {
    const QueueUrl = `https://sqs/${arn.split(':').slice(4).join('/')}`;
    const AttributeNames = ['Policy' as const, 'KmsMasterKeyId' as const];
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
    return describe(arn, Attributes.KmsMasterKeyId, Attributes.Policy);
  },
  dynamodb: async ({ dynamoDb }, arn) => {
    const TableName = arn.slice(arn.lastIndexOf('/') + 1);
    const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName }));
    return describe(arn, Table?.SSEDescription?.KMSMasterKeyArn, undefined);
  },
  secretsmanager: async ({ secrets }, SecretId) => {
    const { ARN = SecretId, KmsKeyId } = await secrets.send(new DescribeSecretCommand({ SecretId }));
    return describe(ARN, KmsKeyId, undefined);
  },
};

function describe(arn: string, key: string | undefined, policy: string | undefined): Touched {
  return {
    arn,
    statements: policy === undefined || policy === '' ? [] : parsePolicy(policy),
    keyArn: key === undefined || key === '' || key.includes('alias/aws/') ? null : toKeyArn(key),
  };
}

function toKeyArn(key: string): string {
  return key.startsWith('arn:') ? key : buildArn('kms', `key/${key}`);
}
