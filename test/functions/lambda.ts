import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, SQSRecord } from 'aws-lambda';
import { vi } from 'vitest';

/** The context of an invocation, as Lambda passes it. */
export function createContext(functionName: string, remainingMs = 60_000): Context {
  return {
    awsRequestId: 'request-1',
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:0:function:${functionName}`,
    memoryLimitInMB: '512',
    logGroupName: 'group',
    logStreamName: 'stream',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => remainingMs,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

/** A message of a queue, as Lambda passes it. */
export function createQueueRecord(
  messageId: string,
  body: string,
  attributes: Readonly<Record<string, string>> = {},
): SQSRecord {
  return {
    messageId,
    receiptHandle: 'handle',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 'sender',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [
        name,
        { stringValue, dataType: 'String' as const },
      ]),
    ),
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:local:0:queue',
    awsRegion: 'local',
  };
}

/** Points the clients of a function at a local DynamoDB, and passes on the lines of its log. */
export async function stubLambdaEnvironment(
  client: DynamoDBClient,
  onLine: (line: Record<string, unknown>) => void,
): Promise<void> {
  const { hostname, port } = (await client.config.endpoint?.()) ?? { hostname: '', port: 0 };
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://${hostname}:${port}`);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  // The logger then writes to this process's console.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.spyOn(console, 'log').mockImplementation(() => {});
  vi.spyOn(console, 'info').mockImplementation((line: string) => onLine(JSON.parse(line)));
}
