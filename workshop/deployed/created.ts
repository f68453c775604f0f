import { LOCAL_ACCOUNT, LOCAL_REGION, localArn } from '#local/aws/template/local-account.ts';
import { createResolve, type Resolver } from '#local/aws/template/resolver.ts';
import { OPERATOR } from './commands.ts';

/** What CloudFormation made of a resource. */
interface Created {
  readonly type: string;
  /** As CloudFormation gives it: what `Ref` stands for. */
  readonly physicalId: string;
}

interface Endpoint {
  /** Of the emulator. */
  readonly endpoint: string;
}

/** Asks CloudFormation what a stack has, by logical id. */
export async function readCreated(
  account: Endpoint,
  stackName: string,
): Promise<ReadonlyMap<string, Created>> {
  const resources = await askCloudFormation(account, 'DescribeStackResources', stackName);
  return new Map(
    resources.map(({ LogicalResourceId = '', ResourceType = '', PhysicalResourceId = '' }) => [
      LogicalResourceId,
      { type: ResourceType, physicalId: PhysicalResourceId },
    ]),
  );
}

const MAX_DESCRIBED = 8;

/** For the message of a deployment that failed. */
export async function describeLastEvents(account: Endpoint, stackName: string): Promise<string> {
  const events = await askCloudFormation(account, 'DescribeStackEvents', stackName).catch(() => []);
  const lines = events
    .slice(0, MAX_DESCRIBED)
    .map(({ LogicalResourceId, ResourceStatus, ResourceStatusReason = '' }) =>
      `  ${LogicalResourceId} ${ResourceStatus} ${ResourceStatusReason}`.trimEnd(),
    );
  return [`last events of ${stackName}, latest first:`, ...lines].join('\n');
}

/** The members of the answer, each with its texts by name. No client is installed that speaks with CloudFormation. */
async function askCloudFormation({ endpoint }: Endpoint, Action: string, StackName: string) {
  const scope = `${OPERATOR}/20260101/${LOCAL_REGION}/cloudformation/aws4_request`;
  // The emulator reads the service from the signature, and does not check it.
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  const body = new URLSearchParams({ Action, Version: '2010-05-15', StackName });
  const response = await fetch(endpoint, { method: 'POST', headers: { authorization }, body });
  const xml = await response.text();
  if (!response.ok) throw new Error(`${Action} answered ${response.status}: ${xml.slice(0, 500)}`);
  return [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)]
    .map(([, member = '']) =>
      Object.fromEntries([...member.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name, text]) => [name, text])),
    )
    .filter((member): member is Record<string, string> => member.LogicalResourceId !== undefined);
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': LOCAL_ACCOUNT,
  'AWS::Region': LOCAL_REGION,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** How the ARN of a resource is made of its name. */
const ARNS: Readonly<Record<string, (name: string) => string>> = {
  'AWS::SQS::Queue': (url) => localArn('sqs', url.slice(url.lastIndexOf('/') + 1)),
  'AWS::Lambda::Function': (name) => localArn('lambda', `function:${name}`),
  'AWS::DynamoDB::Table': (name) => localArn('dynamodb', `table/${name}`),
};

/** Resolves references of a template to what was created. What was not stands for its logical id. */
export function createResolver(created: ReadonlyMap<string, Created>): Resolver {
  const nameOf = (id: string) => created.get(id)?.physicalId ?? id;
  const resolve = createResolve({
    refer: (name) => PSEUDO[name] ?? nameOf(name),
    attribute: (id) => ARNS[created.get(id)?.type ?? '']?.(nameOf(id)) ?? nameOf(id),
  });
  return { resolve, nameOf };
}
