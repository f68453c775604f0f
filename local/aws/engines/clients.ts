import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { SecretClients } from '#shared/adapters/secrets/secret-reader.ts';
import { type Endpoints, LOCAL_REGION, toCredentials } from '../template/local-account.ts';

type AddressOf<Service extends keyof Endpoints> = Pick<Endpoints, Service | 'accessKeyId'>;

export function createDynamoDbClient(endpoints: AddressOf<'dynamoDb'>): DynamoDBClient {
  return new DynamoDBClient(configure(endpoints, endpoints.dynamoDb));
}

/** One engine has the secrets of a run, wherever their names say that they are. */
export function createSecretClients(endpoints: AddressOf<'secretsManager'>): SecretClients {
  const options = configure(endpoints, endpoints.secretsManager);
  return { secretsManager: new SecretsManagerClient(options), ssm: new SSMClient(options) };
}

export function createSnsClient(endpoints: AddressOf<'messaging'>): SNSClient {
  return new SNSClient(configure(endpoints, endpoints.messaging));
}

/** Uses only the queue name of queue URLs: their host and port are those of the run that created the queue. */
export function createSqsClient(endpoints: AddressOf<'messaging'>): SQSClient {
  return new SQSClient({ ...configure(endpoints, endpoints.messaging), useQueueUrlAsEndpoint: false });
}

function configure(key: Pick<Endpoints, 'accessKeyId'>, endpoint: string) {
  return { region: LOCAL_REGION, credentials: toCredentials(key), endpoint };
}
