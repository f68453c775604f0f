import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** The first try included. Pinned because the default of the SDK changes over time. */
const MAX_ATTEMPTS = 4;
/** A healthy answer takes milliseconds; a lost connection must not use up the time of a poll. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;

/** A DynamoDB other than the one of the function's region and role. */
export type DynamoAddress = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>;

/** Creates a client that holds connections: make one per process. */
export function createDynamoClient(address: DynamoAddress = {}): DynamoDBClient {
  const client = new DynamoDBClient({
    ...address,
    retryMode: 'standard',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Without this the timeout only logs a warning.
      throwOnRequestTimeout: true,
    },
  });
  // It copies each request and answer, even for a log that nothing keeps.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
