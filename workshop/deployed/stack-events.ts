import { type AwsApi, readElement } from './aws-api.ts';

interface StackEvent {
  readonly logicalId: string;
  readonly status: string;
  /** Empty when CloudFormation says none. */
  readonly reason: string;
}

const MAX_DESCRIBED = 8;

/** The events that CloudFormation has of a stack, latest first. None when there is no such stack. */
async function readStackEvents(api: AwsApi, StackName: string): Promise<readonly StackEvent[]> {
  const request = { Action: 'DescribeStackEvents', Version: '2010-05-15', StackName };
  const xml = await api.query('cloudformation', request).catch(() => '');
  return [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, event = '']) => ({
    logicalId: readElement(event, 'LogicalResourceId'),
    status: readElement(event, 'ResourceStatus'),
    reason: event.includes('<ResourceStatusReason>') ? readElement(event, 'ResourceStatusReason') : '',
  }));
}

/** For the message of a deployment that failed. */
export async function describeLastEvents(api: AwsApi, stackName: string): Promise<string> {
  const events = (await readStackEvents(api, stackName)).slice(0, MAX_DESCRIBED);
  if (events.length === 0) return `CloudFormation has no events of ${stackName}`;
  const lines = events.map(({ logicalId, status, reason }) => `  ${logicalId} ${status} ${reason}`.trimEnd());
  return [`last events of ${stackName}, latest first:`, ...lines].join('\n');
}
