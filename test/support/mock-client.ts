import { mockClient as mockAwsClient } from 'aws-sdk-client-mock';
import { afterAll } from 'vitest';

/** Mocks a client, or all clients of a class, until the file ends: the files after it share the modules of the SDK. */
export const mockClient: typeof mockAwsClient = (client) => {
  const mock = mockAwsClient(client);
  afterAll(() => void mock.restore());
  return mock;
};
