import { createResolve, type Resolve } from '#local/aws/template/resolver.ts';
import { ACCOUNT, buildArn, REGION } from './account.ts';
import { type AwsApi, readElement } from './aws-api.ts';

interface Created {
  readonly type: string;
  /** As CloudFormation gives it: what `Ref` stands for. */
  readonly physicalId: string;
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Asks CloudFormation what the stack has. */
export async function readCreated(api: AwsApi, stackName: string): Promise<ReadonlyMap<string, Created>> {
  const xml = await api.query('cloudformation', {
    Action: 'DescribeStackResources',
    Version: '2010-05-15',
    StackName: stackName,
  });
  const members = [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, member = '']) => member);
  const resources = members.filter((member) => member.includes('<LogicalResourceId>'));
  return new Map(
    resources.map((member) => [
      readElement(member, 'LogicalResourceId'),
      { type: readElement(member, 'ResourceType'), physicalId: readElement(member, 'PhysicalResourceId') },
    ]),
  );
}

/** Resolves references of a template to what the emulator's CloudFormation created. */
export function createResolver(created: ReadonlyMap<string, Created>): Resolve {
  const find = (id: string) => {
    const found = created.get(id);
    if (found === undefined) throw new Error(`the stack has no ${id}`);
    return found;
  };
  return createResolve({
    refer: (name) => PSEUDO[name] ?? find(name).physicalId,
    attribute: (id) => toArn(find(id)),
  });
}

function toArn({ type, physicalId }: Created): string {
  const name = physicalId.slice(physicalId.lastIndexOf('/') + 1);
  switch (type) {
    case 'AWS::SQS::Queue':
      return buildArn('sqs', name);
    case 'AWS::IAM::Role':
      return buildArn('iam', `role/${name}`);
    case 'AWS::Lambda::Function':
      return buildArn('lambda', `function:${name}`);
    case 'AWS::DynamoDB::Table':
      return buildArn('dynamodb', `table/${name}`);
    case 'AWS::KMS::Key':
      return buildArn('kms', `key/${name}`);
    case 'AWS::Logs::LogGroup':
      // Its name has slashes.
      return buildArn('logs', `log-group:${physicalId}:*`);
    default:
      throw new Error(`no ARN known for ${type}`);
  }
}
