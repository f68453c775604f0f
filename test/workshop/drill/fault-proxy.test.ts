import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { PublishCommand } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoDbClient, createSnsClient } from '#local/aws/engines/clients.ts';
import { type EngineFault, SERVICES } from '#local/aws/engines/door.ts';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { startFaultProxy } from '../../../workshop/drill/fault-proxy.ts';

const KEY = 'key-of-this-run';
const asked: string[] = [];
let fault: EngineFault | null = null;
let engine: Awaited<ReturnType<typeof serveOnLoopback>>;
let proxy: Awaited<ReturnType<typeof startFaultProxy>>;

beforeAll(async () => {
  engine = await serveOnLoopback((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ TableNames: ['real'] }));
  });
  proxy = await startFaultProxy({
    accessKeyId: () => KEY,
    services: [...SERVICES.dynamoDb, ...SERVICES.messaging],
    engine: () => `http://127.0.0.1:${engine.port}`,
    findFault: ({ operation }) => {
      asked.push(operation);
      return fault;
    },
  });
});

afterAll(async () => {
  await proxy.stop();
  await engine.stop();
});

test('passes requests on, and their answers back', async () => {
  fault = null;
  const client = createDynamoDbClient({ dynamoDb: proxy.endpoint, accessKeyId: KEY });
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['real']);
  expect(asked.splice(0)).toEqual(['ListTables']);
  client.destroy();
});

test('answers with an error that the SDK knows, of either protocol', async () => {
  fault = { status: 400, code: 'AccessDeniedException', message: 'no' };
  const dynamo = createDynamoDbClient({ dynamoDb: proxy.endpoint, accessKeyId: KEY });
  await expect(dynamo.send(new ListTablesCommand({}))).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: 'no',
  });
  const sns = createSnsClient({ messaging: proxy.endpoint, accessKeyId: KEY });
  const publish = new PublishCommand({ TopicArn: 'arn:aws:sns:us-east-1:000000000000:t', Message: 'm' });
  await expect(sns.send(publish)).rejects.toMatchObject({ message: 'no' });
  expect(asked.splice(0)).toEqual(['ListTables', 'Publish']);
  dynamo.destroy();
  sns.destroy();
});
