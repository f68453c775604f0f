import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { NotifierError } from '#shared/core/errors.ts';
import type { TableProperties } from '../resource-properties.ts';

/** Creates a table unless it exists, and enables its TTL. Throws for an existing table with other keys. */
export async function applyTable(
  client: DynamoDBClient,
  name: string,
  properties: TableProperties,
): Promise<void> {
  const keys = await readKeys(client, name);
  if (keys === null) await createTable(client, name, properties);
  else if (keys !== describeKeys(properties.KeySchema)) {
    throw new NotifierError(
      'table_differs',
      `table ${name} in the data folder has other keys than in the template; name another folder with --data`,
    );
  }
  await applyTimeToLive(client, name, properties);
}

async function readKeys(client: DynamoDBClient, name: string): Promise<string | null> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return describeKeys(Table?.KeySchema ?? []);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}

function describeKeys(
  keys: readonly { AttributeName?: string | undefined; KeyType?: string | undefined }[],
): string {
  return keys.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join(', ');
}

async function createTable(client: DynamoDBClient, name: string, properties: TableProperties): Promise<void> {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = properties;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions,
      GlobalSecondaryIndexes: GlobalSecondaryIndexes?.map(({ IndexName, KeySchema: Keys, Projection }) => ({
        IndexName,
        KeySchema: Keys,
        Projection,
      })),
    }),
  );
}

async function applyTimeToLive(
  client: DynamoDBClient,
  name: string,
  { TimeToLiveSpecification: wanted }: TableProperties,
): Promise<void> {
  if (wanted?.Enabled !== true) return;
  const { TimeToLiveDescription: current } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: name }),
  );
  if (current?.AttributeName === wanted.AttributeName) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: wanted.AttributeName, Enabled: true },
    }),
  );
}
