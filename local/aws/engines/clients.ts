import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../template/local-account.ts';

const LOCAL_CONFIGURATION = { region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS } as const;

export function createDynamoDbClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ ...LOCAL_CONFIGURATION, endpoint });
}

export function createSnsClient(endpoint: string): SNSClient {
  return new SNSClient({ ...LOCAL_CONFIGURATION, endpoint });
}

/** Uses only the queue name of queue URLs: their host and port are those of the run that created the queue. */
export function createSqsClient(endpoint: string): SQSClient {
  return new SQSClient({ ...LOCAL_CONFIGURATION, endpoint, useQueueUrlAsEndpoint: false });
}
