import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** Tries of one request, the first one included. Pinned: the SDK's default changes over time. */
const MAX_ATTEMPTS = 4;
/** A healthy answer takes milliseconds; a lost connection must not eat up a poll's time. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;

/** Where another DynamoDB than that of the function's own region and role is. */
export type DynamoAddress = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>;

/** A client that retries what is worth it a few times, and gives up in time. Holds connections: one per process. */
export function createDynamoClient(address: DynamoAddress = {}): DynamoDBClient {
  return new DynamoDBClient({
    ...address,
    retryMode: 'standard',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Without it the timeout only warns.
      throwOnRequestTimeout: true,
    },
  });
}
