import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { findEngineBinary } from '#local/aws/engines/dynamodb-engine.ts';
import { findFreePort } from '#local/aws/engines/processes.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { TABLE } from '#shared/config/table.ts';

const MAX_STARTS = 5;
/** Items that DynamoDB writes at once. */
const MAX_BATCH = 25;

/** The engine asks nobody for a key. To sign, and to note for a logger what it throws away, is half of a request. */
const UNSIGNED = {
  sign: async <Request extends { headers: object }>(request: Request) => {
    Object.assign(request.headers, {
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    });
    return request;
  },
};

/** A DynamoDB in memory with the one table, until it is stopped. */
export interface EmbeddedDynamo {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  stop(): Promise<void>;
}

type StoredTable = Pick<EmbeddedDynamo, 'client' | 'tableName'>;
type Item = Record<string, AttributeValue>;

export async function startEmbeddedDynamo(): Promise<EmbeddedDynamo> {
  const { engine, port } = await launch(1);
  const client = createDynamoClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  Object.assign(client.config, { signer: async () => UNSIGNED, logger: {} });
  const tableName = 'notifier';
  await createTable({ client, tableName });
  return {
    client,
    tableName,
    async stop() {
      client.destroy();
      const ended = once(engine, 'exit');
      engine.kill('SIGKILL');
      await ended;
    },
  };
}

/** Every item of a table. */
export async function readItems({ client, tableName }: StoredTable): Promise<readonly Item[]> {
  const items: Item[] = [];
  let startKey: Item | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: startKey }),
    );
    items.push(...(page.Items ?? []));
    startKey = page.LastEvaluatedKey;
  } while (startKey !== undefined);
  return items;
}

/** Makes these the items of a table again. It stays the same table: another one would look like a restored backup. */
export async function restoreItems(table: StoredTable, items: readonly Item[]): Promise<void> {
  const left = new Map((await readItems(table)).map((item) => [toKeyText(item), item]));
  const changed = items.filter((item) => !isDeepStrictEqual(left.get(toKeyText(item)), item));
  for (const item of items) left.delete(toKeyText(item));
  const writes: WriteRequest[] = [
    ...[...left.values()].map((item) => ({ DeleteRequest: { Key: toKey(item) } })),
    ...changed.map((Item) => ({ PutRequest: { Item } })),
  ];
  for (let from = 0; from < writes.length; from += MAX_BATCH) {
    const RequestItems = { [table.tableName]: writes.slice(from, from + MAX_BATCH) };
    const { UnprocessedItems = {} } = await table.client.send(new BatchWriteItemCommand({ RequestItems }));
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the engine did not write all items');
  }
}

function toKey(item: Item): Item {
  return Object.fromEntries(
    [TABLE.partitionKey, TABLE.sortKey].map((name) => [name, item[name] as AttributeValue]),
  );
}

function toKeyText(item: Item): string {
  return JSON.stringify(toKey(item));
}

async function createTable({ client, tableName }: StoredTable): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: TABLE.partitionKey, AttributeType: 'S' },
        { AttributeName: TABLE.sortKey, AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
        { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
}

/** Starts the engine on a free port, and on another one when a process takes that port first. */
async function launch(starts: number): Promise<{ engine: ChildProcess; port: number }> {
  const binary = findEngineBinary();
  const port = await findFreePort();
  const engine = spawn(binary, ['--host', '127.0.0.1', '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (await waitUntilListening(engine)) return { engine, port };
  if (starts >= MAX_STARTS) throw new Error(`${binary} does not start`);
  return await launch(starts + 1);
}

async function waitUntilListening(engine: ChildProcess): Promise<boolean> {
  return await new Promise((resolve) => {
    engine.once('error', () => resolve(false));
    engine.once('exit', () => resolve(false));
    engine.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.includes('listening')) resolve(true);
    });
  });
}
