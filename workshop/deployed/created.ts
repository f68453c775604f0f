import { LOCAL_ACCOUNT, LOCAL_REGION, localArn } from '#local/aws/template/local-account.ts';
import { createResolve, type Resolver } from '#local/aws/template/resolver.ts';
import { OPERATOR } from './commands.ts';

/** What CloudFormation made of a resource. */
interface Created {
  readonly type: string;
  /** As CloudFormation gives it: what `Ref` stands for. */
  readonly physicalId: string;
}

const MEMBER = /<member>([\s\S]*?)<\/member>/g;
const TEXT = /<(\w+)>([^<]*)<\/\1>/g;

/**
 * Asks CloudFormation what a stack has, by logical id. No client of it is installed. `endpoint`: of the emulator, which
 * reads the service from the signature and does not check it.
 */
export async function readCreated(
  endpoint: string,
  stackName: string,
): Promise<ReadonlyMap<string, Created>> {
  const scope = `${OPERATOR}/20260101/${LOCAL_REGION}/cloudformation/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  const asked = { Action: 'DescribeStackResources', Version: '2010-05-15', StackName: stackName };
  const body = new URLSearchParams(asked);
  const response = await fetch(endpoint, { method: 'POST', headers: { authorization }, body });
  const xml = await response.text();
  if (!response.ok) throw new Error(`CloudFormation answered ${response.status}: ${xml.slice(0, 500)}`);
  return new Map(
    [...xml.matchAll(MEMBER)].map(([, member = '']) => {
      const texts = [...member.matchAll(TEXT)].map(([, name, text]) => [name, text] as const);
      const { LogicalResourceId, ResourceType, PhysicalResourceId } = Object.fromEntries(texts);
      return [
        String(LogicalResourceId),
        { type: String(ResourceType), physicalId: String(PhysicalResourceId) },
      ];
    }),
  );
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
