import { LOCAL_ACCOUNT, localArn } from './local-account.ts';

/** Values of `Ref` and `Fn::GetAtt` for a local resource. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Identity of a resource. Computed from type and physical name, so the resource need not exist yet. */
export function identify(type: string, name: string, messagingEndpoint: string): Identity {
  switch (type) {
    case 'AWS::DynamoDB::Table':
    case 'AWS::DynamoDB::GlobalTable':
      return { ref: name, attributes: { Arn: localArn('dynamodb', `table/${name}`) } };
    case 'AWS::SNS::Topic': {
      const arn = localArn('sns', name);
      return { ref: arn, attributes: { TopicArn: arn, TopicName: name } };
    }
    case 'AWS::SQS::Queue': {
      const url = `${messagingEndpoint}/${LOCAL_ACCOUNT}/${name}`;
      return { ref: url, attributes: { Arn: localArn('sqs', name), QueueName: name, QueueUrl: url } };
    }
    case 'AWS::Lambda::Function':
      return { ref: name, attributes: { Arn: localArn('lambda', `function:${name}`) } };
    case 'AWS::Scheduler::Schedule':
      return { ref: name, attributes: { Arn: localArn('scheduler', `schedule/default/${name}`) } };
    default:
      return { ref: name, attributes: {} };
  }
}
