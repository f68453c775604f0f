import type { Context, SQSRecord } from 'aws-lambda';
import { vi } from 'vitest';
import type { EmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

/** The context of one invocation, with the id `request-1` and a minute left. */
export function createContext(functionName: string): Context {
  return {
    awsRequestId: 'request-1',
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:0:function:${functionName}`,
    memoryLimitInMB: '512',
    logGroupName: 'group',
    logStreamName: 'stream',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => 60_000,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

/** A message of a queue, as Lambda passes it to a function. */
export function createSqsRecord(
  body: string,
  { messageId = body, attributes = {} }: { messageId?: string; attributes?: Record<string, string> } = {},
): SQSRecord {
  const messageAttributes = Object.entries(attributes).map(([name, stringValue]) => [
    name,
    { dataType: 'String', stringValue },
  ]);
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
    messageAttributes: Object.fromEntries(messageAttributes),
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:local:0:queue',
    awsRegion: 'local',
  };
}

/** Sets the environment of Lambda, with the table in an embedded engine. Returns the lines of the log as they come. */
export async function stubLambda(dynamo?: EmbeddedDynamo): Promise<Record<string, unknown>[]> {
  const endpoint = await dynamo?.client.config.endpoint?.();
  if (endpoint !== undefined)
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://${endpoint.hostname}:${endpoint.port}`);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  // The logger then writes to the console of this process.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const lines: Record<string, unknown>[] = [];
  vi.spyOn(console, 'log').mockImplementation(() => {});
  vi.spyOn(console, 'info').mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  return lines;
}
