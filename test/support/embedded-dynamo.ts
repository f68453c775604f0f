import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { findEngineBinary } from '#local/aws/engines/engine-binary.ts';
import { findFreePort } from '#local/aws/engines/processes.ts';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { TABLE } from '#shared/config/table.ts';

const MAX_STARTS = 5;

/** A DynamoDB in memory with the one table, until it is stopped. */
export interface EmbeddedDynamo {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  stop(): Promise<void>;
}

export async function startEmbeddedDynamo(): Promise<EmbeddedDynamo> {
  const { engine, port } = await launch(1);
  const client = createDynamoClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const tableName = 'notifier';
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
